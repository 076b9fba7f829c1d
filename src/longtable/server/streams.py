"""The stream that a client of the revisions with a handshake holds open beside its requests. It is made of the row of
the connection and of the log, so that it goes on in any process where the client says it was cut."""

import asyncio
import secrets
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.types import Send

from longtable.connections.model import Position, SavedSubscription
from longtable.connections.service import Connection, topic_of
from longtable.kernel.background import owned_task
from longtable.kernel.errors import LongtableError
from longtable.kernel.light_event import LightEvent
from longtable.kernel.logs import logger
from longtable.log.combined_filter import CombinedFilter
from longtable.log.feed import NOTHING_YET, Feed, FeedItem, Subscription
from longtable.log.kinds import KindFilter
from longtable.log.reader import EventFilter, LoggedEvent
from longtable.log.wakeups import Wakeup, Wakeups
from longtable.server.addresses import parse_address
from longtable.server.channels import STREAM_HEADERS, event
from longtable.server.notices import Notice, error_notice, event_notices, update_notices
from longtable.server.senders import MessageSender
from longtable.server.tool_lists import ToolLists

RETRY = 4_000
"""Milliseconds after which a client comes back. Clients try twice, so that a restart may take that long twice."""

HEARTBEAT = 15.0
CONFIRMED_AFTER = 60.0
"""Seconds after which what was sent counts as received on a stream that is still open: without it a client that never
says how far it got would hear everything again."""

_TRUSTED_SECONDS = 0.5
_PRIMED_SINCE = "2025-11-25"
"""Earlier clients take an event without data for a message that they cannot read."""

_UNTIL_CLOSED = ((b"connection", b"close"),)
"""Ends with the TCP connection instead of a last chunk: clients take the death of a process for a normal end then, and
come back as often as it happens."""

SenderOf = Callable[[Request, Connection], Awaitable[MessageSender]]


class ConnectionStreams:
    """`tool_lists` is there when the tools of other servers are, which come and go."""

    def __init__(self, feed: Feed, wakeups: Wakeups, sender_of: SenderOf, tool_lists: ToolLists | None = None) -> None:
        self._feed = feed
        self._wakeups = wakeups
        self._sender_of = sender_of
        self._tool_lists = tool_lists
        self.heartbeat = HEARTBEAT

    async def serve(self, request: Request, connection: Connection, send: Send) -> None:
        """Until the client hangs up, another stream of the connection is opened, or the connection ends."""
        sender, listener = await self._sender_of(request, connection), secrets.token_hex(8)
        await connection.listen(listener, Position.parse(request.headers.get("last-event-id")))
        stream = _ConnectionStream(connection, listener, sender, send)
        try:
            headers = [*STREAM_HEADERS, *_UNTIL_CLOSED, (b"mcp-session-id", connection.id.encode())]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await stream.prime()
            async with self._telling_tools(stream):
                await self._pump(stream)
        except LongtableError as error:
            # The status is out. The client comes back and goes on where it was.
            logger.info("stream_interrupted", code=error.code)
        finally:
            await self._close(stream)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _close(self, stream: "_ConnectionStream") -> None:
        with suppress(LongtableError):
            await stream.connection.close_stream(stream.listener)

    async def _pump(self, stream: "_ConnectionStream") -> None:
        row = stream.connection.row
        news = LightEvent()
        with self._wakeups.for_changes(*topic_of(row.tenant, row.connection_id), news) as changes:
            async with _reading(self._feed, stream, news) as reader:
                changes.set()
                while not self._wakeups.closed and await self._is_current(stream, reader, changes):
                    is_silent = not await news.wait(self.heartbeat)
                    news.clear()
                    if not await stream.is_trusted() or not await reader.pass_on():
                        return
                    if is_silent:
                        changes.set()
                        await stream.heartbeat()

    async def _is_current(self, stream: "_ConnectionStream", reader: "_LogReader", changes: Wakeup) -> bool:
        """Looks at the row of the connection when it may have changed. False when this stream is to end."""
        if not changes.is_set():
            return True
        changes.clear()
        if not await stream.is_current():
            return False
        if reader.is_outdated():
            await reader.begin_again()
        return True

    @asynccontextmanager
    async def _telling_tools(self, stream: "_ConnectionStream") -> AsyncIterator[None]:
        """Tells of changes to the list of tools, once the client has been shown it."""
        if self._tool_lists is None:
            yield
            return
        notifying = owned_task(self._tell_tools(self._tool_lists, stream))
        try:
            yield
        finally:
            notifying.cancel()
            await asyncio.gather(notifying, return_exceptions=True)

    async def _tell_tools(self, lists: ToolLists, stream: "_ConnectionStream") -> None:
        await stream.shown_tools.wait()
        while True:
            seen = stream.connection.state.tools_seen or ""
            stream.shown_tools.clear()
            async with lists.following(stream.sender, seen) as tell:
                notifying = owned_task(tell(stream, {}))
                shown = owned_task(stream.shown_tools.wait())
                try:
                    await asyncio.wait({notifying, shown}, return_when=asyncio.FIRST_COMPLETED)
                    if notifying.done():
                        return
                finally:
                    notifying.cancel()
                    shown.cancel()
                    await asyncio.gather(notifying, shown, return_exceptions=True)


