"""What an MCP server reports by itself: changes of its lists, and of resources that were subscribed to."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import anyio
import mcp_types as types
from mcp.client import Client
from mcp.client.session import IncomingMessage
from mcp.client.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    SubscriptionLost,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from longtable.kernel.background import owned_task
from longtable.kernel.errors import NotFound
from longtable.upstreams.entries import McpEntry
from longtable.upstreams.mcp_requests import NOT_THERE
from longtable.upstreams.resource_subscriptions import ListChanged

_RELISTEN_SECONDS = 5.0
_ACKNOWLEDGED_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class ReportCallbacks:
    """`tools` is called for changed tools, `channel` when the way for such reports was opened or lost, `listed` for
    other lists, `updated` with the URI of a resource."""

    tools: Callable[[], None] = lambda: None
    channel: Callable[[], None] = lambda: None
    listed: ListChanged = lambda kind: None
    updated: Callable[[str], None] = lambda uri: None


class ChangeReports:
    """Of one connection. Servers of the newer revision report to streams that are opened for it, those before to
    everybody and, on a subscription, of single resources."""

    def __init__(self, entry: McpEntry, callbacks: ReportCallbacks) -> None:
        self._entry = entry
        self._callbacks = callbacks
        self._subscribed: set[str] = set()
        self._stream: asyncio.Task[None] | None = None
        self.is_listening = False

    async def receive(self, message: IncomingMessage) -> None:
        """A message that is no answer. The SDK hands those of a stream to the stream as well."""
        params = getattr(message, "params", None)
        if SUBSCRIPTION_ID_META_KEY in (getattr(params, "meta", None) or ()):
            return
        self._report(message)

    async def listen(self, client: Client, listening: anyio.Event) -> None:
        """To changes of lists, at servers of the newer revision; `listening` is set when it has begun."""
        try:
            while client.protocol_version in MODERN_PROTOCOL_VERSIONS:
                with suppress(SubscriptionLost):
                    async with client.listen(
                        tools_list_changed=True, prompts_list_changed=True, resources_list_changed=True
                    ) as events:
                        self._set_listening(bool(events.honored.tools_list_changed))
                        listening.set()
                        async for event in events:
                            self._report(event)
                self._set_listening(False)
                await anyio.sleep(_RELISTEN_SECONDS)
                for missed in (ToolsListChanged(), ResourcesListChanged(), PromptsListChanged()):
                    self._report(missed)
        except Exception:  # noqa: BLE001 - without this stream the list is still refreshed before calls
            return
        finally:
            self._set_listening(False)
            listening.set()

    async def subscribe(self, client: Client, uri: str) -> None:
        """Raises MCPError and NotFound."""
        offered = client.server_capabilities.resources
        if offered is None or not offered.subscribe:
            raise self._no_reports()
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            await self._request(client, types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri)))
            return
        await self._change_stream(client, self._subscribed | {uri})
        if uri not in self._subscribed:
            raise self._no_reports()

    async def unsubscribe(self, client: Client, uri: str) -> None:
        """Raises MCPError and NotFound."""
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            await self._request(client, types.UnsubscribeRequest(params=types.UnsubscribeRequestParams(uri=uri)))
            return
        await self._change_stream(client, self._subscribed - {uri})

    def close(self) -> None:
        if self._stream is not None:
            self._stream.cancel()

    async def _request(self, client: Client, request: Any) -> None:
        try:
            await client.session.send_request(request, types.EmptyResult)
        except MCPError as error:
            if error.error.code == types.METHOD_NOT_FOUND:
                raise self._no_reports() from None
            if error.error.code in NOT_THERE:
                raise NotFound(self._entry.mask(error.error.message[:300]), upstream=self._entry.name) from None
            raise

    def _no_reports(self) -> NotFound:
        problem = f"{self._entry.name} does not report changes of this resource."
        return NotFound(problem, hint="Read it again when you need it.", upstream=self._entry.name)

    async def _change_stream(self, client: Client, uris: set[str]) -> None:
        """The next stream is open before the last one ends, so that nothing is missed in between."""
        begun: asyncio.Future[set[str]] = asyncio.get_running_loop().create_future()
        before, after = self._stream, owned_task(self._follow(client, uris, begun)) if uris else None
        try:
            async with asyncio.timeout(_ACKNOWLEDGED_SECONDS):
                self._subscribed = await begun if after is not None else set()
        except BaseException:
            if after is not None:
                after.cancel()
            raise
        self._stream = after
        if before is not None:
            before.cancel()

    async def _follow(self, client: Client, uris: set[str], begun: "asyncio.Future[set[str]]") -> None:
        try:
            while True:
                with suppress(SubscriptionLost):
                    async with client.listen(resource_subscriptions=sorted(uris)) as events:
                        if not begun.done():
                            begun.set_result(set(events.honored.resource_subscriptions or ()))
                        async for event in events:
                            self._report(event)
                await anyio.sleep(_RELISTEN_SECONDS)
                for uri in uris:
                    self._callbacks.updated(uri)
        except Exception as error:  # noqa: BLE001 - the connection ends with the session, or is opened again
            if not begun.done():
                begun.set_exception(error)

    def _report(self, event: Any) -> None:
        """`event` is of a stream, or a notification to everybody."""
        if isinstance(event, ToolsListChanged | types.ToolListChangedNotification):
            self._callbacks.tools()
        elif isinstance(event, ResourcesListChanged | types.ResourceListChangedNotification):
            self._callbacks.listed("resources")
        elif isinstance(event, PromptsListChanged | types.PromptListChangedNotification):
            self._callbacks.listed("prompts")
        elif isinstance(event, ResourceUpdated):
            self._callbacks.updated(event.uri)
        elif isinstance(event, types.ResourceUpdatedNotification):
            self._callbacks.updated(str(event.params.uri))

    def _set_listening(self, value: bool) -> None:
        self.is_listening = value
        self._callbacks.channel()
