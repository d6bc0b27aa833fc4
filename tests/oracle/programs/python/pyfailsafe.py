# oracle: core; 503 400 drop refuse
import asyncio

import httpx
from failsafe import Failsafe, RetryPolicy


async def fetch():
    async with httpx.AsyncClient() as client:
        (await client.get("http://api.example.com/x")).raise_for_status()


asyncio.run(Failsafe(retry_policy=RetryPolicy()).run(fetch))
