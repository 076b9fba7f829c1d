"""Follows an event stream across lost connections: each event once, none left out."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import httpx2

from longtable.client.connection import ClientConnection, ConnectionLost
from longtable.client.failures import check_envelope
from longtable.kernel.errors import ShuttingDown, StoreUnavailable

_SESSION_ENDS = ("session/closed", "session/expired")
_LARGEST_EVENT = 4 * 1_048_576
# Three heartbeats: a connection that is silent for longer is dead.
_TIMEOUT = httpx2.Timeout(10.0, read=45.0)
_COMMON = ("seq", "kind", "session_id", "actor", "timestamp")

OnLost = Callable[[ConnectionLost], None]


@dataclass(frozen=True, slots=True)
class TableEvent:
    """`payload` holds the fields of this kind. `seq` is the cursor to continue from."""

    seq: int
    kind: str
    session_id: str | None
    actor: str
    timestamp: str
    payload: dict[str, Any]

    @classmethod
    def of(cls, flat: dict[str, Any]) -> "TableEvent":
        payload = {name: value for name, value in flat.items() if name not in _COMMON}
        return cls(**{name: flat[name] for name in _COMMON}, payload=payload)

    def flat(self) -> dict[str, Any]:
        return {**{name: getattr(self, name) for name in _COMMON}, **self.payload}


@dataclass(frozen=True, slots=True)
class ListenOptions:
    """`after` None: from now on. `on_lost` is called for each connection that broke, before the next one."""

    path: str
    after: int | None = None
    kinds: Sequence[str] | None = None
    on_lost: OnLost | None = None


class Listener:
    def __init__(self, connection: ClientConnection, options: ListenOptions) -> None:
        self._connection = connection
        self._options = options
        self._cursor = options.after
        self._failures = 0
        self._over = False

    async def events(self) -> AsyncGenerator[TableEvent, None]:
        """Ends with the session. Raises what the server refuses, and ConnectionLost when it cannot be reached."""
        while not self._over:
            problem: Exception | None = None
            try:
                async with aclosing(self._stream()) as stream:
                    async for event in stream:
                        yield event
            except (httpx2.TransportError, ShuttingDown, StoreUnavailable) as error:
                problem = error
            if not self._over:
                await self._reconnect(problem)

    async def _reconnect(self, problem: Exception | None) -> None:
        """A stream that the server itself ended, or on which it left out what came too fast, is no failure: the next
        one begins at our cursor, with what is in the log."""
        self._failures += 1
        link = self._connection.link
        if problem is not None:
            lost = ConnectionLost(problem)
            if self._failures > link.reconnects:
                raise lost from problem
            if self._options.on_lost is not None:
                self._options.on_lost(lost)
        await asyncio.sleep(link.wait_after(self._failures))

    async def _stream(self) -> AsyncGenerator[TableEvent, None]:
        query = {"kinds": ",".join(self._options.kinds)} if self._options.kinds else {}
        headers = {} if self._cursor is None else {"Last-Event-ID": str(self._cursor)}
        async with self._connection.http.stream(
            "GET", self._options.path, params=query, headers=headers, timeout=_TIMEOUT
        ) as response:
            if response.status_code == httpx2.codes.NO_CONTENT:
                self._over = True
                return
            if response.is_error:
                await _refused(response)
            async for frame in httpx2.EventSource(response, max_event_size=_LARGEST_EVENT):
                self._failures = 0
                if frame.event in ("lagged", "end"):
                    self._over = json.loads(frame.data).get("reason") == "session_over"
                    return
                event = self._event_of(frame)
                if event is not None:
                    yield event

    def _event_of(self, frame: httpx2.ServerSentEvent) -> TableEvent | None:
        """The event in it, unless it carries only the cursor or was seen before."""
        if not frame.data:
            self._cursor = int(frame.id) if self._cursor is None and frame.id else self._cursor
            return None
        event = TableEvent.of(json.loads(frame.data))
        if self._cursor is not None and event.seq <= self._cursor:
            return None
        self._cursor = event.seq
        self._over = event.kind in _SESSION_ENDS and self._options.path != TENANT_EVENTS
        return event


TENANT_EVENTS = "/events"


async def _refused(response: httpx2.Response) -> None:
    await response.aread()
    try:
        body = response.json()
    except ValueError:
        raise httpx2.RemoteProtocolError(f"something on the way answered with {response.status_code}") from None
    check_envelope(body)
