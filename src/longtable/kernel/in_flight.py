"""Counts requests in progress, so that stopping can wait for them."""

import asyncio


class InFlight:
    """Entered for each piece of work. `draining` says that no new one should begin."""

    def __init__(self) -> None:
        self.draining = False
        self._count = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def __enter__(self) -> None:
        self._count += 1
        self._idle.clear()

    def __exit__(self, *_: object) -> None:
        self._count -= 1
        if self._count == 0:
            self._idle.set()

    async def drain(self, seconds: float) -> bool:
        """Lets what has begun finish. False when the time was over first."""
        self.draining = True
        try:
            async with asyncio.timeout(seconds):
                await self._idle.wait()
        except TimeoutError:
            return False
        return True
