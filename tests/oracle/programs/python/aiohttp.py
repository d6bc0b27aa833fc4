# oracle: core; 503 429 500 409 400 drop refuse
import asyncio

import aiohttp


async def main():
    async with aiohttp.ClientSession() as session:
        async with session.get("http://api.example.com/x") as answer:
            print(answer.status)


asyncio.run(main())
