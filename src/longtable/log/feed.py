"""Pushes a tenant's events to its subscribers: an event is read from the log once, and a slow reader delays no
other."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

from longtable.kernel.background import BackgroundTask, BackgroundTasks
from longtable.kernel.call_limits import SharedCounts
from longtable.kernel.errors import CapacityLimitReached, LongtableError
from longtable.kernel.light_event import GradualWaking, LightEvent
from longtable.kernel.logs import logger
from longtable.log.reader import EventFilter, LoggedEvent, head, tail
from longtable.log.wakeups import Wakeups
from longtable.storage.database import Database, Transaction

QUEUED = 256
_BATCH = 500
_RETRY_SECONDS = 1.0
_POLL_SECONDS = 5.0
_ENDS = frozenset({"session/closed", "session/expired"})
_REDACTED = "scratchpad/redacted"

ReadAfter = Callable[[int], Awaitable[list[LoggedEvent]]]
FeedItem = dict[str, Any]
"""A flat event, or `{"lagged": true, "after": seq}`: events after `seq` were left out and can be read from there."""
NOTHING_YET: Final[FeedItem] = {}


class Subscription:
    """Iterate over it, or call `next`, to get the events, oldest first, each once. It ends with its session or the
    program.

    It begins behind, reading the log at the pace of its reader, and goes live when it has caught up. Only a live
    reader that falls 256 events behind gets a `lagged` item. `ready` is set when there may be something to take."""

    __slots__ = (
        "_behind",
        "_ended",
        "_has_delivered_end",
        "_is_page_outdated",
        "_lagged",
        "_page",
        "_queue",
        "_read",
        "delivered",
        "event_filter",
        "over",
        "ready",
    )

    def __init__(
        self, event_filter: EventFilter, read: ReadAfter, after: int | None, newest: int, ready: LightEvent
    ) -> None:
        self.event_filter = event_filter
        self.delivered = newest if after is None else after
        self.ready = ready
        self._read = read
        self._behind = after is not None
        self._page: list[LoggedEvent] = []
        self._is_page_outdated = False
        self._queue: list[LoggedEvent] = []
        self._lagged = False
        self._ended = False
        self._has_delivered_end = False
        self.over = False

    def offer(self, event: LoggedEvent) -> bool:
        """Called by the feed, which sets `ready` if this returns True; never waits."""
        is_end = self._ends_with(event)
        self.over = self.over or is_end
        if event.kind == _REDACTED:
            self._read_again()
        if self._lagged or not self.event_filter.matches(event):
            return is_end
        if len(self._queue) >= QUEUED:
            self._queue.clear()
            self._lagged = True
        else:
            self._queue.append(event)
        return True

    def end(self) -> None:
        self._ended = True
        self.ready.set()

    def catch_up(self) -> None:
        """Called by the feed after a failure: something may not have been offered, so the log is read again."""
        self._queue.clear()
        self._behind, self._lagged = True, self._behind
        self.ready.set()

    def end_after_log(self) -> None:
        """The session is over: nothing follows besides what the log holds."""
        self.over = True
        self.ready.set()

    async def __aiter__(self) -> AsyncIterator[FeedItem]:
        while (item := await self.next()) is not None:
            yield self.shown(item)

    def shown(self, item: LoggedEvent | FeedItem) -> FeedItem:
        return self.event_filter.show(item) if isinstance(item, LoggedEvent) else item

    async def next(self, seconds: float | None = None) -> LoggedEvent | FeedItem | None:
        """An event, or a `lagged` item. None at the end, and NOTHING_YET after so many seconds."""
        while (item := await self.take()) is NOTHING_YET:
            if not await self.ready.wait(seconds):
                break
        return item

    async def has_more(self) -> bool:
        """Whether there is something to take."""
        await self._load()
        return bool(self._page or self._queue or self._lagged)

    async def take(self) -> LoggedEvent | FeedItem | None:
        """As `next`, without waiting."""
        await self._load()
        return self._pop()

    async def _load(self) -> None:
        """What is behind in the log comes first: the queue begins after it, and would hide the gap from the cursor."""
        while self._behind and not self._page and not self._ended:
            self._is_page_outdated = False
            page = await self._read(self.delivered)
            if self._is_page_outdated:
                continue
            # The last one first, as it is popped from the end.
            self._page = page[::-1]
            if not page:
                # What overflowed meanwhile is in the log as well: read on from there.
                self._behind, self._lagged = self._lagged, False

    def _pop(self) -> LoggedEvent | FeedItem | None:
        if self._has_delivered_end or (self._behind and not self._page):
            return None
        if self._page:
            return self._deliver(self._page.pop())
        while self._queue:
            event = self._queue.pop(0)
            if event.seq > self.delivered:
                return self._deliver(event)
        if self._lagged:
            self._lagged = False
            return {"lagged": True, "after": self.delivered}
        if self._ended or self.over:
            return None
        self.ready.clear()
        return NOTHING_YET

    def _read_again(self) -> None:
        """What waits here may hold the text that was redacted; the log does not any more."""
        self._is_page_outdated = True
        if self._page or self._queue:
            self._page.clear()
            self.catch_up()

    def _deliver(self, event: LoggedEvent) -> LoggedEvent:
        self.delivered = event.seq
        self._has_delivered_end = self._ends_with(event)
        self.over = self.over or self._has_delivered_end
        return event

    def _ends_with(self, event: LoggedEvent) -> bool:
        return event.kind in _ENDS and event.session_id == self.event_filter.session_id is not None


class Feed:
    """One task for each tenant with subscribers follows its log. Every `poll_seconds` it reads without a wake-up: a
    process may die between its commit and its notification."""

    def __init__(
        self, database: Database, wakeups: Wakeups, per_session: int, background: BackgroundTasks | None = None
    ) -> None:
        self._database = database
        self._background = background or BackgroundTasks()
        self._wakeups = wakeups
        self._per_session = per_session
        self.poll_seconds = _POLL_SECONDS
        self._listeners: defaultdict[str, set[Subscription]] = defaultdict(set)
        self._followers: dict[str, BackgroundTask] = {}
        self._positions: dict[str, int] = {}
        self._waking = GradualWaking()
        self.subscription_counts = SharedCounts()
        self.on_refusal: Callable[[str], None] | None = None

    @property
    def subscribers(self) -> int:
        return sum(len(listeners) for listeners in self._listeners.values())

    @asynccontextmanager
    async def subscribe(self, event_filter: EventFilter, after: int | None) -> AsyncIterator[Subscription]:
        """Events after `after`, or from now on. Raises CapacityLimitReached."""
        subscription = await self.open(event_filter, after, LightEvent())
        try:
            yield subscription
        finally:
            self.close_one(subscription)

    async def open(self, event_filter: EventFilter, after: int | None, ready: LightEvent) -> Subscription:
        """The same for who ends it with `close_one`. `ready` may be shared with something else that is waited for."""
        key = _count_key(event_filter)
        if event_filter.is_counted and self._per_session and self.subscription_counts.total(key) >= self._per_session:
            if self.on_refusal is not None:
                self.on_refusal("max_subscriptions")
            raise CapacityLimitReached(
                f"{self._per_session} subscriptions of yours are open here, which is the limit.",
                limit=self._per_session,
            )
        if event_filter.is_counted:
            self.subscription_counts.add(key)
        try:
            return await self._join(event_filter, after, ready)
        except BaseException:
            if event_filter.is_counted:
                self.subscription_counts.remove(key)
            raise

    def close_one(self, subscription: Subscription) -> None:
        event_filter = subscription.event_filter
        self._leave(event_filter.caller.tenant, subscription)
        if event_filter.is_counted:
            self.subscription_counts.remove(_count_key(event_filter))

    def end(self) -> None:
        """Ends every subscription; what it has collected is still delivered."""
        for listeners in self._listeners.values():
            for subscription in listeners:
                subscription.end()

    async def close(self) -> None:
        self.end()
        for follower in list(self._followers.values()):
            await follower.stop()

    async def _join(self, event_filter: EventFilter, after: int | None, ready: LightEvent) -> Subscription:
        """First a place among the listeners, then a look at the log: nothing falls in between."""
        tenant = event_filter.caller.tenant
        newest = await self._database.read(tenant, head)
        # What was delivered during that read lies before the start; otherwise it would be missing after it.
        newest = max(newest, self._positions.get(tenant, 0))
        subscription = Subscription(event_filter, partial(self._read, event_filter), after, newest, ready)
        self._listeners[tenant].add(subscription)
        if tenant not in self._followers:
            self._positions[tenant] = newest
            self._followers[tenant] = self._background.start(
                "event_feed", self._following(tenant, newest), about=tenant
            )
        return subscription

    async def _read(self, event_filter: EventFilter, after: int) -> list[LoggedEvent]:
        tenant = event_filter.caller.tenant
        return await self._database.read(tenant, lambda tx: event_filter.page_after(tx, after, _BATCH))

    def _leave(self, tenant: str, subscription: Subscription) -> None:
        listeners = self._listeners[tenant]
        listeners.discard(subscription)
        if not listeners:
            del self._listeners[tenant]
            self._positions.pop(tenant, None)
            follower = self._followers.pop(tenant, None)
            if follower is not None:
                follower.cancel()

    def _following(self, tenant: str, newest: int) -> Callable[[], Awaitable[None]]:
        begin: int | None = newest

        async def run() -> None:
            nonlocal begin
            position, begin = begin, None
            await self._follow(tenant, await self._resume(tenant) if position is None else position)

        return run

    async def _resume(self, tenant: str) -> int:
        """After a failure: each subscriber reads what was committed by now from the log, and is offered the rest."""
        newest = self._positions[tenant] = await self._database.read(tenant, head)
        for subscription in self._listeners.get(tenant, ()):
            subscription.catch_up()
        return newest

    async def _follow(self, tenant: str, position: int) -> None:
        with self._wakeups.for_anything(tenant) as wakeup:
            while True:
                try:
                    position = await self._deliver_new(tenant, position)
                except LongtableError as error:
                    logger.warning("feed_delayed", tenant=tenant, code=error.code)
                    await asyncio.sleep(_RETRY_SECONDS)
                    continue
                if not await wakeup.wait(self.poll_seconds) and self._wakeups.closed:
                    return

    async def _deliver_new(self, tenant: str, position: int) -> int:
        while True:
            events = await self._database.read(tenant, partial(_next, position))
            woken = dict.fromkeys(
                subscription.ready
                for event in events
                for subscription in self._listeners.get(tenant, ())
                if subscription.offer(event)
            )
            self._waking.wake(woken)
            if events:
                position = self._positions[tenant] = events[-1].seq
            if len(events) < _BATCH:
                return position


async def _next(position: int, tx: Transaction) -> list[LoggedEvent]:
    return await tail(tx, position, _BATCH)


def _count_key(event_filter: EventFilter) -> str:
    """By the credential, whatever agent name is sent with it; without one by the name."""
    caller = event_filter.caller
    return f"{caller.credential or f'{caller.tenant} {caller.agent}'} {event_filter.session_id}"
