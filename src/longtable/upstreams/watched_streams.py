"""The streams of a connection to an MCP server, watched for its tools and for its end."""

import contextvars
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import mcp_types as types
from anyio.abc import ObjectReceiveStream
from mcp.client.session import ClientSession
from mcp.shared.message import SessionMessage
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from longtable.upstreams.mcp_http import Streams
from longtable.upstreams.tool_form import for_sdk

LIST = "tools/list"
MAX_TOOLS = 20_000
_LONG_LISTING = 200


@dataclass(frozen=True, slots=True)
class ListedTools:
    """Unparsed tools, or whatever was listed as such. `ttl` is for how many seconds the server says that they can be
    kept, if it does; with `next_cursor` they are only a page."""

    tools: Sequence[Any]
    ttl: float | None = None
    next_cursor: str | None = None


class ReceivedTools:
    """Unparsed tools of a response. The SDK would parse a long list in one go and block the event loop, and refuse all
    of it for one that is malformed. So it gets only what it must know of: arguments that are sent as headers."""

    def __init__(self) -> None:
        self.tools: list[Any] = []
        self._known: dict[str, tuple[Any, dict[str, Any] | None]] = {}

    def intercept(self, item: Any) -> Any:
        message = item.message if isinstance(item, SessionMessage) else None
        if not isinstance(message, types.JSONRPCResponse) or not isinstance(message.result.get("tools"), list):
            return item
        self.tools = message.result["tools"]
        message.result = {**message.result, "tools": self._known_to_sdk(self.tools)}
        return item

    def page(self, session: ClientSession, raw: dict[str, Any], *, is_first: bool) -> ListedTools:
        """Of a response that the SDK has not seen. Raises ValueError for one that is no list."""
        tools, cursor, ttl = raw.get("tools"), raw.get("nextCursor"), raw.get("ttlMs")
        if not isinstance(tools, list) or not isinstance(cursor, str | None):
            raise ValueError("no list of tools")
        if session.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return ListedTools(tools, None, cursor)
        listing = types.ListToolsResult.model_validate({"tools": self._known_to_sdk(tools)})
        session._absorb_tool_listing(listing, complete=is_first and cursor is None)
        return ListedTools(tools, ttl / 1000 if isinstance(ttl, int | float) and ttl > 0 else None, cursor)

    def _known_to_sdk(self, tools: Sequence[Any]) -> list[dict[str, Any]]:
        short = tools if len(tools) <= _LONG_LISTING else []
        known = [self._for_sdk(tool) for tool in short if isinstance(tool, dict)]
        return [tool for tool in known if tool is not None]

    def _for_sdk(self, tool: dict[str, Any]) -> dict[str, Any] | None:
        """For a tool that has not changed, what was found before."""
        name = str(tool.get("name"))
        if name not in self._known or self._known[name][0] != tool:
            if len(self._known) >= MAX_TOOLS:
                self._known.clear()
            self._known[name] = tool, for_sdk(tool)
        return self._known[name][1]


@asynccontextmanager
async def watched_streams(
    inner: AbstractAsyncContextManager[Streams], on_end: Callable[[], None], received: ReceivedTools
) -> AsyncIterator[Streams]:
    """Streams of a transport that report when the other side closes them."""
    async with inner as (incoming, outgoing):
        yield _WatchedReceiveStream(incoming, on_end, received), outgoing


class _WatchedReceiveStream(ObjectReceiveStream[Any]):
    def __init__(self, inner: Any, on_end: Callable[[], None], received: ReceivedTools) -> None:
        self._inner = inner
        self._on_end = on_end
        self._received = received

    @property
    def last_context(self) -> contextvars.Context | None:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        try:
            return self._received.intercept(await self._inner.receive())
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            self._on_end()
            raise

    async def aclose(self) -> None:
        await self._inner.aclose()
