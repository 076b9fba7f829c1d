"""The stream that a client of the revisions with a handshake holds open beside its requests. It is made of the row of
the connection and of the log, so that it goes on in any process where the client says it was cut."""

import secrets
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import lru_cache

from pydantic_core import to_json
from starlette.requests import Request
from starlette.types import Send

from longtable.connections.model import Position, SavedSubscription
from longtable.connections.service import Connection, topic_of
from longtable.kernel.errors import LongtableError
from longtable.kernel.light_event import LightEvent
from longtable.kernel.logs import logger
from longtable.log.combined_filter import CombinedFilter
from longtable.log.feed import NOTHING_YET, Feed, FeedItem, Subscription
from longtable.log.kinds import KindFilter
from longtable.log.reader import EventFilter, LoggedEvent
from longtable.log.wakeups import Wakeup, Wakeups
from longtable.server.addresses import parse_address
from longtable.server.channels import STREAM_HEADERS, encoded_event
from longtable.server.notifications import Notification, error_notification, event_notifications, update_notifications
from longtable.server.senders import MessageSender
from longtable.server.upstream_notifications import NotificationSources, UpstreamNotifications
from longtable.server.upstream_subscriptions import is_of_upstream

RETRY = 4_000
"""Milliseconds after which a client comes back. Clients try twice, so that a restart may take that long twice."""

HEARTBEAT = 15.0
LOOKED_AT_EVERY = 50.0
"""Seconds. Changes of a connection are announced; but who made one may have died before that."""
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
    """`sources` has what clients are notified of that is not in the log."""

    def __init__(
        self, feed: Feed, wakeups: Wakeups, sender_of: SenderOf, sources: NotificationSources | None = None
    ) -> None:
        self._feed = feed
        self._wakeups = wakeups
        self._sender_of = sender_of
        self._sources = sources or NotificationSources()
        self.heartbeat = HEARTBEAT

    async def serve(self, request: Request, connection: Connection, send: Send) -> None:
        """Until the client hangs up, another stream of the connection is opened, or the connection ends."""
        sender, listener = await self._sender_of(request, connection), secrets.token_hex(8)
        await connection.listen(listener, Position.parse(request.headers.get("last-event-id")))
        stream = _ConnectionStream(connection, listener, sender, send)
        try:
            await stream.prime()
            async with UpstreamNotifications(self._sources, stream) as upstreams:
                await self._pump(stream, upstreams)
        except LongtableError as error:
            # The status is out. The client comes back and goes on where it was.
            logger.info("stream_interrupted", code=error.code)
        finally:
            await self._close(stream)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _close(self, stream: "_ConnectionStream") -> None:
        with suppress(LongtableError):
            await stream.connection.close_stream(stream.listener)

    async def _pump(self, stream: "_ConnectionStream", upstreams: UpstreamNotifications) -> None:
        # Not the row itself, which is another one soon: a thousand streams would keep two each.
        topic = topic_of(stream.connection.row.tenant, stream.connection.row.connection_id)
        wake = LightEvent()
        reader = _LogReader(self._feed, stream, wake)
        try:
            with self._wakeups.for_changes(*topic, wake) as changes:
                changes.set()
                while not self._wakeups.closed and await self._is_current(stream, reader, changes):
                    await upstreams.connection_changed()
                    is_silent = not await wake.wait(self.heartbeat)
                    wake.clear()
                    if not await stream.is_trusted() or not await reader.pass_on():
                        return
                    if is_silent and await stream.heartbeat():
                        changes.set()
        finally:
            reader.close()

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


class _ConnectionStream:
    """One open stream. Its connection is read again whenever it may have changed."""

    __slots__ = ("_looked_at", "_send", "_sent", "_trusted_until", "connection", "listener", "sender")

    def __init__(self, connection: Connection, listener: str, sender: MessageSender, send: Send) -> None:
        self.connection = connection
        self.listener = listener
        self.sender = sender
        self._send = send
        self._sent: list[tuple[float, Position]] = []
        self._looked_at = time.monotonic()
        self._trusted_until = time.monotonic() + _TRUSTED_SECONDS

    async def prime(self) -> None:
        """The head of the response, the delay before a client comes back, and where it goes on, in the form that its
        revision understands."""
        headers = [*STREAM_HEADERS, *_UNTIL_CLOSED, (b"mcp-session-id", self.connection.id.encode())]
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})
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
        self._looked_at = time.monotonic()
        # In its place: the request holds it as well, and a row of its own would take a kilobyte.
        self.connection.row = now.row
        pending = now.state.pending
        for notification in pending:
            await self.notify(Notification.model_validate(notification))
        if pending:
            await self.connection.remove_notifications(pending)
        return True

    async def is_trusted(self) -> bool:
        """Whether the credential still counts. If not, the client is notified."""
        if self.sender.recheck is None or time.monotonic() < self._trusted_until:
            return True
        try:
            await self.sender.recheck()
        except LongtableError as error:
            logger.info("subscription_ended", code=error.code, agent=self.sender.caller.agent)
            await self.notify(error_notification(error))
            return False
        self._trusted_until = time.monotonic() + _TRUSTED_SECONDS
        return True

    async def notify(self, notification: Notification) -> None:
        await self.pass_on(_encoded(notification))

    async def pass_on(self, message: bytes, position: Position | None = None) -> None:
        await self._write(encoded_event(message, None if position is None else str(position), RETRY))

    async def passed(self, position: Position) -> None:
        """Everything up to there was sent. What was sent long ago is confirmed."""
        self.connection.note_use()
        now = time.monotonic()
        if not self._sent or now - self._sent[-1][0] > 1:
            self._sent.append((now, position))
        await self._confirm(now)

    async def heartbeat(self) -> bool:
        """Whether the row of the connection is to be looked at again, though no change was reported."""
        await self._write(b": still here\r\n\r\n")
        self.connection.note_use()
        now = time.monotonic()
        await self._confirm(now)
        return now - self._looked_at > LOOKED_AT_EVERY

    async def _confirm(self, now: float) -> None:
        received: Position | None = None
        while self._sent and now - self._sent[0][0] > CONFIRMED_AFTER:
            received = self._sent.pop(0)[1]
        if received is not None:
            await self.connection.confirm(received)

    async def _write(self, frame: bytes) -> None:
        await self._send({"type": "http.response.body", "body": frame, "more_body": True})


