"""Follows an event stream across lost connections: each event once, none left out."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import httpx2

from longtable_client.connection import ClientConnection
from longtable_client.errors import ConnectionLost
from longtable_client.events import ListenOptions, StreamPosition, TableEvent
from longtable_client.link import TROUBLE
from longtable_client.messages import body_of

_LARGEST_EVENT = 4 * 1_048_576
# Three heartbeats: a connection that is silent for longer is dead.
_TIMEOUT = httpx2.Timeout(10.0, read=45.0)


class Listener:
    def __init__(self, connection: ClientConnection, options: ListenOptions) -> None:
        self._connection = connection
        self._options = options
        self._position = StreamPosition(options)
        self._failures = 0

    async def events(self) -> AsyncGenerator[TableEvent, None]:
        """Ends with the session. Raises what the server refuses, and ConnectionLost when it cannot be reached."""
        while not self._position.over:
            problem: Exception | None = None
            try:
                async with aclosing(self._stream()) as stream:
                    async for event in stream:
                        yield event
            except TROUBLE as error:
                problem = error
            if not self._position.over:
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
        position = self._position
        async with self._connection.http.stream(
            "GET", self._options.path, params=position.query(), headers=position.headers(), timeout=_TIMEOUT
        ) as response:
            if response.status_code == httpx2.codes.NO_CONTENT:
                position.over = True
                return
            if response.is_error:
                await response.aread()
                body_of(response)
            async for frame in httpx2.EventSource(response, max_event_size=_LARGEST_EVENT):
                self._failures = 0
                event = position.take(frame)
                if event is not None:
                    yield event
                if position.interrupted:
                    return
