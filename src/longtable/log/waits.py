"""Lets a call wait for something to appear in the log, and counts who waits."""

from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from longtable.kernel.caller import Caller
from longtable.kernel.clock import SECOND, Clock
from longtable.kernel.errors import CapacityLimitReached
from longtable.log.wakeups import Wakeup, Wakeups

T = TypeVar("T")
Waking = Callable[[], Wakeup]


class Waits:
    def __init__(self, wakeups: Wakeups, clock: Clock, limit: int) -> None:
        self.wakeups = wakeups
        self._clock = clock
        self._limit = limit
        self._waiting: Counter[str] = Counter()

    async def until(
        self, caller: Caller, seconds: float, look: Callable[[], Awaitable[T]], found: Callable[[T], bool]
    ) -> T:
        """What `look` sees once `found` agrees, or when the time is over or the program stops. It looks again after
        every change to the caller's session, by whichever process. Raises CapacityLimitReached."""
        if seconds <= 0:
            return await look()
        wake = partial(self.wakeups.for_changes, caller.tenant, caller.session)
        return await self._counted(caller.tenant, wake, seconds, look, found)

    async def until_tenant(
        self, caller: Caller, seconds: float, look: Callable[[], Awaitable[T]], found: Callable[[T], bool]
    ) -> T:
        """The same for what belongs to no session."""
        if seconds <= 0:
            return await look()
        wake = partial(self.wakeups.for_anything, caller.tenant)
        return await self._counted(caller.tenant, wake, seconds, look, found)

    async def _counted(
        self, tenant: str, wake: Waking, seconds: float, look: Callable[[], Awaitable[T]], found: Callable[[T], bool]
    ) -> T:
        if self._waiting[tenant] >= self._limit:
            raise CapacityLimitReached(
                f"{self._limit} calls are waiting already, which is the limit.", limit=self._limit
            )
        self._waiting[tenant] += 1
        try:
            return await self._watch(wake(), seconds, look, found)
        finally:
            self._waiting[tenant] -= 1
            self._waiting += Counter()

    async def _watch(
        self, waking: Wakeup, seconds: float, look: Callable[[], Awaitable[T]], found: Callable[[T], bool]
    ) -> T:
        deadline = self._clock() + int(seconds * SECOND)
        with waking as wakeup:
            while True:
                seen = await look()
                left = (deadline - self._clock()) / SECOND
                if found(seen) or left <= 0:
                    return seen
                # When the time is over it looks once more: a process may have died before it could wake us.
                if not await wakeup.wait(left) and self.wakeups.closed:
                    return seen
