"""Lets a call wait for something to appear in the log, and counts waiting calls."""

import math
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from longtable.kernel.call_limits import CallLimits, SharedCounts
from longtable.kernel.caller import Caller
from longtable.kernel.clock import SECOND, Clock
from longtable.kernel.errors import CapacityLimitReached
from longtable.log.wakeups import Wakeup, Wakeups

T = TypeVar("T")
SessionEnd = Callable[[Caller], Awaitable[int]]
"""When the caller's session expires. Raises SessionExpired or SessionClosed once it is over."""

_TIMER_SLACK = SECOND // 1_000
"""Added to a wait for an expiry: a timer may fire slightly before the clock reaches it."""
_RESUMED_WITHIN = 15 * SECOND
"""An agent waits in turns: one that comes back this soon has waited all the time."""
_MAX_AGENTS = 10_000


@dataclass(frozen=True, slots=True)
class _Awaited(Generic[T]):
    """`ends_at` is when waiting becomes pointless; it raises the error for the caller once it is."""

    wake: Callable[[], Wakeup]
    look: Callable[[], Awaitable[T]]
    found: Callable[[T], bool]
    ends_at: Callable[[], Awaitable[float]]


class Waits:
    def __init__(self, wakeups: Wakeups, clock: Clock, limit: int, session_end: SessionEnd, calls: CallLimits) -> None:
        self.wakeups = wakeups
        self._clock = clock
        self._limit = limit
        self._session_end = session_end
        self._calls = calls
        self.waiting = SharedCounts()
        self.waiting_agents = SharedCounts()
        """By tenant, session, agent and the moment since when it waits."""
        self._last_waits: dict[tuple[str, str, str], tuple[int, int]] = {}

    @contextmanager
    def shown_as_waiting(self, caller: Caller) -> Iterator[None]:
        """People see that this agent waits for what others say."""
        key, now = (caller.tenant, caller.session, caller.agent), self._clock()
        since, until = self._last_waits.get(key, (now, now))
        since = since if now - until <= _RESUMED_WITHIN else now
        name = "\n".join((*key, str(since)))
        self.waiting_agents.add(name)
        try:
            yield
        finally:
            self.waiting_agents.remove(name)
            if len(self._last_waits) >= _MAX_AGENTS:
                self._last_waits.clear()
            self._last_waits[key] = (since, self._clock())

    def current(self, tenant: str) -> dict[tuple[str, str], int]:
        """Since when which agents wait, by session and name: in this process and, as far as it is known, in others."""
        found: dict[tuple[str, str], int] = {}
        for name in (*self.waiting_agents.own, *self.waiting_agents.others):
            of, session_id, agent, since = name.split("\n")
            if of == tenant:
                place = (session_id, agent)
                found[place] = min(int(since), found.get(place, int(since)))
        return found

    async def until(
        self, caller: Caller, seconds: float, look: Callable[[], Awaitable[T]], found: Callable[[T], bool]
    ) -> T:
        """The result of `look` once `found` accepts it, or when the time is over or the program stops. It looks again
        after every change to the caller's session, by any process. Raises CapacityLimitReached, and SessionExpired or
        SessionClosed when the session ends first."""
        if seconds <= 0:
            return await look()
        wake = partial(self.wakeups.for_changes, caller.tenant, caller.session)
        ends_at = partial(self._session_end, caller)
        return await self._counted(caller, seconds, _Awaited(wake, look, found, ends_at))

    async def until_tenant(
        self, caller: Caller, seconds: float, look: Callable[[], Awaitable[T]], found: Callable[[T], bool]
    ) -> T:
        """The same for what belongs to no session."""
        if seconds <= 0:
            return await look()
        wake = partial(self.wakeups.for_anything, caller.tenant)
        return await self._counted(caller, seconds, _Awaited(wake, look, found, _never))

    async def _counted(self, caller: Caller, seconds: float, awaited: _Awaited[T]) -> T:
        if self._limit and self.waiting.total(caller.tenant) >= self._limit:
            self._calls.count_refusal("max_waits")
            raise CapacityLimitReached(
                f"{self._limit} calls are waiting already, which is the limit.", limit=self._limit
            )
        self.waiting.add(caller.tenant)
        self._calls.begin_wait(caller)
        try:
            return await self._watch(seconds, awaited)
        finally:
            self._calls.end_wait(caller)
            self.waiting.remove(caller.tenant)

    async def _watch(self, seconds: float, awaited: _Awaited[T]) -> T:
        deadline = self._clock() + int(seconds * SECOND)
        with awaited.wake() as wakeup:
            while True:
                seen = await awaited.look()
                if awaited.found(seen):
                    return seen
                # An expiry adds nothing to the log, so nothing would wake us then.
                ends_at = await awaited.ends_at() + _TIMER_SLACK
                now = self._clock()
                if now >= deadline:
                    return seen
                # At the deadline it looks once more: a process may have died before it could wake us.
                left = (min(deadline, ends_at) - now) / SECOND
                if not await wakeup.wait(left) and self.wakeups.closed:
                    return seen


async def _never() -> float:
    return math.inf
