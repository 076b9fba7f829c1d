"""An MCP server as an upstream: one connection for all callers, opened when first needed and reopened when lost, and a
cached listing of its tools."""

import asyncio
import contextvars
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from longtable.governance.model import Hints, ToolDefinition, ToolIdentity
from longtable.kernel.background import BackgroundTask, BackgroundTasks, owned_task
from longtable.kernel.errors import (
    LongtableError,
    NotFound,
    ToolQuarantined,
    UpstreamError,
    UpstreamTimeout,
)
from longtable.kernel.logs import logger
from longtable.upstreams.backoff import MAX_STARTS, RestartBackoff
from longtable.upstreams.circuit_breaker import CircuitBreaker
from longtable.upstreams.connection import UpstreamConnection
from longtable.upstreams.entries import McpEntry, StdioEntry
from longtable.upstreams.mcp_http import transport_status
from longtable.upstreams.port import Health, Progress, UpstreamCall, UpstreamResult
from longtable.upstreams.results import error_result, limited_result

START_SECONDS = 60.0
"""A program may have to be downloaded first."""

POLL_EVERY = 30.0
"""Seconds between two requests for the tools, while there are listeners: a server need not report changes."""

_LONGEST_WAIT = 1.0
_BATCH = 50
_FRESH_FACTOR = 5
"""A listing is fresh for so many times the duration of its request, which then takes a sixth of the time at most."""
_LONG_LISTING = 200
"""Up to this length, the listing is requested again before every call."""


@dataclass(frozen=True, slots=True)
class _ToolListing:
    definitions: tuple[ToolDefinition, ...]
    tools: dict[str, dict[str, Any]] = field(repr=False)
    by_name: dict[str, ToolDefinition] = field(repr=False)
    taken_at: float
    cost: float
    connection: UpstreamConnection


