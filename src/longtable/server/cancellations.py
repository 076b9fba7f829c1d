"""Requests under way that their clients may give up, by a notification that can reach any process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from longtable.connections.service import Connection, topic_of
from longtable.kernel.background import owned_task
from longtable.kernel.errors import LongtableError
from longtable.log.wakeups import Wakeups

REQUEST_CANCELLED = -32_800
LONG = 0.05
"""Seconds after which a request listens for a cancellation that another process has heard."""


class Cancellations:
    def __init__(self, wakeups: Wakeups) -> None:
        self._wakeups = wakeups
        self._scopes: dict[tuple[str, str], anyio.CancelScope] = {}

    @asynccontextmanager
    async def cancelling(
        self, connection: Connection, request_id: str, scope: anyio.CancelScope
    ) -> AsyncIterator[None]:
        """While the block runs, `scope` is cancelled as soon as the client says so."""
        key = (connection.row.connection_id, request_id)
        self._scopes[key] = scope
        following: list[asyncio.Task[None]] = []
        begin = asyncio.get_running_loop().call_later(
            LONG, lambda: following.append(owned_task(self._follow(connection, request_id, scope)))
        )
        try:
            yield
        finally:
            begin.cancel()
            for task in following:
                task.cancel()
            if self._scopes.get(key) is scope:
                del self._scopes[key]

    async def cancel(self, connection: Connection, request_id: str) -> None:
        scope = self._scopes.get((connection.row.connection_id, request_id))
        if scope is not None:
            scope.cancel()
        else:
            await connection.cancel(request_id)

    async def _follow(self, connection: Connection, request_id: str, scope: anyio.CancelScope) -> None:
        """A cancellation of an earlier request with the same id does not count."""
        known = connection.state.cancelled.count(request_id)
        with self._wakeups.for_changes(*topic_of(connection.row.tenant, connection.row.connection_id)) as wakeup:
            while True:
                try:
                    now = await connection.reload()
                except LongtableError:
                    now = connection
                if now is None or now.state.cancelled.count(request_id) > known:
                    scope.cancel()
                    return
                if not await wakeup.wait(None):
                    return
