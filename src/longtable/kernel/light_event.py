"""An event to wait for that takes little memory: a server has several of them for each of thousands of connections."""

import asyncio
from collections import OrderedDict
from collections.abc import Collection
from typing import Final

FEW: Final = 16
"""So many are woken at once."""
SLICE: Final = 25
HEAD_START: Final = 0.002
PAUSE: Final = 0.0005


class LightEvent:
    """`asyncio.Event` without a deque, which alone would take 760 bytes, and with a time limit for a wait."""

    __slots__ = ("_is_set", "_waiters")

    def __init__(self) -> None:
        self._is_set = False
        self._waiters: list[asyncio.Future[bool]] | None = None

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        self._is_set = True
        for waiter in self._waiters or ():
            if not waiter.done():
                waiter.set_result(True)

    def clear(self) -> None:
        self._is_set = False

    async def wait(self, seconds: float | None = None) -> bool:
        """True once it is set; False when the time was over first."""
        if self._is_set:
            return True
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[bool] = loop.create_future()
        if self._waiters is None:
            self._waiters = []
        self._waiters.append(waiter)
        timer = None if seconds is None else loop.call_later(seconds, _expire, waiter)
        try:
            return await waiter
        finally:
            if timer is not None:
                timer.cancel()
            self._waiters.remove(waiter)


class GradualWaking:
    """Sets many events a few at a time: whoever caused it, and everybody else, is served in between."""

    def __init__(self) -> None:
        self._queue: OrderedDict[LightEvent, None] = OrderedDict()

    def wake(self, events: Collection[LightEvent]) -> None:
        if len(events) <= FEW:
            for event in events:
                event.set()
            return
        if not self._queue:
            asyncio.get_running_loop().call_later(HEAD_START, self._wake_some)
        self._queue.update(dict.fromkeys(events))

    def _wake_some(self) -> None:
        for _ in range(min(SLICE, len(self._queue))):
            self._queue.popitem(last=False)[0].set()
        if self._queue:
            asyncio.get_running_loop().call_later(PAUSE, self._wake_some)


def _expire(waiter: "asyncio.Future[bool]") -> None:
    if not waiter.done():
        waiter.set_result(False)
