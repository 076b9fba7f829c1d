"""What is asked of an MCP server beside its tools: requests about resources, prompts and completion, subscriptions to
resources, and who is notified of changes of these lists."""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from typing import Any

from mcp.shared.exceptions import MCPError

from longtable.kernel.background import owned_task
from longtable.kernel.errors import UpstreamError
from longtable.upstreams.connection import UpstreamConnection
from longtable.upstreams.entries import McpEntry
from longtable.upstreams.limited_calls import LimitedCalls
from longtable.upstreams.mcp_results import raise_if_broken
from longtable.upstreams.requests import UpstreamRequest
from longtable.upstreams.resource_subscriptions import ListChanged, ListKind, ResourceSubscriptions


class ResourceRequests:
    """`connected` opens the connection to the server, if it is not open."""

    def __init__(
        self, entry: McpEntry, limits: LimitedCalls, connected: Callable[[], Awaitable[UpstreamConnection]]
    ) -> None:
        self._entry = entry
        self._limits = limits
        self._connected = connected
        self._connection: UpstreamConnection | None = None
        self._subscriptions = ResourceSubscriptions(entry.name, self._subscribe, self._unsubscribe)
        self._renewing: asyncio.Task[None] | None = None
        self._list_callbacks: list[ListChanged] = []
        self.subscribe = self._subscriptions.add
        self.unsubscribe = self._subscriptions.remove
        self.updated = self._subscriptions.report

    @property
    def is_subscribed(self) -> bool:
        return not self._subscriptions.is_empty

    async def request(self, request: UpstreamRequest) -> dict[str, Any]:
        return await self._limits.run(request.client, lambda: self._request(request, may_retry=True))

    def on_list_change(self, callback: ListChanged) -> None:
        self._list_callbacks.append(callback)

    def list_changed(self, kind: ListKind) -> None:
        for callback in self._list_callbacks:
            callback(kind)

    def opened(self, connection: UpstreamConnection) -> None:
        """A new connection, which knows of no subscription yet."""
        self._connection = connection
        if self.is_subscribed:
            self.close()
            self._renewing = owned_task(self._subscriptions.renew(), context=contextvars.Context())

    def close(self) -> None:
        if self._renewing is not None:
            self._renewing.cancel()

    def ended(self) -> None:
        """The connection was lost, or is there again."""
        self.list_changed("resources")
        self.list_changed("prompts")

    async def _request(self, request: UpstreamRequest, *, may_retry: bool) -> dict[str, Any]:
        connection = await self._connected()
        try:
            return await connection.request(request)
        except MCPError as error:
            if connection.session_is_gone and may_retry:
                await connection.close()
                return await self._request(request, may_retry=False)
            raise self._failure(connection, error) from None

    async def _subscribe(self, uri: str) -> None:
        async def send() -> None:
            connection = await self._connected()
            try:
                await connection.subscribe(uri)
            except MCPError as error:
                raise self._failure(connection, error) from None

        await self._limits.run(None, send)

    async def _unsubscribe(self, uri: str) -> None:
        connection = self._connection
        if connection is None or not connection.is_open:
            return
        try:
            await connection.unsubscribe(uri)
        except MCPError as error:
            raise self._failure(connection, error) from None

    def _failure(self, connection: UpstreamConnection, error: MCPError) -> UpstreamError:
        raise_if_broken(self._entry, connection, error)
        return UpstreamError(self._entry.mask(error.error.message[:300]), upstream=self._entry.name)