class _LogReader:
    """Reads the log for all subscriptions of a connection at once, each event a single time."""

    __slots__ = ("_epoch", "_feed", "_members", "_reached", "_stream", "_subscription", "_wake")

    def __init__(self, feed: Feed, stream: _ConnectionStream, wake: LightEvent) -> None:
        self._feed = feed
        self._stream = stream
        self._wake = wake
        self._members: list[tuple[SavedSubscription, EventFilter]] = []
        self._epoch = 0
        self._reached: dict[str, int] = {}
        self._subscription: Subscription | None = None

    def is_outdated(self) -> bool:
        return [one.name for one in self._saved()] != [one.name for one, _ in self._members]

    def _saved(self) -> list[SavedSubscription]:
        """The saved subscriptions to events of the log."""
        return [one for one in self._stream.connection.state.subscriptions if not is_of_upstream(one.uri)]

    async def begin_again(self) -> None:
        """With the subscriptions that there are now, each from where it was."""
        self.close()
        saved, self._members = self._saved(), []
        self._epoch = self._stream.connection.state.epoch
        self._reached = {one.name: max(one.after, self._reached.get(one.name, 0)) for one in saved}
        if not saved:
            return
        caller, tenant = self._stream.sender.caller, self._stream.connection.row.tenant
        self._members = [
            (one, EventFilter(one.caller(tenant, caller.role), one.session_id, KindFilter(one.kinds))) for one in saved
        ]
        combined = CombinedFilter.of(caller, [event_filter for _, event_filter in self._members])
        self._subscription = await self._feed.open(combined, min(self._reached.values()), self._wake)
        # It begins with what the log has.
        self._wake.set()

    async def pass_on(self) -> bool:
        """Sends an event that has arrived. False when the feed has ended."""
        item = NOTHING_YET if self._subscription is None else await self._subscription.take()
        if item is None or item is NOTHING_YET:
            return item is not None
        # There may be more.
        self._wake.set()
        if isinstance(item, LoggedEvent):
            await self._deliver(item)
        else:
            await self._deliver_lag(item)
        return True

    def close(self) -> None:
        if self._subscription is not None:
            self._feed.close_one(self._subscription)
            self._subscription = None

    async def _deliver(self, event: LoggedEvent) -> None:
        position = Position(self._epoch, event.seq)
        messages = [
            message
            for one, event_filter in self._members
            if event.seq > self._reached[one.name] and event_filter.matches(event)
            for message in _event_messages(event, one.uri)
        ]
        for number, message in enumerate(messages, 1):
            # The position goes with the last: a client that is cut off before it hears the others again.
            await self._stream.pass_on(message, position if number == len(messages) else None)
        for name, reached in self._reached.items():
            self._reached[name] = max(reached, event.seq)
        await self._stream.passed(position)

    async def _deliver_lag(self, item: FeedItem) -> None:
        for one, _ in self._members:
            for notification in _notifications(one.uri, item):
                await self._stream.notify(notification)


@lru_cache(maxsize=256)
def _event_messages(event: LoggedEvent, uri: str | None) -> list[bytes]:
    """Cached: all streams send an event in the same form, at about the same time."""
    return [_encoded(notification) for notification in _notifications(uri, event.flat())]


def _notifications(uri: str | None, item: FeedItem) -> list[Notification]:
    if uri is None:
        return list(event_notifications(item))
    return list(update_notifications([parse_address(uri)], {})(item))


def _encoded(notification: Notification) -> bytes:
    return to_json({"jsonrpc": "2.0", "method": notification.method, "params": notification.params})