@dataclass
class _ConnectionStream:
    """One open stream. Its connection is read again whenever it may have changed."""

    connection: Connection
    listener: str
    sender: MessageSender
    send: Send
    sent: deque[tuple[float, Position]] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self._seen_tools: str | None = None
        self.shown_tools = asyncio.Event()
        self._writing = asyncio.Lock()
        self._trusted_until = time.monotonic() + _TRUSTED_SECONDS
        self._note_tools()

    async def prime(self) -> None:
        """The delay before a client comes back, and where it goes on, in the form that its revision understands."""
        if self.connection.row.client.protocol_version < _PRIMED_SINCE:
            await self._write(b": open\r\n\r\n")
            return
        state = self.connection.state
        begin = Position(state.epoch, min((one.after for one in state.subscriptions), default=0))
        await self._write(f"id: {begin}\r\nretry: {RETRY}\r\ndata: \r\n\r\n".encode())

    async def is_current(self) -> bool:
        """Looks the connection up; pending notifications are sent. False when this stream is to end."""
        now = await self.connection.reload()
        if now is None or now.state.listener != self.listener:
            return False
        self.connection = now
        self._note_tools()
        pending = now.state.pending
        for notification in pending:
            await self.notify(Notice.model_validate(notification))
        if pending:
            await now.remove_notifications(pending)
        return True

    async def is_trusted(self) -> bool:
        """Whether the credential still counts. If not, the client is notified."""
        if self.sender.recheck is None or time.monotonic() < self._trusted_until:
            return True
        try:
            await self.sender.recheck()
        except LongtableError as error:
            logger.info("subscription_ended", code=error.code, agent=self.sender.caller.agent)
            await self.notify(error_notice(error))
            return False
        self._trusted_until = time.monotonic() + _TRUSTED_SECONDS
        return True

    async def notify(self, notice: Notice, position: Position | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": notice.method, "params": notice.params}
        await self._write(event(message, None if position is None else str(position), RETRY))

    async def passed(self, position: Position) -> None:
        """Everything up to there was sent. What was sent long ago is confirmed."""
        self.connection.note_use()
        now = time.monotonic()
        if not self.sent or now - self.sent[-1][0] > 1:
            self.sent.append((now, position))
        await self._confirm(now)

    async def heartbeat(self) -> None:
        await self._write(b": still here\r\n\r\n")
        self.connection.note_use()
        await self._confirm(time.monotonic())

    async def _confirm(self, now: float) -> None:
        received: Position | None = None
        while self.sent and now - self.sent[0][0] > CONFIRMED_AFTER:
            received = self.sent.popleft()[1]
        if received is not None:
            await self.connection.confirm(received)

    def _note_tools(self) -> None:
        if self.connection.state.tools_seen is not None:
            if self._seen_tools != self.connection.state.tools_seen:
                self.shown_tools.set()
            self._seen_tools = self.connection.state.tools_seen

    async def _write(self, frame: bytes) -> None:
        async with self._writing:
            await self.send({"type": "http.response.body", "body": frame, "more_body": True})


class _LogReader:
    """Reads the log for all subscriptions of a connection at once, each event a single time."""

    def __init__(self, feed: Feed, stream: _ConnectionStream, news: LightEvent) -> None:
        self._feed = feed
        self._stream = stream
        self._news = news
        self._subscriptions: tuple[SavedSubscription, ...] = ()
        self._epoch = 0
        self._reached: dict[str, int] = {}
        self._stack = AsyncExitStack()
        self._subscription: Subscription | None = None

    def is_outdated(self) -> bool:
        now = self._stream.connection.state
        return [one.name for one in now.subscriptions] != [one.name for one in self._subscriptions]

    async def begin_again(self) -> None:
        """With the subscriptions that there are now, each from where it was."""
        await self.close()
        state = self._stream.connection.state
        self._subscriptions, self._epoch = state.subscriptions, state.epoch
        self._reached = {one.name: max(one.after, self._reached.get(one.name, 0)) for one in self._subscriptions}
        if not self._subscriptions:
            return
        caller, tenant = self._stream.sender.caller, self._stream.connection.row.tenant
        members = [
            EventFilter(one.caller(tenant, caller.role), one.session_id, KindFilter(one.kinds))
            for one in self._subscriptions
        ]
        pairs = list(zip(self._subscriptions, members, strict=True))
        event_filter = CombinedFilter.of(caller, members, lambda logged: self._show(logged, pairs))
        self._subscription = await self._stack.enter_async_context(
            self._feed.subscribe(event_filter, min(self._reached.values()), self._news)
        )
        # It begins with what the log has.
        self._news.set()

    async def pass_on(self) -> bool:
        """One that has come. False when the feed has ended."""
        item = NOTHING_YET if self._subscription is None else await self._subscription.take()
        if self._subscription is None or item is None or item is NOTHING_YET:
            return item is not None
        # There may be more.
        self._news.set()
        delivery = self._subscription.shown(item)
        if "lagged" in delivery:
            await self._deliver_lag(delivery)
        else:
            await self._deliver(delivery)
        return True

    async def close(self) -> None:
        self._subscription = None
        await self._stack.aclose()

    def _show(self, logged: LoggedEvent, pairs: list[tuple[SavedSubscription, EventFilter]]) -> FeedItem:
        matching = [
            one.name
            for one, event_filter in pairs
            if logged.seq > self._reached[one.name] and event_filter.matches(logged)
        ]
        return {**logged.flat(), "matched_by": matching}

    async def _deliver(self, delivery: FeedItem) -> None:
        matched_by = set(delivery.pop("matched_by"))
        position = Position(self._epoch, delivery["seq"])
        notices = [
            notice for one in self._subscriptions if one.name in matched_by for notice in _notices(one, delivery)
        ]
        for number, notice in enumerate(notices, 1):
            # The position goes with the last: a client that is cut off before it hears the others again.
            await self._stream.notify(notice, position if number == len(notices) else None)
        for name, reached in self._reached.items():
            self._reached[name] = max(reached, position.seq)
        await self._stream.passed(position)

    async def _deliver_lag(self, delivery: FeedItem) -> None:
        for one in self._subscriptions:
            for notice in _notices(one, delivery):
                await self._stream.notify(notice)


@asynccontextmanager
async def _reading(feed: Feed, stream: _ConnectionStream, news: LightEvent) -> AsyncIterator[_LogReader]:
    reader = _LogReader(feed, stream, news)
    try:
        yield reader
    finally:
        await reader.close()


def _notices(one: SavedSubscription, delivery: FeedItem) -> list[Notice]:
    if one.uri is None:
        return list(event_notices(delivery))
    return list(update_notices([parse_address(one.uri)], {})(delivery))
