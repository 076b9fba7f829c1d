"""Tells waiting readers that the log may have grown. A wake-up carries nothing: the log is the truth."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable

Place = tuple[str, str | None]
"""A tenant, and one of its sessions or none in particular."""

_MAX_AGENTS = 10_000
_Waiting = defaultdict[Place, set[asyncio.Event]]


class Wakeups:
    """Who waits for a session is not woken for another: with many of them that would be most of the work.
    `tell_others` passes a place on to other replicas, where the store has a way to."""

    def __init__(self) -> None:
        self.tell_others: Callable[[Place], None] = lambda place: None
        self._for_session: _Waiting = defaultdict(set)
        self._for_tenant: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._news: Counter[str] = Counter()
        self._own_news: Counter[tuple[str, str]] = Counter()
        self._closed = False

    @property
    def anyone_waiting(self) -> bool:
        return bool(self._for_session or self._for_tenant)

    @property
    def closed(self) -> bool:
        return self._closed

    def news(self, tenant: str, agent: str) -> int:
        """Grows when the inbox of this agent may say something else: with every commit of this process in which another
        one addressed somebody, and with every commit of other processes that it has heard of."""
        return self._news[tenant] + self._news["*"] - self._own_news[tenant, agent]

    def committed(
        self, changed: Collection[Place], told: Collection[Place], addressed: Collection[tuple[str, str]]
    ) -> None:
        """This process has added to the log: changes in some places, and in some only that a thing was read.
        `addressed` are the tenants where somebody was told or answered something, and the agents who did that."""
        if len(self._own_news) >= _MAX_AGENTS:
            # Then all of it counts as the news of others, and inboxes are looked at once more.
            self._own_news.clear()
        self._news.update(tenant for tenant, _ in addressed)
        self._own_news.update(addressed)
        for place in changed:
            self._wake(place)
        for tenant, _ in told:
            _set(self._for_tenant.get(tenant, ()))
        for place in {*changed, *told}:
            self.tell_others(place)

    def announce(self, place: Place) -> None:
        """Something that is not in the log has changed there."""
        self._wake(place)
        self.tell_others(place)

    def signal(self, place: Place) -> None:
        """Somebody else has changed something there."""
        self._news[place[0]] += 1
        self._wake(place)

    def _wake(self, place: Place) -> None:
        tenant, session_id = place
        _set(self._for_tenant.get(tenant, ()))
        if session_id is not None:
            _set(self._for_session.get(place, ()))
        else:
            # What belongs to no session is heard in all of them.
            for (other, _), waiting in self._for_session.items():
                if other == tenant:
                    _set(waiting)

    def signal_all(self) -> None:
        self._news["*"] += 1
        for waiting in (*self._for_session.values(), *self._for_tenant.values()):
            _set(waiting)

    def close(self) -> None:
        """Releases everyone: the program is stopping."""
        self._closed = True
        self.signal_all()

    def for_changes(self, tenant: str, session_id: str) -> "Wakeup":
        return Wakeup(self._for_session[tenant, session_id], self, lambda: self._forget(tenant, session_id))

    def for_anything(self, tenant: str) -> "Wakeup":
        """Woken by every session of the tenant, and by mere reads, too."""
        return Wakeup(self._for_tenant[tenant], self, lambda: self._forget_tenant(tenant))

    def _forget(self, tenant: str, session_id: str) -> None:
        if not self._for_session[tenant, session_id]:
            del self._for_session[tenant, session_id]

    def _forget_tenant(self, tenant: str) -> None:
        if not self._for_tenant[tenant]:
            del self._for_tenant[tenant]


class Wakeup:
    """Armed when entered, so that a commit between a read and the wait is not missed."""

    def __init__(self, waiters: set[asyncio.Event], owner: Wakeups, forget: Callable[[], None]) -> None:
        self._waiters = waiters
        self._owner = owner
        self._forget = forget
        self._event = asyncio.Event()

    def __enter__(self) -> "Wakeup":
        self._waiters.add(self._event)
        return self

    def __exit__(self, *_: object) -> None:
        self._waiters.discard(self._event)
        self._forget()

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
