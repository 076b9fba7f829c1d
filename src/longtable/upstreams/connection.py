"""One open connection to an MCP server, in a task of its own until it ends or is closed."""

import asyncio
import contextvars
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
from mcp.client import Client
from mcp.client.session import ClientSession
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from longtable import __version__
from longtable.kernel.background import owned_task
from longtable.kernel.errors import LongtableError, UpstreamError, UpstreamTimeout
from longtable.upstreams.authorization import Authorization
from longtable.upstreams.change_reports import ChangeReports, ReportCallbacks
from longtable.upstreams.direct_requests import DirectRequests, RedirectedRequest
from longtable.upstreams.entries import HttpEntry, Kind, StdioEntry
from longtable.upstreams.mcp_http import (
    McpTransport,
    Streams,
    http_streams,
    largest_message,
    open_transport,
    transport_status,
)
from longtable.upstreams.mcp_requests import send_request
from longtable.upstreams.port import Progress, UpstreamCall
from longtable.upstreams.process import UpstreamProcess
from longtable.upstreams.questions import UpstreamQuestions, log_level_meta
from longtable.upstreams.requests import UpstreamRequest
from longtable.upstreams.stdio import stdio_streams
from longtable.upstreams.tool_answer import (
    CALL,
    RESULT,
    CallOutcome,
    ToolAnswer,
    answer_of,
    parsed_outcome,
    plain_answer,
)
from longtable.upstreams.watched_streams import LIST, MAX_TOOLS, ListedTools, ReceivedTools, watched_streams

MAX_PAGES = 2_000
_CLOSING_SECONDS = 10.0
_LISTEN_SECONDS = 2.0

# The SDK logs messages that it could not parse; they are the upstream's, and may hold anything.
logging.getLogger("mcp.client").setLevel(logging.CRITICAL)
logging.getLogger("client").setLevel(logging.CRITICAL)


