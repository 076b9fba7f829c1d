import asyncio


def load():
    result = await asyncio.sleep(1)
    return result