class McpUpstream:
    def __init__(
        self,
        entry: McpEntry,
        *,
        allowed_hosts: frozenset[str] = frozenset(),
        breaker: CircuitBreaker | None = None,
        backoff: RestartBackoff | None = None,
        start_seconds: float = START_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.background = BackgroundTasks()
        self._entry = entry
        self._allowed_hosts = allowed_hosts
        self._breaker = breaker or CircuitBreaker(entry.name)
        self._backoff = backoff or RestartBackoff(max_starts=MAX_STARTS if isinstance(entry, StdioEntry) else 1000)
        self._start_seconds = start_seconds
        self._clock = clock
        self._slots = asyncio.Semaphore(entry.limits.max_concurrency)
        self._connection: UpstreamConnection | None = None
        self._opening = False
        self._listing: _ToolListing | None = None
        self._last_shown: _ToolListing | None = None
        self._is_stale = False
        self._refreshing: asyncio.Task[_ToolListing] | None = None
        self._reconnecting: BackgroundTask | None = None
        self._polling: BackgroundTask | None = None
        self.poll_every = POLL_EVERY
        self._problem: str | None = None
        self._closed = False
        self._change_callbacks: list[Callable[[], None]] = []

    @property
    def name(self) -> str:
        return self._entry.name

    @property
    def health(self) -> Health:
        if self._closed:
            return "stopped"
        if self._breaker.is_open:
            return "open"
        if self._connection is not None and self._connection.is_open:
            return "ready" if self._problem is None else "failing"
        if self._opening:
            return "starting"
        return "failing" if self._problem is not None else "idle"

    @property
    def problem(self) -> str | None:
        return self._problem

    @property
    def child_pid(self) -> int | None:
        """The process id of a stdio upstream, while it runs."""
        process = self._connection.process if self._connection is not None else None
        return process.pid if process is not None else None

    def on_change(self, callback: Callable[[], None]) -> None:
        self._change_callbacks.append(callback)

    async def definitions(self) -> Sequence[ToolDefinition]:
        """The same object as before when nothing has changed."""
        self._last_shown = await self._current_listing(force=True)
        if self._change_callbacks and self._polling is None and not self._closed:
            self._polling = self.background.start("upstream_poll", self._poll, about=self.name)
        return self._last_shown.definitions

    async def call(self, call: UpstreamCall) -> UpstreamResult:
        """Raises NotFound or ToolQuarantined for a tool that is gone or has changed since it was last listed."""
        self._breaker.admit()
        seconds = self._entry.limits.timeout
        try:
            with anyio.fail_after(seconds):
                async with self._slots:
                    result = await self._call(call, may_retry=True)
        except TimeoutError:
            self._breaker.failed()
            problem = f"{self.name} did not answer within {seconds:g} s."
            raise UpstreamTimeout(problem, upstream=self.name, timeout=seconds) from None
        except (UpstreamError, UpstreamTimeout):
            self._breaker.failed()
            raise
        except BaseException:
            self._breaker.abandoned()
            raise
        self._breaker.succeeded()
        return result

    async def close(self) -> None:
        self._closed = True
        for task in (self._reconnecting, self._polling):
            if task is not None:
                await task.stop()
        if self._refreshing is not None:
            self._refreshing.cancel()
            await asyncio.wait({self._refreshing})
        if self._connection is not None:
            await self._connection.close()

    async def _call(self, call: UpstreamCall, *, may_retry: bool) -> UpstreamResult:
        listing = await self._current_listing()
        self._check(listing, call)
        connection, most = listing.connection, self._entry.limits.max_response_bytes
        try:
            result = await connection.call_tool(call.tool, call.inputs, _progress_callback(call.progress))
        except MCPError as error:
            if connection.session_is_gone and may_retry:
                await connection.close()
                return await self._call(call, may_retry=False)
            self._raise_if_broken(connection, error)
            return error_result(self._entry.mask(error.error.message), most, code=error.error.code)
        if isinstance(result, types.InputRequiredResult):
            return error_result(f"{self.name} asks for input of a user, which is not passed on.", most)
        content = [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in result.content]
        return limited_result(content, result.structured_content, most=most, is_error=result.is_error, meta=result.meta)

    def _raise_if_broken(self, connection: UpstreamConnection, error: MCPError) -> None:
        """A transport error is raised; an error response of the server is the result of the call."""
        closed = error.error.code == types.CONNECTION_CLOSED
        lost = closed and (not isinstance(self._entry, StdioEntry) or not connection.is_open)
        if lost or transport_status(error) is not None:
            reason = connection.problem if not connection.is_open else error.error.message[:300]
            problem = f"{self.name} broke off: {self._entry.mask(reason)}"
            raise UpstreamError(problem, upstream=self.name) from None

    def _check(self, listing: _ToolListing, call: UpstreamCall) -> None:
        now = listing.by_name.get(call.tool)
        if now is None:
            raise NotFound(f"{self.name} has no such tool at the moment.", upstream=self.name)
        expected = call.digest
        if expected is None and self._last_shown is not None:
            shown = self._last_shown.by_name.get(call.tool)
            expected = "" if shown is None else shown.digest
        if expected is not None and expected != now.digest:
            raise ToolQuarantined(
                "This tool has changed since it was listed; nothing has been run.", upstream=self.name, tool=call.tool
            )

    async def _current_listing(self, *, force: bool = False) -> _ToolListing:
        """`force` asks again unless the list is long: a call is decided on what the tool is now."""
        listing = self._listing
        is_long = listing is not None and len(listing.definitions) > _LONG_LISTING
        if listing is not None and self._is_fresh(listing) and (is_long or not force):
            return listing
        if self._closed:
            raise UpstreamError(f"{self.name} has been stopped.", upstream=self.name)
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = owned_task(self._refresh(), context=contextvars.Context())
            self._refreshing.add_done_callback(_ignore_failure)
        return await asyncio.shield(self._refreshing)

    def _is_fresh(self, listing: _ToolListing) -> bool:
        age = self._clock() - listing.taken_at
        return not self._is_stale and listing.connection.is_open and age <= _FRESH_FACTOR * listing.cost

    async def _refresh(self) -> _ToolListing:
        connection = await self._open_connection()
        try:
            listing = await self._list(connection)
        except (UpstreamError, UpstreamTimeout) as error:
            if connection.is_open:
                self._problem = error.message
            raise
        self._problem = None
        return listing

    async def _list(self, connection: UpstreamConnection) -> _ToolListing:
        self._is_stale = False
        started = self._clock()
        try:
            with anyio.fail_after(max(self._entry.limits.timeout, 1.0)):
                tools = await connection.list_tools()
                return await self._store_listing(tools, started, connection)
        except TimeoutError:
            raise UpstreamTimeout(f"{self.name} did not list its tools in time.", upstream=self.name) from None
        except ValidationError:
            problem = f"{self.name} lists something that is not a tool."
            raise UpstreamError(problem, upstream=self.name) from None
        except MCPError as error:
            if connection.session_is_gone:
                # The server has dropped our session. Opening a new one is subject to the backoff.
                await connection.close()
                return await self._refresh()
            if error.error.code == types.METHOD_NOT_FOUND and transport_status(error) is None:
                return await self._store_listing([], started, connection)
            problem = f"{self.name} does not list its tools: {self._entry.mask(error.error.message[:300])}"
            raise UpstreamError(problem, upstream=self.name) from None

    async def _store_listing(
        self, tools: Sequence[dict[str, Any]], started: float, connection: UpstreamConnection
    ) -> _ToolListing:
        old = self._listing
        by_tool, duplicates = _by_name(tools)
        kept: dict[str, ToolDefinition] = {}
        for number, (name, tool) in enumerate(by_tool.items()):
            # Two tools with one name are ambiguous.
            if name not in duplicates and self._entry.lets_through(name):
                kept[name] = self._define(tool, old)
            if number % _BATCH == 0:
                await asyncio.sleep(0)
        same = old is not None and old.by_name == kept
        definitions = old.definitions if same and old is not None else tuple(kept.values())
        now = self._clock()
        self._listing = _ToolListing(definitions, by_tool, kept, now, now - started, connection)
        if old is not None and not same:
            self._notify_changed()
        return self._listing

    def _define(self, raw: dict[str, Any], old: _ToolListing | None) -> ToolDefinition:
        name = raw["name"]
        if old is not None and name in old.by_name and old.tools.get(name) == raw:
            return old.by_name[name]
        tool = types.Tool.model_validate(raw, by_name=False)
        hints = tool.annotations or types.ToolAnnotations()
        definition = ToolDefinition(
            upstream=self.name,
            identity=ToolIdentity(self._entry.pack, tool.name),
            remote=tool.name,
            title=tool.title or hints.title or "",
            description=tool.description or "",
            input_schema=tool.input_schema,
            output_schema=tool.output_schema,
            hints=Hints(hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint),
            trust=self._entry.trust,
        )
        # Computed here and cached, where the event loop gets a turn between definitions.
        _ = definition.digest
        return definition

    async def _open_connection(self) -> UpstreamConnection:
        if self._connection is not None and self._connection.is_open:
            return self._connection
        wait = self._backoff.delay()
        if wait > _LONGEST_WAIT:
            raise UpstreamError(
                f"{self.name} is not running: {self._problem or 'it failed'}",
                hint=f"The next attempt is in {wait:.0f} s.",
                upstream=self.name,
                retry_after=round(wait, 1),
            )
        await asyncio.sleep(wait)
        return await self._open()

    async def _open(self) -> UpstreamConnection:
        connection = UpstreamConnection(
            self._entry,
            allowed_hosts=self._allowed_hosts,
            on_changed=self._on_tools_changed,
            on_ended=self._on_connection_lost,
        )
        self._backoff.starting()
        self._opening = True
        try:
            await connection.open(self._start_seconds)
        except (UpstreamError, UpstreamTimeout) as error:
            self._connection_failed(error.message)
            raise
        finally:
            self._opening = False
            if not connection.is_open:
                await connection.close()
        self._backoff.opened()
        self._problem = None
        self._connection = connection
        return connection

    def _on_tools_changed(self) -> None:
        if not self._is_stale:
            self._is_stale = True
            self._notify_changed()

    def _on_connection_lost(self, connection: UpstreamConnection) -> None:
        if connection is self._connection and not self._closed:
            self._connection_failed(connection.problem)
            self._notify_changed()

    def _connection_failed(self, problem: str) -> None:
        self._problem = problem
        self._backoff.ended()
        logger.warning("upstream_ended", upstream=self.name, wait=round(self._backoff.delay(), 1))
        if not self._closed and (self._reconnecting is None or self._reconnecting.done()):
            self._reconnecting = self.background.start("upstream_reconnect", self._reconnect, about=self.name)

    async def _reconnect(self) -> None:
        """Reopens the connection with backoff until that succeeds."""
        while not self._closed and (self._connection is None or not self._connection.is_open):
            await asyncio.sleep(self._backoff.delay())
            try:
                await self._current_listing()
            except LongtableError:
                continue
            self._notify_changed()

    async def _poll(self) -> None:
        """Notices changes and failures that the server does not report."""
        while True:
            await asyncio.sleep(self.poll_every)
            if self._connection is None or not self._connection.is_open:
                continue
            try:
                await self._current_listing(force=True)
            except LongtableError:
                self._notify_changed()

    def _notify_changed(self) -> None:
        for callback in self._change_callbacks:
            callback()


def _by_name(tools: Sequence[dict[str, Any]]) -> tuple[dict[str, dict[str, Any]], set[str]]:
    """The tools by name, and the names that occur more than once."""
    by_name: dict[str, dict[str, Any]] = {}
    duplicates: set[str] = set()
    for tool in tools:
        name = tool.get("name")
        if not isinstance(name, str):
            continue
        if name in by_name:
            duplicates.add(name)
        by_name[name] = tool
    return by_name, duplicates


def _progress_callback(report: Progress | None) -> ProgressFnT | None:
    if report is None:
        return None

    async def pass_on(progress: float, total: float | None, message: str | None) -> None:
        await report(progress, total, message)

    return pass_on


def _ignore_failure(task: "asyncio.Task[_ToolListing]") -> None:
    """Keeps asyncio from reporting an exception that no caller is left to retrieve."""
    if not task.cancelled():
        task.exception()
