# oracle: core; 503 400
import asyncio

import httpx
from aioretry import retry


def policy(info):
    return info.fails > 3, info.fails * 0.1


@retry(policy)
async def fetch():
    async with httpx.AsyncClient() as client:
        (await client.get("http://api.example.com/x")).raise_for_status()


asyncio.run(fetch())
