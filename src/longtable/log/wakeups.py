"""Wakes waiting readers when the log may have grown. A wake-up carries no data: readers read the log again."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection

from longtable.kernel.light_event import GradualWaking, LightEvent

Topic = tuple[str, str | None]
"""A tenant, and one of its sessions or none in particular."""

_MAX_AGENTS = 10_000


class Wakeups:
    """Readers of one session are not woken for another: with many sessions that would be most of the work.
    `notify_others` passes a topic on to other replicas, where the store can."""

    def __init__(self) -> None:
        self.notify_others: Callable[[Topic], None] | None = None
        self._for_session: defaultdict[Topic, set[Wakeup]] = defaultdict(set)
        self._for_tenant: defaultdict[str, set[Wakeup]] = defaultdict(set)
        self._waking = GradualWaking()
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
            if tenant in self._for_tenant:
                self._waking.wake(self._for_tenant[tenant])
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
        if tenant in self._for_tenant:
            self._waking.wake(self._for_tenant[tenant])
        if session_id is None:
            # What belongs to no session wakes the readers of all of them.
            for (other, _), waiting in self._for_session.items():
                if other == tenant:
                    self._waking.wake(waiting)
        elif topic in self._for_session:
            self._waking.wake(self._for_session[topic])

    def wake_all(self) -> None:
        self._changes["*"] += 1
        for waiting in (*self._for_session.values(), *self._for_tenant.values()):
            self._waking.wake(waiting)

    def close(self) -> None:
        """Wakes all readers: the program is stopping."""
        self._closed = True
        self.wake_all()

    def for_changes(self, tenant: str, session_id: str, also: LightEvent | None = None) -> "Wakeup":
        """`also` is set with it, for who waits for several things at once."""
        return Wakeup(self, tenant, session_id, also)

    def for_anything(self, tenant: str) -> "Wakeup":
        """Woken by every session of the tenant, and by mere reads, too."""
        return Wakeup(self, tenant, None)

    def enter(self, wakeup: "Wakeup") -> None:
        self._waiting_with(wakeup).add(wakeup)

    def leave(self, wakeup: "Wakeup") -> None:
        others = self._waiting_with(wakeup)
        others.discard(wakeup)
        if not others and wakeup.session_id is not None:
            del self._for_session[wakeup.tenant, wakeup.session_id]
        elif not others:
            del self._for_tenant[wakeup.tenant]

    def _waiting_with(self, wakeup: "Wakeup") -> "set[Wakeup]":
        if wakeup.session_id is None:
            return self._for_tenant[wakeup.tenant]
        return self._for_session[wakeup.tenant, wakeup.session_id]


class Wakeup(LightEvent):
    """Armed when entered, so that a commit between a read and the wait is not missed."""

    __slots__ = ("_also", "_owner", "session_id", "tenant")

    def __init__(self, owner: Wakeups, tenant: str, session_id: str | None, also: LightEvent | None = None) -> None:
        super().__init__()
        self._owner = owner
        self._also = also
        self.tenant = tenant
        self.session_id = session_id

    def __enter__(self) -> "Wakeup":
        self._owner.enter(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._owner.leave(self)

    def set(self) -> None:
        super().set()
        if self._also is not None:
            self._also.set()

    async def wait(self, seconds: float | None = None) -> bool:
        """True when the log may have grown; False when the time is over or the program stops."""
        if self._owner.closed or not await super().wait(seconds):
            return False
        self.clear()
        return not self._owner.closed
