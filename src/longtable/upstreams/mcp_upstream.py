"""An MCP server as an upstream: one connection for all callers, opened when first needed and reopened when lost, and a
cached listing of its tools."""

import asyncio
import contextvars
import time
from collections.abc import Callable, Sequence

from mcp.shared.exceptions import MCPError

from longtable.governance.model import ToolDefinition, WithheldTool
from longtable.kernel.background import BackgroundTask, BackgroundTasks, owned_task
from longtable.kernel.errors import LongtableError, UpstreamError, UpstreamTimeout
from longtable.kernel.logs import logger
from longtable.upstreams.authorization import Authorization, require_token
from longtable.upstreams.backoff import PROGRAM_GROWTH, RestartBackoff, not_running
from longtable.upstreams.change_reports import ReportCallbacks
from longtable.upstreams.circuit_breaker import CircuitBreaker
from longtable.upstreams.connection import UpstreamConnection
from longtable.upstreams.entries import McpEntry, StdioEntry
from longtable.upstreams.history import ConnectionHistory
from longtable.upstreams.instance_limits import InstanceLimit, Usage
from longtable.upstreams.limited_calls import LimitedCalls
from longtable.upstreams.mcp_results import raise_if_broken, tool_failure, tool_result
from longtable.upstreams.port import Freshness, Health, UpstreamCall, UpstreamResult, UpstreamStatus
from longtable.upstreams.questions import UpstreamQuestions
from longtable.upstreams.resource_requests import ResourceRequests
from longtable.upstreams.tool_listing import (
    NOTHING_RUN,
    ListRequest,
    ToolListing,
    build_listing,
    check_unchanged,
    ignore_failure,
    requested_tools,
)

START_SECONDS = 60.0
"""A program may have to be downloaded first."""

POLL_EVERY = 30.0
"""Seconds between two requests for the tools, while there are listeners: a server need not report changes."""

