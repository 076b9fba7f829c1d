"""Tells waiting readers that a tenant's log may have grown. A wake-up carries nothing: the log is the truth."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable

_Waiting = defaultdict[str, set[asyncio.Event]]


class Wakeups:
    """`tell_others` passes a tenant's name on to other replicas, where the store has a way to."""

    def __init__(self) -> None:
        self.tell_others: Callable[[str], None] = lambda tenant: None
        self._for_change: _Waiting = defaultdict(set)
        self._for_anything: _Waiting = defaultdict(set)
        self._closed = False

    @property
    def anyone_waiting(self) -> bool:
        return bool(self._for_change or self._for_anything)

    @property
    def closed(self) -> bool:
        return self._closed

    def committed(self, changed: Iterable[str], told: Iterable[str]) -> None:
        """This process has added to the log: changes for some tenants, and for some only that a thing was read."""
        self.signal(changed)
        for tenant in told:
            _set(self._for_anything.get(tenant, ()))
        for tenant in {*changed, *told}:
            self.tell_others(tenant)

    def signal(self, tenants: Iterable[str]) -> None:
        for tenant in tenants:
            _set(self._for_change.get(tenant, ()))
            _set(self._for_anything.get(tenant, ()))

    def signal_all(self) -> None:
        self.signal({*self._for_change, *self._for_anything})

    def close(self) -> None:
        """Releases everyone: the program is stopping."""
        self._closed = True
        self.signal_all()

    def for_changes(self, tenant: str) -> "Wakeup":
        return Wakeup(self._for_change, tenant, self)

    def for_anything(self, tenant: str) -> "Wakeup":
        """Woken by mere reads, too."""
        return Wakeup(self._for_anything, tenant, self)


class Wakeup:
    """Armed when entered, so that a commit between a read and the wait is not missed."""

    def __init__(self, waiting: _Waiting, tenant: str, owner: Wakeups) -> None:
        self._waiting = waiting
        self._tenant = tenant
        self._owner = owner
        self._event = asyncio.Event()

    def __enter__(self) -> "Wakeup":
        self._waiting[self._tenant].add(self._event)
        return self

    def __exit__(self, *_: object) -> None:
        waiters = self._waiting[self._tenant]
        waiters.discard(self._event)
        if not waiters:
            del self._waiting[self._tenant]

    async def wait(self, seconds: float | None) -> bool:
        """True when the log may have grown; False when the time is over or the program stops."""
        if self._owner.closed:
            return False
        try:
            async with asyncio.timeout(seconds):
                await self._event.wait()
        except TimeoutError:
            return False
        self._event.clear()
        return not self._owner.closed


def _set(waiters: Iterable[asyncio.Event]) -> None:
    for waiter in waiters:
        waiter.set()