class UpstreamConnection:
    """`callbacks` are for what the server reports, `on_ended` is called when the connection ends."""

    def __init__(
        self,
        questions: UpstreamQuestions,
        *,
        allowed_hosts: frozenset[str] = frozenset(),
        authorization: Authorization | None = None,
        callbacks: ReportCallbacks | None = None,
        on_ended: Callable[["UpstreamConnection"], None] = lambda connection: None,
    ) -> None:
        self._entry = questions.entry
        self._questions = questions
        self._allowed_hosts = allowed_hosts
        self._authorization = authorization
        self._callbacks = callbacks or ReportCallbacks()
        self._reports = ChangeReports(self._entry, self._callbacks)
        self._on_ended = on_ended
        self._client: Client | None = None
        self._process: UpstreamProcess | None = None
        self._transport: McpTransport | None = None
        self._direct: DirectRequests | None = None
        self._kind: Kind = "stdio"
        self._received = ReceivedTools()
        self._status: int | None = None
        self._reason = ""
        self._closing = asyncio.Event()
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_open(self) -> bool:
        return self._client is not None and not self._closing.is_set()

    @property
    def reports_changes(self) -> bool:
        """Whether the server has promised to report changed tools, and the channel for that is open."""
        client = self._client
        if client is None or self._closing.is_set():
            return False
        tools = client.server_capabilities.tools
        if tools is None or not tools.list_changed:
            return False
        if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return self._reports.is_listening
        # Over pipes and the legacy transport the connection itself is the channel.
        return self._transport is None or self._kind == "sse" or self._transport.stream_is_open

    @property
    def process(self) -> UpstreamProcess | None:
        return self._process

    @property
    def log(self) -> str:
        """The last lines of a program's standard error."""
        return self._process.stderr_tail() if self._process is not None else ""

    @property
    def session_is_gone(self) -> bool:
        """Whether the server does not know our session any more: then the request has not been run."""
        return self._transport is not None and self._transport.session_is_gone

    @property
    def problem(self) -> str:
        """Why it ended or did not open, without secrets."""
        stderr = self.log
        code = self._process.exit_code if self._process is not None else None
        reason = self._entry.mask(self._reason) or ("it ended" if code is None else f"it ended with {code}")
        return f"{reason}: {stderr.splitlines()[-1]}" if stderr else reason

    async def open(self, seconds: float) -> None:
        """Raises UpstreamError or UpstreamTimeout; nothing is left running then."""
        kind: Kind = "stdio" if isinstance(self._entry, StdioEntry) else self._entry.kind
        try:
            await self._start(kind, seconds)
        except UpstreamError:
            if kind != "http" or self._status not in (404, 405):
                raise
            # A server with the legacy transport does not accept POST at its address.
            self._opened = asyncio.get_running_loop().create_future()
            self._closing.clear()
            await self._start("sse", seconds)

    async def _start(self, kind: Kind, seconds: float) -> None:
        self._kind = kind
        # In a context of its own: the first caller's context variables do not belong to a shared connection.
        self._task = owned_task(self._run(kind), context=contextvars.Context())
        done, _ = await asyncio.wait({self._opened}, timeout=seconds)
        if not done:
            await self.close()
            raise UpstreamTimeout(f"{self._entry.name} did not start within {seconds:g} s.", upstream=self._entry.name)
        if self._client is None:
            await self.close()
            raise UpstreamError(f"{self._entry.name} did not start: {self.problem}", upstream=self._entry.name)

    async def _run(self, kind: Kind) -> None:
        try:
            client = Client(
                watched_streams(self._streams(kind), self._closing.set, self._received),
                cache=None,
                client_info=types.Implementation(name="longtable", version=__version__),
                message_handler=self._reports.receive,
                **self._questions.callbacks(),
            )
            async with client, anyio.create_task_group() as group:
                self._questions.refuse_sampling(client.session)
                listening = anyio.Event()
                group.start_soon(self._reports.listen, client, listening)
                # Before the first list, so that no change is missed in between.
                with anyio.move_on_after(_LISTEN_SECONDS):
                    await listening.wait()
                self._client = client
                self._direct = self._direct_requests(client.session)
                self._opened.set_result(None)
                await self._closing.wait()
                self._reports.close()
                group.cancel_scope.cancel()
        except Exception as error:  # noqa: BLE001 - any failure of the server or the SDK ends this connection only
            self._record_error(error)
        finally:
            was_open, self._client = self._client is not None, None
            self._closing.set()
            self._reports.close()
            if not self._opened.done():
                self._opened.set_result(None)
            if was_open:
                self._on_ended(self)

    @asynccontextmanager
    async def _streams(self, kind: Kind) -> AsyncIterator[Streams]:
        if isinstance(self._entry, HttpEntry):
            self._transport, client = open_transport(
                self._entry, self._allowed_hosts, self._callbacks.channel, self._authorization
            )
            async with http_streams(self._entry, client, kind) as streams:
                yield streams
            return

        def started(process: UpstreamProcess) -> None:
            self._process = process

        async with stdio_streams(self._entry, started) as pipes:
            yield pipes

    def _direct_requests(self, session: ClientSession) -> DirectRequests | None:
        if self._transport is None or self._kind != "http" or not isinstance(self._entry, HttpEntry):
            return None
        return DirectRequests(self._entry, self._transport, session, largest_message(self._entry))

    def _record_error(self, error: Exception) -> None:
        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, MCPError):
            self._status = transport_status(error)
            self._reason = error.error.message[:300]
        elif isinstance(error, LongtableError):
            self._reason = error.message
        else:
            response = getattr(error, "response", None)
            status = getattr(response, "status_code", None)
            self._reason = f"it answered with HTTP {status}" if status else (str(error)[:300] or type(error).__name__)

    async def list_tools(self) -> ListedTools:
        """All pages. Raises MCPError, or UpstreamError for an endless list."""
        tools: list[Any] = []
        ttl: float | None = None
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page = await self._list_page(cursor)
            tools += page.tools
            if page.ttl:
                ttl = min(ttl or page.ttl, page.ttl)
            if len(tools) > MAX_TOOLS:
                break
            if page.next_cursor is None or page.next_cursor == cursor:
                return ListedTools(tools, ttl)
            cursor = page.next_cursor
        raise UpstreamError(f"{self._entry.name} lists more than {MAX_TOOLS} tools.", upstream=self._entry.name)

    async def _list_page(self, cursor: str | None) -> ListedTools:
        session = self._session()
        raw = await self._send_directly(LIST, {} if cursor is None else {"cursor": cursor})
        if raw is not None:
            return self._received.page(session, raw, is_first=cursor is None)
        self._received.tools = []
        page = await session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
        is_modern = session.protocol_version in MODERN_PROTOCOL_VERSIONS
        ttl = page.ttl_ms / 1000 if page.ttl_ms and is_modern else None
        return ListedTools(self._received.tools, ttl, page.next_cursor)

    async def call_tool(self, call: UpstreamCall) -> ToolAnswer:
        """Raises MCPError and UpstreamError. Cancellation is sent to the server."""
        session = self._session()
        meta = log_level_meta(call.client) if session.protocol_version in MODERN_PROTOCOL_VERSIONS else {}
        params = {"name": call.tool, "arguments": dict(call.inputs), **meta}
        try:
            raw = await self._send_directly(CALL, params, call.progress)
            if raw is not None and (plain := plain_answer(raw, session.protocol_version)) is not None:
                return plain
            first = None if raw is None else parsed_outcome(raw, session.protocol_version)
            return await self._call_by_session(session, params, call.progress, first)
        except ValidationError:
            problem = f"{self._entry.name} answered with something that is not a result."
            raise UpstreamError(problem, upstream=self._entry.name) from None

    async def _send_directly(
        self, method: str, params: dict[str, Any], progress: Progress | None = None
    ) -> dict[str, Any] | None:
        """None where the SDK has to do it."""
        if self._direct is None:
            return None
        try:
            return await self._direct.send(method, params, progress)
        except RedirectedRequest:
            self._direct = None
            return None

    async def _call_by_session(
        self,
        session: ClientSession,
        params: dict[str, Any],
        progress: Progress | None,
        first: CallOutcome | None,
    ) -> ToolAnswer:
        """`first` has been answered already, perhaps with a question."""

        async def send(more: dict[str, Any]) -> CallOutcome:
            request = types.CallToolRequestParams.model_validate({**params, **more}, by_name=False)
            result: CallOutcome = await session.send_request(
                types.CallToolRequest(params=request), RESULT, progress_callback=progress_callback(progress)
            )
            return result

        return answer_of(await self._questions.answered(first if first is not None else await send({}), send))

    async def request(self, request: UpstreamRequest) -> dict[str, Any]:
        """Raises MCPError, NotFound and UpstreamError. Cancellation is sent to the server."""
        return await send_request(self._session(), self._entry, request, self._questions)

    async def subscribe(self, uri: str) -> None:
        """Raises MCPError, NotFound, and UpstreamError where it is not connected."""
        await self._reports.subscribe(self._connected_client(), uri)

    async def unsubscribe(self, uri: str) -> None:
        """Raises MCPError, NotFound, and UpstreamError where it is not connected."""
        await self._reports.unsubscribe(self._connected_client(), uri)

    def _session(self) -> ClientSession:
        return self._connected_client().session

    def _connected_client(self) -> Client:
        if self._client is None:
            raise UpstreamError(f"{self._entry.name} is not connected: {self.problem}", upstream=self._entry.name)
        return self._client

    async def close(self) -> None:
        self._closing.set()
        task = self._task
        if task is None:
            return
        if self._opened.done():
            await asyncio.wait({task}, timeout=_CLOSING_SECONDS)
        task.cancel()
        await asyncio.wait({task}, timeout=_CLOSING_SECONDS)


def progress_callback(report: Progress | None) -> ProgressFnT | None:
    if report is None:
        return None

    async def pass_on(progress: float, total: float | None, message: str | None) -> None:
        await report(progress, total, message)

    return pass_on
