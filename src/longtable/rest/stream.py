"""Events as Server-Sent Events: of a session, or of the whole tenant. Resumable, bounded, ended in an orderly way."""

import json
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from longtable.app import App
from longtable.identity.model import OVERSEERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.errors import (
    Forbidden,
    InvalidArgument,
    LongtableError,
    SessionMismatch,
    Unauthorized,
)
from longtable.kernel.in_flight import InFlight
from longtable.log.feed import FeedItem, Subscription
from longtable.log.kinds import KindFilter
from longtable.log.reader import EventFilter, LoggedEvent
from longtable.rest.ports import Admitted, bind_to_session
from longtable.rest.replies import refusal

SESSION_EVENTS = "/sessions/{session_id}/events"
TENANT_EVENTS = "/events"
HEARTBEAT = 15.0
CLOSING_SECONDS = 1.0
_TRUSTED_SECONDS = 0.5
"""With the half second that a verified token is cached, a revoked one gets no event after a second."""

_MAX_SEQ = 2**62
_PARAMETERS = ("kinds", "after")
_PATHS = re.compile(r"/events|/sessions/([^/]+)/events")
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    # Proxies would otherwise hold events back until a buffer is full.
    (b"x-accel-buffering", b"no"),
]


@dataclass(frozen=True, slots=True)
class StreamAccess:
    """The admission of a request, and later whether its credential is still valid: `recognise` raises Unauthorized when
    it is not."""

    admission: Callable[[Request], Admitted]
    recognise: Callable[[Request], Awaitable[None]]


def is_event_stream(path: str) -> bool:
    return _PATHS.fullmatch(path) is not None


@asynccontextmanager
async def listening(app: App, event_filter: EventFilter, after: int | None) -> AsyncIterator[Subscription]:
    """A subscription. Where the session is over already, it delivers the rest of the log and ends."""
    async with app.feed.subscribe(event_filter, after) as subscription:
        # Checked when the subscription exists already: an end in between is among its events.
        if event_filter.session_id is not None and await app.sessions.is_over(event_filter.caller):
            subscription.end_after_log()
        yield subscription


class EventStreams:
    """The two routes. After `heartbeat` seconds of silence a comment is sent."""

    heartbeat = HEARTBEAT

    def __init__(self, app: App, access: StreamAccess) -> None:
        self._app = app
        self._access = access
        self._open: set[Subscription] = set()
        self._in_flight = InFlight()

    def routes(self) -> list[Route]:
        async def answer(request: Request) -> "_Answer":
            return _Answer(self, request)

        return [Route(path, answer, methods=["GET"]) for path in (SESSION_EVENTS, TENANT_EVENTS)]

    def answer(self, scope: Scope) -> "_Answer | None":
        """For a request that opens a stream, without the router: its frames would be a quarter of what an open stream
        takes up in memory. None for any other request."""
        matched = _PATHS.fullmatch(scope["path"]) if scope["method"] == "GET" else None
        if matched is None:
            return None
        scope["path_params"] = {"session_id": matched[1]} if matched[1] else {}
        return _Answer(self, Request(scope))

    async def close(self) -> None:
        """Sends every listener the cursor to resume from, within a second."""
        for subscription in self._open:
            subscription.end()
        await self._in_flight.drain(CLOSING_SECONDS)

    @asynccontextmanager
    async def opened(self, request: Request) -> AsyncIterator["_EventStream"]:
        """Checks everything before the first byte. Raises LongtableError."""
        session_id = request.path_params.get("session_id")
        call = Call(self._access.admission(request).caller, "stream_events", "events_streamed")
        try:
            call = replace(call, caller=await self._in_session(call.caller, session_id))
            kinds, after = _stream_options(request)
            with self._in_flight:
                async with listening(self._app, EventFilter(call.caller, session_id, kinds), after) as subscription:
                    self._app.ledger.observe(call, "SUCCESS")
                    self._add(subscription)
                    try:
                        yield _EventStream(subscription, self.heartbeat, partial(self._access.recognise, request))
                    finally:
                        self._open.discard(subscription)
        except LongtableError as error:
            self._app.ledger.observe(call, error.code)
            raise

    def _add(self, subscription: Subscription) -> None:
        self._open.add(subscription)
        # Ended like the others, with a retry time: browsers do not reconnect after an error.
        if self._in_flight.draining:
            subscription.end()

    async def _in_session(self, caller: Caller, session_id: str | None) -> Caller:
        if session_id is None:
            return _check_tenant_wide(caller)
        bound = bind_to_session(caller, session_id)
        await self._app.session_resolver.check(bound, session_id, to_change=False)
        return bound


