"""Answers of clients to requests of ours. The answer to one is a request of its own, which can reach any process."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from longtable.connections.service import Connection, topic_of
from longtable.kernel.background import owned_task
from longtable.kernel.errors import LongtableError
from longtable.log.wakeups import Wakeups


class ClientReplies:
    """By the connection and the id that we gave the request."""

    def __init__(self, wakeups: Wakeups) -> None:
        self._wakeups = wakeups
        self._waiting: dict[tuple[str, str], asyncio.Future[dict[str, Any]]] = {}

    @asynccontextmanager
    async def expected(self, connection: Connection) -> AsyncIterator[tuple[str, "asyncio.Future[dict[str, Any]]"]]:
        """An id for a request, and its result, for as long as the block runs."""
        request_id = f"server-{secrets.token_hex(8)}"
        reply = self._waiting[connection.id, request_id] = asyncio.get_running_loop().create_future()
        following = owned_task(self._follow(connection, request_id, reply))
        try:
            yield request_id, reply
        finally:
            following.cancel()
            self._waiting.pop((connection.id, request_id), None)

    async def came(self, connection: Connection, reply: types.JSONRPCResponse | types.JSONRPCError) -> None:
        message = reply.model_dump(mode="json", by_alias=True, exclude_none=True)
        waiting = self._waiting.get((connection.id, str(reply.id)))
        if waiting is not None:
            _settle(waiting, message)
        elif str(reply.id).startswith("server-"):
            await connection.add_reply(message)

    async def _follow(self, connection: Connection, request_id: str, reply: "asyncio.Future[dict[str, Any]]") -> None:
        with self._wakeups.for_changes(*topic_of(connection.row.tenant, connection.row.connection_id)) as wakeup:
            while not reply.done():
                try:
                    now = await connection.reload()
                    message = await now.take_reply(request_id) if now is not None else None
                except LongtableError:
                    message = None
                if message is not None:
                    _settle(reply, message)
                elif not await wakeup.wait(None):
                    return


def _settle(waiting: "asyncio.Future[dict[str, Any]]", message: dict[str, Any]) -> None:
    if waiting.done():
        return
    if "error" in message:
        waiting.set_exception(MCPError.from_error_data(types.ErrorData.model_validate(message["error"])))
    else:
        waiting.set_result(message["result"])
