"""One open connection to an MCP server, held by a task of its own until it ends or is closed."""

import asyncio
import contextvars
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from types import TracebackType
from typing import Any, Self

import anyio
import mcp_types as types
from mcp.client import Client
from mcp.client.session import ClientSession, IncomingMessage
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter, ValidationError

from longtable import __version__
from longtable.kernel.background import owned_task
from longtable.kernel.errors import LongtableError, UpstreamError, UpstreamTimeout
from longtable.upstreams.entries import HttpEntry, Kind, McpEntry, StdioEntry
from longtable.upstreams.mcp_http import Streams, Wire, http_streams, open_wire, wire_status
from longtable.upstreams.process import UpstreamProcess
from longtable.upstreams.stdio import stdio_streams

MOST_TOOLS = 20_000
MOST_PAGES = 2_000
_CLOSING_SECONDS = 10.0
_RELISTEN_SECONDS = 5.0
_LISTEN_SECONDS = 2.0
_LONG_LIST = 200

# The SDK logs what it could not read, and that is what somebody else has written.
logging.getLogger("mcp.client").setLevel(logging.CRITICAL)
logging.getLogger("client").setLevel(logging.CRITICAL)

_Result = types.CallToolResult | types.InputRequiredResult
_RESULT: TypeAdapter[_Result] = TypeAdapter(_Result)


class UpstreamConnection:
    """`changed` is called when the server says that its tools have changed, `ended` when the connection is over."""

    def __init__(
        self,
        entry: McpEntry,
        *,
        listed: frozenset[str] = frozenset(),
        changed: Callable[[], None] = lambda: None,
        ended: Callable[["UpstreamConnection"], None] = lambda connection: None,
    ) -> None:
        self._entry = entry
        self._listed = listed
        self._changed = changed
        self._ended = ended
        self._client: Client | None = None
        self._child: UpstreamProcess | None = None
        self._wire: Wire | None = None
        self._sent = _SentTools()
        self._status: int | None = None
        self._reason = ""
        self._leave = asyncio.Event()
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_open(self) -> bool:
        return self._client is not None and not self._leave.is_set()

    @property
    def child(self) -> UpstreamProcess | None:
        return self._child

    @property
    def session_is_gone(self) -> bool:
        """Whether the server has forgotten us: what was sent has not been run."""
        return self._wire is not None and self._wire.session_is_gone

    @property
    def problem(self) -> str:
        """Why it ended or did not begin, without secrets."""
        words = self._child.stderr_tail() if self._child is not None else ""
        code = self._child.exit_code if self._child is not None else None
        reason = self._entry.mask(self._reason) or ("it ended" if code is None else f"it ended with {code}")
        return f"{reason}: {words.splitlines()[-1]}" if words else reason

    async def open(self, within: float) -> None:
        """Raises UpstreamError or UpstreamTimeout; nothing is left running then."""
        kind: Kind = "stdio" if isinstance(self._entry, StdioEntry) else self._entry.kind
        try:
            await self._begin(kind, within)
        except UpstreamError:
            if kind != "http" or self._status not in (404, 405):
                raise
            # A server of the older transport knows no POST at its address.
            self._opened = asyncio.get_running_loop().create_future()
            self._leave.clear()
            await self._begin("sse", within)

    async def _begin(self, kind: Kind, within: float) -> None:
        # In a context of its own: what the first caller carries with it does not belong to a shared connection.
        self._task = owned_task(self._hold(kind), context=contextvars.Context())
        done, _ = await asyncio.wait({self._opened}, timeout=within)
        if not done:
            await self.close()
            raise UpstreamTimeout(f"{self._entry.name} did not start within {within:g} s.", upstream=self._entry.name)
        if self._client is None:
            await self.close()
            raise UpstreamError(f"{self._entry.name} did not start: {self.problem}", upstream=self._entry.name)

    async def _hold(self, kind: Kind) -> None:
        try:
            client = Client(
                _Watched(self._streams(kind), self._leave.set, self._sent),
                cache=None,
                client_info=types.Implementation(name="longtable", version=__version__),
                message_handler=self._heard,
            )
            async with client, anyio.create_task_group() as group:
                listening = anyio.Event()
                group.start_soon(self._listen, client, listening)
                # Before the first list, so that no change falls between the two.
                with anyio.move_on_after(_LISTEN_SECONDS):
                    await listening.wait()
                self._client = client
                self._opened.set_result(None)
                await self._leave.wait()
                group.cancel_scope.cancel()
        except Exception as error:  # noqa: BLE001 - whatever the server or the SDK does ends this connection only
            self._note(error)
        finally:
            was_open, self._client = self._client is not None, None
            self._leave.set()
            if not self._opened.done():
                self._opened.set_result(None)
            if was_open:
                self._ended(self)

    @asynccontextmanager
    async def _streams(self, kind: Kind) -> AsyncIterator[Streams]:
        if isinstance(self._entry, HttpEntry):
            self._wire, client = open_wire(self._entry, self._listed)
            async with http_streams(self._entry, client, kind) as streams:
                yield streams
            return

        def started(child: UpstreamProcess) -> None:
            self._child = child

        async with stdio_streams(self._entry, started) as pipes:
            yield pipes

    def _note(self, error: Exception) -> None:
        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, MCPError):
            self._status = wire_status(error)
            self._reason = error.error.message[:300]
        elif isinstance(error, LongtableError):
            self._reason = error.message
        else:
            response = getattr(error, "response", None)
            status = getattr(response, "status_code", None)
            self._reason = f"it answered with HTTP {status}" if status else (str(error)[:300] or type(error).__name__)

    async def _heard(self, message: IncomingMessage) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._changed()

    async def _listen(self, client: Client, listening: anyio.Event) -> None:
        """Servers of the newer revision tell of changes only to those who ask."""
        try:
            while client.protocol_version in MODERN_PROTOCOL_VERSIONS:
                with suppress(SubscriptionLost):
                    async with client.listen(tools_list_changed=True) as events:
                        listening.set()
                        async for _ in events:
                            self._changed()
                # The stream has ended: what changes until the next one begins is not told.
                await anyio.sleep(_RELISTEN_SECONDS)
                self._changed()
        except Exception:  # noqa: BLE001 - without this stream the list is asked for before calls, as ever
            return
        finally:
            listening.set()

    async def list_tools(self) -> list[dict[str, Any]]:
        """All pages, as they were sent. Raises MCPError, or UpstreamError for a list without end."""
        tools: list[dict[str, Any]] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            self._sent.tools = None
            page = await self._session().list_tools(params=types.PaginatedRequestParams(cursor=cursor))
            tools += self._sent.of(page)
            if len(tools) > MOST_TOOLS:
                break
            if page.next_cursor is None or page.next_cursor == cursor:
                return tools
            cursor = page.next_cursor
        raise UpstreamError(f"{self._entry.name} lists more than {MOST_TOOLS} tools.", upstream=self._entry.name)

    async def call_tool(self, tool: str, inputs: Mapping[str, Any], progress: ProgressFnT | None) -> _Result:
        """Raises MCPError and UpstreamError. Cancelled, it tells the server so."""
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=tool, arguments=dict(inputs)))
        try:
            result: _Result = await self._session().send_request(request, _RESULT, progress_callback=progress)
        except ValidationError:
            problem = f"{self._entry.name} answered with something that is not a result."
            raise UpstreamError(problem, upstream=self._entry.name) from None
        return result

    def _session(self) -> ClientSession:
        if self._client is None:
            raise UpstreamError(f"{self._entry.name} is not connected: {self.problem}", upstream=self._entry.name)
        return self._client.session

    async def close(self) -> None:
        self._leave.set()
        task = self._task
        if task is None:
            return
        if self._opened.done():
            await asyncio.wait({task}, timeout=_CLOSING_SECONDS)
        task.cancel()
        await asyncio.wait({task}, timeout=_CLOSING_SECONDS)


