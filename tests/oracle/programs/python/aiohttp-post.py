# oracle: core; 503 drop refuse
import asyncio

import aiohttp


async def main():
    async with aiohttp.ClientSession() as session:
        async with session.post("http://api.example.com/x", json={}) as answer:
            print(answer.status)


asyncio.run(main())
