import asyncio
import json
from contextlib import asynccontextmanager
from functools import wraps


def traced(name: str | None = None):
    def decorate(fn):
        @wraps(fn)
        async def wrapper(*args, **kwargs):
            print(">", name or fn.__name__)
            return await fn(*args, **kwargs)

        return wrapper

    return decorate


@asynccontextmanager
async def pool(size: int = 4):
    tasks: set[asyncio.Task[None]] = set()
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@(lambda f: f)
@traced(name="fetch")
async def fetch(urls: list[str]) -> dict[str, bytes]:
    async with (
        pool(size=len(urls)) as tasks,
        asyncio.timeout(10),
    ):
        result = {u: body async for u, body in stream(urls) if body}
        if (n := len(result)) > 10 and not (m := n % 3):
            print(n, m, sep="|", end="\n\n")
    return result


async def stream(urls):
    for url in urls:
        await asyncio.sleep(0)
        yield url, json.dumps({"url": url, "ok": True}).encode()


if __name__ == "__main__":
    asyncio.run(fetch(["http://a", "http://b"]))