class _SentTools:
    """Tools as they came. The SDK takes long lists apart in one go, in which nobody else is served: it does not get
    to see them."""

    def __init__(self) -> None:
        self.tools: list[dict[str, Any]] | None = None

    def look(self, item: Any) -> Any:
        message = item.message if isinstance(item, SessionMessage) else None
        if not isinstance(message, types.JSONRPCResponse) or not isinstance(message.result.get("tools"), list):
            return item
        self.tools = [tool for tool in message.result["tools"] if isinstance(tool, dict)]
        if len(self.tools) > _LONG_LIST:
            message.result = {**message.result, "tools": []}
        return item

    def of(self, page: types.ListToolsResult) -> list[dict[str, Any]]:
        """Without those that the SDK has refused."""
        sent = self.tools or []
        if len(sent) > _LONG_LIST:
            return sent
        accepted = {tool.name for tool in page.tools}
        return [tool for tool in sent if tool.get("name") in accepted]


class _Watched(AbstractAsyncContextManager[Streams]):
    """Streams of a transport that tell when the other side has ended them."""

    def __init__(self, inner: AbstractAsyncContextManager[Streams], over: Callable[[], None], sent: _SentTools) -> None:
        self._inner = inner
        self._over = over
        self._sent = sent

    async def __aenter__(self) -> Streams:
        incoming, outgoing = await self._inner.__aenter__()
        return _Incoming(incoming, self._over, self._sent), outgoing

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._inner.__aexit__(kind, error, trace)


class _Incoming:
    def __init__(self, inner: Any, over: Callable[[], None], sent: _SentTools) -> None:
        self._inner = inner
        self._over = over
        self._sent = sent

    @property
    def last_context(self) -> contextvars.Context | None:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        try:
            return self._sent.look(await self._inner.receive())
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            self._over()
            raise

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
