"""Wake-ups between replicas: LISTEN on a connection of its own, and a NOTIFY for many commits at once."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Final

import asyncpg

from longtable.kernel.background import BackgroundTask, BackgroundTasks
from longtable.kernel.logs import logger
from longtable.storage.postgres_transaction import DRIVER_ERRORS

_QUIET_SECONDS: Final = 0.01
_LONGEST_PAYLOAD: Final = 7_900
_CLOSING_SECONDS: Final = 1.0
_POLL_SECONDS: Final = 1.0
_RETRY_SECONDS: Final = (0.1, 0.5, 1.0, 5.0)

Connect = Callable[[], Awaitable["asyncpg.Connection[asyncpg.Record]"]]


class PostgresNotifications:
    """A notification may be lost with its connection, so listeners also poll. Without a way to connect to the server
    itself nothing is notified, and all wake up every second."""

    def __init__(self, connect: Connect | None, channel: str, background: BackgroundTasks) -> None:
        self._background = background
        self._connect = connect
        self._channel = channel
        self._connection: asyncpg.Connection[asyncpg.Record] | None = None
        self._listener: BackgroundTask | None = None
        self._sender: BackgroundTask | None = None
        self._pending: dict[str, None] = {}
        self._lost = asyncio.Event()

    @property
    def is_listening(self) -> bool:
        return self._listener is not None and self._connection is not None and not self._lost.is_set()

    async def listen(self, on_wakeup: Callable[[str], None]) -> None:
        if self._connect is None:
            logger.warning("postgres_polled", hint="Set postgres_direct: a pooler in transaction mode cannot listen.")
            self._listener = self._background.start("store_poller", partial(_poll, on_wakeup))
            return
        self._lost = await self._subscribe(on_wakeup)
        self._listener = self._background.start("store_listener", partial(self._stay_subscribed, on_wakeup))

    def wake(self, payload: str) -> None:
        if self._connect is None:
            return
        self._pending[payload] = None
        if self._sender is None or self._sender.done():
            self._sender = self._background.start("store_notifier", self._send)

    async def close(self) -> None:
        if self._sender is not None:
            await self._sender.wait(_CLOSING_SECONDS)
        for task in (self._listener, self._sender):
            if task is not None:
                await task.stop()
        await self._replace_connection(None)

    async def _subscribe(self, on_wakeup: Callable[[str], None]) -> asyncio.Event:
        assert self._connect is not None
        connection = await self._connect()
        own_pid = connection.get_server_pid()
        lost = asyncio.Event()

        def on_notify(_: object, pid: int, __: str, payload: object) -> None:
            if pid != own_pid:
                for part in str(payload).split("\n"):
                    on_wakeup(part)

        connection.add_termination_listener(lambda _: lost.set())
        await connection.add_listener(self._channel, on_notify)
        await self._replace_connection(connection)
        return lost

    async def _stay_subscribed(self, on_wakeup: Callable[[str], None]) -> None:
        while True:
            await self._lost.wait()
            self._lost = await self._resubscribe(on_wakeup)
            # Notifications in between were missed.
            on_wakeup("")

    async def _resubscribe(self, on_wakeup: Callable[[str], None]) -> asyncio.Event:
        attempt = 0
        while True:
            try:
                return await self._subscribe(on_wakeup)
            except DRIVER_ERRORS:
                await asyncio.sleep(_RETRY_SECONDS[min(attempt, len(_RETRY_SECONDS) - 1)])
                attempt += 1

    async def _send(self) -> None:
        while self._pending:
            sent, self._pending = self._pending, {}
            payload = "\n".join(sent)
            if len(payload.encode()) > _LONGEST_PAYLOAD:
                payload = ""
            try:
                await self._notify(payload)
            except DRIVER_ERRORS:
                # Lost with the connection: listeners read everything again when they reconnect.
                pass
            except Exception:
                self._pending = {**sent, **self._pending}
                raise
            await asyncio.sleep(_QUIET_SECONDS)

    async def _notify(self, payload: str) -> None:
        if self._connect is not None and (self._connection is None or self._connection.is_closed()):
            await self._replace_connection(await self._connect())
        if self._connection is not None:
            await self._connection.execute("SELECT pg_notify($1, $2)", self._channel, payload)

    async def _replace_connection(self, connection: "asyncpg.Connection[asyncpg.Record] | None") -> None:
        former, self._connection = self._connection, connection
        if former is not None:
            with suppress(*DRIVER_ERRORS):
                await former.close(timeout=_CLOSING_SECONDS)


async def _poll(on_wakeup: Callable[[str], None]) -> None:
    while True:
        await asyncio.sleep(_POLL_SECONDS)
        on_wakeup("")