class _Answer(Response):
    """Answers one request: a refusal with its status, or the stream."""

    def __init__(self, streams: EventStreams, request: Request) -> None:
        super().__init__()
        self._streams = streams
        self._request = request

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with self._streams.opened(self._request) as stream:
                if await stream.has_nothing_left():
                    # Browsers reconnect after every end, until they get 204.
                    await Response(None, 204)(scope, receive, send)
                    return
                await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
                if self._request.method != "HEAD":
                    await stream.send_to(send)
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except LongtableError as error:
            await refusal(error)(scope, receive, send)


class _EventStream:
    """One listener. `cursor` is the last event that was sent. It is cancelled when its client disconnects, which frees
    its place for the client's next attempt."""

    __slots__ = ("_heartbeat", "_recognise", "_recognised_at", "_subscription", "cursor")

    def __init__(self, subscription: Subscription, heartbeat: float, recognise: Callable[[], Awaitable[None]]) -> None:
        self.cursor = subscription.delivered
        self._subscription = subscription
        self._heartbeat = heartbeat
        self._recognise = recognise
        self._recognised_at = time.monotonic()

    async def has_nothing_left(self) -> bool:
        return self._subscription.over and not await self._subscription.has_more()

    async def send_to(self, send: Send) -> None:
        """Never raises a LongtableError: the status is sent by then, so the last frame says where to resume."""
        # An id without data sets the cursor: a listener cut off before the first event misses nothing either.
        await _send_frame(send, f"retry: 1000\nid: {self.cursor}\n\n".encode())
        try:
            while (item := await self._next_or_heartbeat()) is not None:
                await _send_frame(send, self._frame(item))
            reason = "session_over" if self._subscription.over else "stopping"
        except Unauthorized:
            reason = "unauthorized"
        except LongtableError:
            reason = "interrupted"
        await _send_frame(send, _framed("end", {"after": self.cursor, "reason": reason}))

    async def _next_or_heartbeat(self) -> LoggedEvent | FeedItem | None:
        """The next one, or NOTHING_YET after a time of silence; None at the end. Raises Unauthorized."""
        item = await self._subscription.next(self._heartbeat)
        if time.monotonic() - self._recognised_at > _TRUSTED_SECONDS:
            await self._recognise()
            self._recognised_at = time.monotonic()
        return item

    def _frame(self, item: LoggedEvent | FeedItem) -> bytes:
        if isinstance(item, LoggedEvent):
            self.cursor = item.seq
            return _event_frame(item)
        return _framed("lagged", item) if item else b": still here\n\n"


@lru_cache(maxsize=64)
def _event_frame(event: LoggedEvent) -> bytes:
    """All listeners to an event get the same bytes, at about the same time."""
    return f"id: {event.seq}\n".encode() + _framed(event.kind, event.flat())


def _framed(name: str, data: dict[str, Any]) -> bytes:
    # In ASCII, so that no character of an agent's text passes for the end of a line.
    return f"event: {name}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n".encode()


async def _send_frame(send: Send, frame: bytes) -> None:
    await send({"type": "http.response.body", "body": frame, "more_body": True})


def _check_tenant_wide(caller: Caller) -> Caller:
    if caller.role not in OVERSEERS:
        raise Forbidden(f"The role {caller.role} may not hear the whole tenant.", allowed=sorted(OVERSEERS))
    if caller.bound:
        raise SessionMismatch("This caller is bound to one session.", hint="Its events are under /sessions.")
    return caller


def _stream_options(request: Request) -> tuple[KindFilter, int | None]:
    """The filter and the cursor; the header that a browser sends on reconnect wins over the query."""
    for name in request.query_params:
        if name not in _PARAMETERS:
            raise InvalidArgument.at(name, f"is not a parameter here; allowed: {', '.join(_PARAMETERS)}")
    named = [kind.strip() for values in request.query_params.getlist("kinds") for kind in values.split(",")]
    kinds = KindFilter.parse("kinds", [kind for kind in named if kind])
    after = _number("after", request.query_params.getlist("after"))
    resumed = _number("Last-Event-ID", request.headers.getlist("last-event-id"))
    return kinds, after if resumed is None else resumed


def _number(name: str, values: list[str]) -> int | None:
    if not values:
        return None
    fits = len(values) == 1 and re.fullmatch(r"[0-9]{1,19}", values[0]) and int(values[0]) <= _MAX_SEQ
    if not fits:
        raise InvalidArgument.at(name, "must be the number of an event, given once")
    return int(values[0])
