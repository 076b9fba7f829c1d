"""Pushes a tenant's events to its subscribers: an event is read from the log once, and a slow reader delays no
other."""

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from longtable.kernel.background import BackgroundTask, BackgroundTasks
from longtable.kernel.call_limits import SharedCounts
from longtable.kernel.errors import CapacityLimitReached, LongtableError
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


class Subscription:
    """Iterate over it to get the events, oldest first, each once. It ends with its session or the program.

    It begins behind, reading the log at the pace of its reader, and goes live when it has caught up. Only a live
    reader that falls 256 events behind gets a `lagged` item."""

    def __init__(self, event_filter: EventFilter, read: ReadAfter, after: int | None, newest: int) -> None:
        self.event_filter = event_filter
        self.delivered = newest if after is None else after
        self._read = read
        self._behind = after is not None
        self._queue: deque[LoggedEvent] = deque()
        self._lagged = False
        self._ended = False
        self.over = False
        self._ready = asyncio.Event()

    def offer(self, event: LoggedEvent) -> None:
        """Called by the feed; never waits."""
        if self._ends_with(event):
            self.end_after_log()
        if event.kind == _REDACTED:
            self._read_again()
        if self._lagged or not self.event_filter.matches(event):
            return
        if len(self._queue) >= QUEUED:
            self._queue.clear()
            self._lagged = True
        else:
            self._queue.append(event)
        self._ready.set()

    def end(self) -> None:
        self._ended = True
        self._ready.set()

    def catch_up(self) -> None:
        """Called by the feed after a failure: something may not have been offered, so the log is read again."""
        self._queue.clear()
        self._behind, self._lagged = True, self._behind
        self._ready.set()

    def end_after_log(self) -> None:
        """The session is over: nothing follows besides what the log holds."""
        self.over = True
        self._ready.set()

    def __aiter__(self) -> AsyncIterator[FeedItem]:
        return self._deliveries()

    async def _deliveries(self) -> AsyncIterator[FeedItem]:
        while not self._is_done():
            if not self._behind:
                await self._ready.wait()
            async for event in self._from_log() if self._behind else self._from_queue():
                yield self._deliver(event)
                if self._ends_with(event):
                    return
            if self._lagged and not self._behind:
                self._lagged = False
                yield {"lagged": True, "after": self.delivered}

    def _is_done(self) -> bool:
        if self._behind:
            # The queue begins after what was not read yet: delivered now, it would hide that gap from the cursor.
            return self._ended
        return (self._ended or self.over) and not (self._lagged or self._queue)

    def _read_again(self) -> None:
        """What is queued may hold the text that was redacted; the log does not any more."""
        if self._queue:
            self.catch_up()

    async def _from_log(self) -> AsyncIterator[LoggedEvent]:
        while self._behind and not self._ended:
            page = await self._read(self.delivered)
            for event in page:
                yield event
            if not page:
                # What overflowed meanwhile is in the log as well: read on from there.
                self._behind, self._lagged = self._lagged, False

    async def _from_queue(self) -> AsyncIterator[LoggedEvent]:
        while self._queue:
            event = self._queue.popleft()
            if event.seq > self.delivered:
                yield event
        if not (self._lagged or self._ended or self.over):
            self._ready.clear()

    def _deliver(self, event: LoggedEvent) -> FeedItem:
        self.delivered = event.seq
        self.over = self.over or self._ends_with(event)
        return self.event_filter.show(event)

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
        self.subscription_counts = SharedCounts()
        self.on_refusal: Callable[[str], None] | None = None

    @property
    def subscribers(self) -> int:
        return sum(len(listeners) for listeners in self._listeners.values())

    @asynccontextmanager
    async def subscribe(self, event_filter: EventFilter, after: int | None) -> AsyncIterator[Subscription]:
        """Events after `after`, or from now on. Raises CapacityLimitReached."""
        caller = event_filter.caller
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
            subscription = await self._join(event_filter, after)
            try:
                yield subscription
            finally:
                self._leave(caller.tenant, subscription)
        finally:
            if event_filter.is_counted:
                self.subscription_counts.remove(key)

    def end(self) -> None:
        """Ends every subscription; what it has collected is still delivered."""
        for listeners in self._listeners.values():
            for subscription in listeners:
                subscription.end()

    async def close(self) -> None:
        self.end()
        for follower in list(self._followers.values()):
            await follower.stop()

    async def _join(self, event_filter: EventFilter, after: int | None) -> Subscription:
        """First a place among the listeners, then a look at the log: nothing falls in between."""
        tenant = event_filter.caller.tenant
        newest = await self._database.read(tenant, head)

        async def read(after: int) -> list[LoggedEvent]:
            return await self._database.read(tenant, lambda tx: event_filter.page_after(tx, after, _BATCH))

        # What was delivered during that read lies before the start; otherwise it would be missing after it.
        newest = max(newest, self._positions.get(tenant, 0))
        subscription = Subscription(event_filter, read, after, newest)
        self._listeners[tenant].add(subscription)
        if tenant not in self._followers:
            self._positions[tenant] = newest
            self._followers[tenant] = self._background.start(
                "event_feed", self._following(tenant, newest), about=tenant
            )
        return subscription

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
            for event in events:
                for subscription in self._listeners.get(tenant, ()):
                    subscription.offer(event)
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