_LONGEST_WAIT = 1.0


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
        self.authorization: Authorization | None = None
        self.entry = self._entry = entry
        self._allowed_hosts = allowed_hosts
        self._breaker = breaker or CircuitBreaker(entry.name)
        own = (
            RestartBackoff(growth=PROGRAM_GROWTH) if isinstance(entry, StdioEntry) else RestartBackoff(max_starts=1000)
        )
        self._backoff = backoff or own
        self._start_seconds = start_seconds
        self._clock = clock
        self._questions = UpstreamQuestions(entry)
        self._connection: UpstreamConnection | None = None
        self._opening = False
        self._listing: ToolListing | None = None
        self._last_shown: ToolListing | None = None
        self._epoch = 0
        self._refreshing: asyncio.Task[ToolListing] | None = None
        self._reconnecting: BackgroundTask | None = None
        self._polling: BackgroundTask | None = None
        self.poll_every = POLL_EVERY
        self._problem: str | None = None
        self._closed = False
        self.instance_limit: InstanceLimit | None = None
        self._history = ConnectionHistory()
        self._usage = Usage(clock)
        self._limits = LimitedCalls(entry, self._breaker, self._questions, self._usage)
        self._resources = ResourceRequests(entry, self._limits, self._current_connection)
        self.request = self._resources.request
        self.subscribe = self._resources.subscribe
        self.unsubscribe = self._resources.unsubscribe
        self.on_list_change = self._resources.on_list_change
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
    def is_running(self) -> bool:
        return self._opening or (self._connection is not None and self._connection.is_open)

    @property
    def unused_since(self) -> float | None:
        return None if self._opening or self._resources.is_subscribed else self._usage.ended_at

    @property
    def status(self) -> UpstreamStatus:
        return self._history.status(self._connection.log if self._connection is not None else "")

    @property
    def child_pid(self) -> int | None:
        """The process id of a stdio upstream, while it runs."""
        process = self._connection.process if self._connection is not None else None
        return process.pid if process is not None else None

    def on_change(self, callback: Callable[[], None]) -> None:
        self._change_callbacks.append(callback)

    @property
    def reports_changes(self) -> bool:
        """Whether the last listing holds until a change is reported."""
        listing = self._listing
        return (
            listing is not None
            and self._is_unchanged(listing)
            and listing.request.connection.reports_changes
            and (listing.expires_at is None or self._clock() < listing.expires_at)
        )

    @property
    def withheld(self) -> Sequence[WithheldTool]:
        return self._listing.withheld if self._listing is not None else ()

    async def definitions(self, fresh: Freshness | None = None) -> Sequence[ToolDefinition]:
        """The same object as before when nothing has changed."""
        fresh = fresh or self._now()
        # One that rests is not started for its list: a call lists again, before it runs.
        known = self._listing if self._is_verified_beside(fresh) or self._is_resting(fresh) else None
        self._last_shown = known or await self._current_listing(fresh)
        if self._change_callbacks and self._polling is None and not self._closed:
            self._polling = self.background.start("upstream_poll", self._poll, about=self.name)
        return self._last_shown.definitions

    async def call(self, call: UpstreamCall) -> UpstreamResult:
        """Raises NotFound or ToolQuarantined for a tool that is gone or has changed since it was last listed."""
        return await self._limits.run(call.client, lambda: self._call(call, may_retry=True))

    async def rest(self) -> None:
        """Ends the connection, which nobody uses, until it is needed again."""
        connection, self._connection = self._connection, None
        if connection is not None:
            if connection.is_open:
                self._backoff.rested()
            await connection.close()

    async def close(self) -> None:
        self._closed = True
        self._resources.close()
        for task in (self._reconnecting, self._polling):
            if task is not None:
                await task.stop()
        if self._refreshing is not None:
            self._refreshing.cancel()
            await asyncio.wait({self._refreshing})
        if self._connection is not None:
            await self._connection.close()

    async def _call(self, call: UpstreamCall, *, may_retry: bool) -> UpstreamResult:
        fresh = call.fresh or self._now()
        if self._listing is not None and self._is_verified_beside(fresh):
            return await self._call_and_verify(self._listing, call, may_retry=may_retry)
        listing = await self._current_listing(fresh)
        self._check(listing, call)
        return await self._send(listing.request.connection, call, may_retry=may_retry)

    async def _call_and_verify(self, known: ToolListing, call: UpstreamCall, *, may_retry: bool) -> UpstreamResult:
        """Sends the call and requests the listing at once. The result is withheld if the tool has changed."""
        self._check(known, call)
        listing = owned_task(self._current_listing(Freshness(self._clock())))
        try:
            result = await self._send(known.request.connection, call, may_retry=may_retry)
            self._check(await listing, call, "This tool has changed since it was listed; its result is withheld.")
        finally:
            listing.add_done_callback(ignore_failure)
        return result

    async def _send(self, connection: UpstreamConnection, call: UpstreamCall, *, may_retry: bool) -> UpstreamResult:
        try:
            result = await connection.call_tool(call)
        except MCPError as error:
            if connection.session_is_gone and may_retry:
                await connection.close()
                return await self._call(call, may_retry=False)
            raise_if_broken(self._entry, connection, error)
            return tool_failure(self._entry, error)
        return tool_result(self._entry, result)

    async def _current_connection(self) -> UpstreamConnection:
        if self._connection is not None and self._connection.is_open:
            return self._connection
        return (await self._current_listing(self._now())).request.connection

    def _check(self, listing: ToolListing, call: UpstreamCall, problem: str = NOTHING_RUN) -> None:
        check_unchanged(self._entry, listing, self._last_shown, call, problem)

    def _now(self) -> Freshness:
        return Freshness(self._clock(), always=False)

    def _is_unchanged(self, listing: ToolListing) -> bool:
        return listing.request.epoch == self._epoch and listing.request.connection.is_open

    def _is_fresh(self, listing: ToolListing, fresh: Freshness) -> bool:
        if not fresh.always and self.reports_changes:
            return True
        return listing.request.at >= fresh.since and self._is_unchanged(listing)

    def _is_verified_beside(self, fresh: Freshness) -> bool:
        """Whether the listing is requested together with the call, and not before it."""
        listing = self._listing
        return (
            self._entry.verify == "parallel"
            and not fresh.always
            and not self.reports_changes
            and listing is not None
            and listing.request.connection.is_open
        )

    def _is_resting(self, fresh: Freshness) -> bool:
        is_idle = not self._opening and self._connection is None and self._problem is None
        return is_idle and not fresh.always and not self._closed

    async def _current_listing(self, fresh: Freshness) -> ToolListing:
        known = self._listing
        if known is not None and self._is_fresh(known, fresh):
            return known
        while True:
            if self._closed:
                raise UpstreamError(f"{self.name} has been stopped.", upstream=self.name)
            if self._refreshing is None or self._refreshing.done():
                self._refreshing = owned_task(self._refresh(), context=contextvars.Context())
                self._refreshing.add_done_callback(ignore_failure)
            listing = await asyncio.shield(self._refreshing)
            # A request that was on its way already may have been answered before a change.
            if listing.request.at >= fresh.since:
                return listing

    async def _refresh(self) -> ToolListing:
        connection = await self._open_connection()
        try:
            listing = await self._list(connection)
        except (UpstreamError, UpstreamTimeout) as error:
            if connection.is_open:
                self._problem = error.message
            raise
        self._problem = None
        return listing

    async def _list(self, connection: UpstreamConnection) -> ToolListing:
        request = ListRequest(self._clock(), self._epoch, connection)
        listed = await requested_tools(self._entry, connection)
        if listed is None:
            # The server has dropped our session. Opening a new one is subject to the backoff.
            await connection.close()
            return await self._refresh()
        old = self._listing
        self._listing = await build_listing(self._entry, listed, request, old)
        if old is not None and self._listing.definitions is not old.definitions:
            self._notify_changed()
        return self._listing

    async def _open_connection(self) -> UpstreamConnection:
        await require_token(self.authorization)
        if self._connection is not None and self._connection.is_open:
            return self._connection
        wait = self._backoff.delay()
        if wait > _LONGEST_WAIT:
            raise not_running(self.name, self._problem, wait)
        await asyncio.sleep(wait)
        return await self._open()

    async def _open(self) -> UpstreamConnection:
        connection = UpstreamConnection(
            self._questions,
            allowed_hosts=self._allowed_hosts,
            authorization=self.authorization,
            callbacks=ReportCallbacks(
                self._on_tools_changed, self._on_channel, self._resources.list_changed, self._resources.updated
            ),
            on_ended=self._on_connection_lost,
        )
        self._opening = True
        try:
            if self.instance_limit is not None:
                await self.instance_limit.admit(self)
            self._backoff.starting()
            await connection.open(self._start_seconds)
        except (UpstreamError, UpstreamTimeout) as error:
            self._connection_failed(connection, error.message)
            raise
        finally:
            self._opening = False
            if not connection.is_open:
                await connection.close()
        self._backoff.opened()
        self._usage.touch()
        self._history.opened()
        self._problem = None
        self._connection = connection
        self._resources.opened(connection)
        return connection

    def _on_tools_changed(self) -> None:
        is_news = self._listing is not None and self._listing.request.epoch == self._epoch
        self._epoch += 1
        if is_news:
            self._notify_changed()

    def _on_channel(self) -> None:
        """The channel for changes was opened or lost: a change in between was not reported."""
        self._epoch += 1

    def _on_connection_lost(self, connection: UpstreamConnection) -> None:
        if connection is self._connection and not self._closed:
            self._connection_failed(connection, connection.problem)
            self._notify_changed()
            self._resources.ended()

    def _connection_failed(self, connection: UpstreamConnection, problem: str) -> None:
        self._history.failed(problem, connection.log)
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
                await self._current_listing(self._now())
            except LongtableError:
                continue
            self._notify_changed()
            self._resources.ended()

    async def _poll(self) -> None:
        """Notices changes and failures that the server does not report."""
        while True:
            await asyncio.sleep(self.poll_every)
            if self._connection is None or not self._connection.is_open:
                continue
            try:
                await self._current_listing(Freshness(self._clock()))
            except LongtableError:
                self._notify_changed()

    def _notify_changed(self) -> None:
        for callback in self._change_callbacks:
            callback()
