# oracle: core; 503 400 drop refuse
import asyncio

import httpx
from tenacity import AsyncRetrying, stop_after_attempt, wait_random_exponential


async def main():
    async with httpx.AsyncClient() as client:
        async for attempt in AsyncRetrying(stop=stop_after_attempt(3), wait=wait_random_exponential(max=60)):
            with attempt:
                (await client.get("http://api.example.com/x")).raise_for_status()


asyncio.run(main())
