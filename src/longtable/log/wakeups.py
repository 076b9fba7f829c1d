"""Tells waiting readers that a tenant's log may have grown. A wake-up carries nothing: the log is the truth."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable


class Wakeups:
    """`tell_others` passes a tenant's name on to other replicas, where the store has a way to."""

    def __init__(self) -> None:
        self.tell_others: Callable[[str], None] = lambda tenant: None
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._closed = False

    @property
    def anyone_waiting(self) -> bool:
        return bool(self._waiting)

    def committed(self, tenants: Iterable[str]) -> None:
        """This process has added to the log of these tenants."""
        self.signal(tenants)
        for tenant in tenants:
            self.tell_others(tenant)

    def signal(self, tenants: Iterable[str]) -> None:
        for tenant in tenants:
            for waiter in self._waiting.get(tenant, ()):
                waiter.set()

    def signal_all(self) -> None:
        self.signal(list(self._waiting))

    def close(self) -> None:
        """Releases everyone: the program is stopping."""
        self._closed = True
        self.signal_all()

    def subscribe(self, tenant: str) -> "Wakeup":
        return Wakeup(self._waiting, tenant, self)

    @property
    def closed(self) -> bool:
        return self._closed


class Wakeup:
    """Armed when entered, so that a commit between a read and the wait is not missed."""

    def __init__(self, waiting: defaultdict[str, set[asyncio.Event]], tenant: str, owner: Wakeups) -> None:
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

    async def wait(self, seconds: float) -> bool:
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
