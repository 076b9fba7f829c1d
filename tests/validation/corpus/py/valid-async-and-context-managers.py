import asyncio
from contextlib import asynccontextmanager


@asynccontextmanager
async def session(url: str):
    yield {"url": url}


async def main() -> None:
    async with (
        session("a") as a,
        asyncio.timeout(5),
        asyncio.TaskGroup() as group,
    ):
        task = group.create_task(asyncio.sleep(0, result=a))
    results = [x async for x in stream() if await check(x)]
    print(await task, results)


async def stream():
    for i in range(3):
        yield i


async def check(x) -> bool:
    return x > 1
