"""Wakes waiting readers when the log may have grown. A wake-up carries no data: readers read the log again."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable

Topic = tuple[str, str | None]
"""A tenant, and one of its sessions or none in particular."""

_MAX_AGENTS = 10_000
_Waiting = defaultdict[Topic, set[asyncio.Event]]


class Wakeups:
    """Readers of one session are not woken for another: with many sessions that would be most of the work.
    `notify_others` passes a topic on to other replicas, where the store can."""

    def __init__(self) -> None:
        self.notify_others: Callable[[Topic], None] | None = None
        self._for_session: _Waiting = defaultdict(set)
        self._for_tenant: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._changes: Counter[str] = Counter()
        self._own_changes: Counter[tuple[str, str]] = Counter()
        self._closed = False

    @property
    def anyone_waiting(self) -> bool:
        return bool(self._for_session or self._for_tenant)

    @property
    def closed(self) -> bool:
        return self._closed

    def inbox_version(self, tenant: str, agent: str) -> int:
        """Grows when the inbox of this agent may have changed: with every commit of this process in which another agent
        addressed someone, and with every notified commit of other processes."""
        return self._changes[tenant] + self._changes["*"] - self._own_changes[tenant, agent]

    def committed(
        self, changed: Collection[Topic], read: Collection[Topic], addressed: Collection[tuple[str, str]]
    ) -> None:
        """This process has added to the log: changes in some topics, and mere reads in others. `addressed` are tenants
        with a new message or answer, and the agents that wrote it."""
        if len(self._own_changes) >= _MAX_AGENTS:
            # After that, own commits count like those of others, and inboxes are read once more.
            self._own_changes.clear()
        for tenant, agent in addressed:
            self._changes[tenant] += 1
            self._own_changes[tenant, agent] += 1
        for topic in changed:
            self._wake(topic)
        for tenant, _ in read:
            _set(self._for_tenant.get(tenant, ()))
        if self.notify_others is not None:
            for topic in {*changed, *read}:
                self.notify_others(topic)

    def announce(self, topic: Topic) -> None:
        """Something outside of the log has changed."""
        self._wake(topic)
        if self.notify_others is not None:
            self.notify_others(topic)

    def changed_elsewhere(self, topic: Topic) -> None:
        """Another process has changed something."""
        self._changes[topic[0]] += 1
        self._wake(topic)

    def _wake(self, topic: Topic) -> None:
        tenant, session_id = topic
        for waiter in self._for_tenant.get(tenant, ()):
            waiter.set()
        if session_id is not None:
            for waiter in self._for_session.get(topic, ()):
                waiter.set()
        else:
            # What belongs to no session wakes the readers of all of them.
            for (other, _), waiting in self._for_session.items():
                if other == tenant:
                    _set(waiting)

    def wake_all(self) -> None:
        self._changes["*"] += 1
        for waiting in (*self._for_session.values(), *self._for_tenant.values()):
            _set(waiting)

    def close(self) -> None:
        """Wakes all readers: the program is stopping."""
        self._closed = True
        self.wake_all()

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
