# oracle: core; 503 500 429 400 refuse
import asyncio

from aiohttp_retry import RetryClient


async def main():
    async with RetryClient() as client:
        async with client.get("http://api.example.com/x") as answer:
            print(answer.status)


asyncio.run(main())
