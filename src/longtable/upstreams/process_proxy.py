"""Client of the process proxy: uses the programs that a server on the same store runs; without one, starts its own."""

import asyncio
import contextvars
import itertools
import json
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any

from longtable.governance.model import Hints, ToolDefinition, ToolIdentity, WithheldTool
from longtable.kernel.background import owned_task
from longtable.kernel.errors import (
    CapacityLimitReached,
    LongtableError,
    NotFound,
    ToolQuarantined,
    UpstreamError,
    UpstreamTimeout,
)
from longtable.kernel.tracing import trace_fields
from longtable.upstreams.client_channel import ClientChannel
from longtable.upstreams.directory import InstanceKey
from longtable.upstreams.entries import StdioEntry
from longtable.upstreams.forbidden_program import ForbiddenProgram
from longtable.upstreams.mcp_upstream import START_SECONDS
from longtable.upstreams.port import Freshness, Health, Progress, Upstream, UpstreamCall, UpstreamResult, UpstreamStatus
from longtable.upstreams.process_proxy_server import LONGEST_LINE, ProgramOffer, program_key
from longtable.upstreams.proxied_client import PatientClient, PendingRequest, answer_question
from longtable.upstreams.proxied_subscriptions import ProxiedSubscriptions
from longtable.upstreams.requests import McpRequests, UpstreamRequest

HOST_SECONDS = 10.0
"""How long a worker waits while the process that runs its programs is restarted."""
_GRACE_SECONDS = 5.0
_RETRY_SECONDS = 0.05
_FAILURES: dict[str, type[LongtableError]] = {
    failure.code: failure
    for failure in (UpstreamError, UpstreamTimeout, NotFound, ToolQuarantined, CapacityLimitReached)
}


class NoProxyServer(Exception):
    """No server runs here, or it does not have this upstream."""


class UnknownProgram(NoProxyServer):
    """The server does not have this upstream."""


class ProcessProxy:
    """One connection to the host for all upstreams of this process, opened when needed. `timeout` is how many seconds
    to wait for the host."""

    def __init__(self, path: Path, *, timeout: float = 0.0) -> None:
        self._path = path
        self._timeout = timeout
        self.states: dict[str, tuple[Health, str | None, UpstreamStatus]] = {}
        self._numbers = itertools.count(1)
        self._pending: dict[int, PendingRequest] = {}
        self._change_callbacks: defaultdict[str, list[Callable[[], None]]] = defaultdict(list)
        self.reports: dict[str, Callable[[dict[str, Any]], None]] = {}
        """Callbacks by the key of an upstream, for what it reports beside changed tools, or that the host is gone."""
        self._opening = asyncio.Lock()
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None

    def on_change(self, key: str, callback: Callable[[], None]) -> None:
        self._change_callbacks[key].append(callback)

    def remove_callback(self, key: str, callback: Callable[[], None]) -> None:
        left = [each for each in self._change_callbacks.pop(key, ()) if each != callback]
        if left:
            self._change_callbacks[key] = left

    async def request(
        self, message: dict[str, Any], progress: Progress | None = None, client: ClientChannel | None = None
    ) -> dict[str, Any]:
        """Raises NoProxyServer, or the error of the upstream; returns `gone` when the host ended before it replied."""
        writer = await self._connected()
        number = next(self._numbers)
        pending = self._pending[number] = PendingRequest(progress, client)
        if client is not None:
            message = {**message, "client": {"log_level": client.log_level}}
        try:
            _write(writer, {"id": number, **message})
            reply = await pending.reply
        except asyncio.CancelledError:
            with suppress(NoProxyServer):
                _write(writer, {"id": number, "ask": "cancel"})
            raise
        finally:
            del self._pending[number]
            for question in pending.questions:
                question.cancel()
        self._update_state(message["mark"], reply)
        return _checked(reply)

    async def close(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait({self._reading})

    async def _connected(self) -> asyncio.StreamWriter:
        async with self._opening:
            if self._writer is None:
                reader, self._writer = await self._open()
                # In a context of its own: the first caller's context variables do not belong to the others.
                self._reading = owned_task(self._read(reader, self._writer), context=contextvars.Context())
            return self._writer

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        ends = time.monotonic() + self._timeout
        while True:
            try:
                return await asyncio.open_unix_connection(self._path, limit=LONGEST_LINE)
            except (OSError, ValueError):
                if time.monotonic() >= ends:
                    raise NoProxyServer from None
            await asyncio.sleep(_RETRY_SECONDS)

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                await self._dispatch(json.loads(line))
        except (OSError, ValueError):
            return
        finally:
            self._writer = None
            self.states.clear()
            writer.close()
            for pending in self._pending.values():
                if not pending.reply.done():
                    pending.reply.set_result({"gone": True})
            for key in list(self._change_callbacks):
                self._notify_changed(key)
            for report in list(self.reports.values()):
                report({"gone": True})

    async def _dispatch(self, message: dict[str, Any]) -> None:
        if "changed" in message:
            self._update_state(message["changed"], message)
            self._notify_changed(message["changed"])
            return
        if "id" not in message:
            report = self.reports.get(message.get("updated") or message.get("list_changed", ""))
            if report is not None:
                report(message)
            return
        pending = self._pending.get(message["id"])
        if pending is None or pending.reply.done():
            return
        if "question" in message:
            pending.questions.append(owned_task(self._answer(message, pending.client)))
        elif "log" in message or "progress" in message:
            with suppress(Exception):  # A client that is gone must not end the calls of others.
                await pending.pass_on(message)
        else:
            pending.reply.set_result(message)

    async def _answer(self, message: dict[str, Any], client: ClientChannel | None) -> None:
        answer = {"id": message["id"], **await answer_question(client, message)}
        with suppress(NoProxyServer):
            if self._writer is not None:
                _write(self._writer, answer)

    def _update_state(self, key: str, reply: dict[str, Any]) -> None:
        if "health" in reply:
            status = reply.get("status", {})
            status = UpstreamStatus(**{**status, "log": tuple(status.get("log", ()))})
            self.states[key] = (reply["health"], reply["problem"], status)

    def _notify_changed(self, key: str) -> None:
        for callback in list(self._change_callbacks.get(key, ())):
            callback()


class ProxiedUpstream:
    """`own` is used where no server shares the program, and always once it was started. The server gets the
    entry of a program that it does not have yet."""

    def __init__(
        self,
        own: Upstream,
        entry: StdioEntry,
        proxy: ProcessProxy,
        instance: InstanceKey,
        *,
        source: str = "",
        start_seconds: float = START_SECONDS,
    ) -> None:
        self._own = own
        self.entry = entry
        self._instance = astuple(instance)
        self._key = program_key(entry)
        self._offer = ProgramOffer(instance, entry, source or self._key, isinstance(own, ForbiddenProgram))
        self._timeout = start_seconds + entry.limits.timeout + _GRACE_SECONDS
        self._proxy = proxy
        self._listed: str | None = None
        self._definitions: Sequence[ToolDefinition] = ()
        self._withheld: Sequence[WithheldTool] = ()
        self._epoch = 0
        self._holds_in: int | None = None
        """The epoch in which `_definitions` hold until a change is reported."""
        self._change_callbacks: list[Callable[[], None]] = []
        proxy.on_change(self._key, self._on_change)
        self._subscriptions = ProxiedSubscriptions(own, self._ask_about)
        self.subscribe = self._subscriptions.subscribe
        self.unsubscribe = self._subscriptions.unsubscribe
        self.on_list_change = self._subscriptions.on_list_change
        proxy.reports[self._key] = self._subscriptions.receive

    @property
    def name(self) -> str:
        return self._own.name

    @property
    def health(self) -> Health:
        return self._own.health if self._uses_own else self._state[0]

    @property
    def problem(self) -> str | None:
        return self._own.problem if self._uses_own else self._state[1]

    @property
    def status(self) -> UpstreamStatus:
        return self._own.status if self._uses_own else self._state[2]

    @property
    def _state(self) -> tuple[Health, str | None, UpstreamStatus]:
        return self._proxy.states.get(self._key, ("idle", None, UpstreamStatus()))

    @property
    def _uses_own(self) -> bool:
        return self._own.health != "idle"

    def on_change(self, callback: Callable[[], None]) -> None:
        self._own.on_change(callback)
        self._change_callbacks.append(callback)

    @property
    def reports_changes(self) -> bool:
        return self._own.reports_changes if self._uses_own else self._holds_in == self._epoch

    @property
    def withheld(self) -> Sequence[WithheldTool]:
        return self._own.withheld if self._uses_own else self._withheld

    def _on_change(self) -> None:
        self._epoch += 1
        for callback in self._change_callbacks:
            callback()

    async def definitions(self, fresh: Freshness | None = None) -> Sequence[ToolDefinition]:
        """The same object as before when nothing has changed. The host compares once more before a call."""
        fresh = fresh or Freshness(time.monotonic(), always=False)
        if not fresh.always and not self._uses_own and self.reports_changes:
            return self._definitions
        epoch = self._epoch
        try:
            reply = await self._request({"ask": "definitions", "known": self._listed, "fresh": asdict(fresh)})
        except NoProxyServer:
            return await self._own.definitions(fresh)
        self._holds_in = epoch if reply["reports_changes"] else None
        if "same" not in reply:
            self._store(reply)
        return self._definitions

    def _store(self, reply: dict[str, Any]) -> None:
        definitions = tuple(_definition(raw) for raw in reply["result"])
        # By their digests: values that Python takes for equal may differ.
        if [each.digest for each in definitions] != [each.digest for each in self._definitions]:
            self._definitions = definitions
        self._withheld = tuple(WithheldTool(**raw) for raw in reply["withheld"])
        self._listed = reply["tag"]

    async def call(self, call: UpstreamCall) -> UpstreamResult:
        fresh = None if call.fresh is None else asdict(call.fresh)
        message = {
            "ask": "call",
            "tool": call.tool,
            "inputs": dict(call.inputs),
            "digest": call.digest,
            "fresh": fresh,
            "trace": trace_fields(),
        }
        try:
            reply = await self._request(message, call.progress, call.client)
        except NoProxyServer:
            return await self._own.call(call)
        return UpstreamResult(**reply["result"])

    async def request(self, request: UpstreamRequest) -> dict[str, Any]:
        message = {"ask": "request", "method": request.method, "params": dict(request.params)}
        try:
            reply = await self._request(message, None, request.client)
        except NoProxyServer:
            if not isinstance(self._own, McpRequests):
                raise UpstreamError(f"The process that runs {self.name} does not answer.", upstream=self.name) from None
            return await self._own.request(request)
        result: dict[str, Any] = reply["result"]
        return result

    async def _ask_about(self, ask: str, uri: str) -> bool:
        """False where no server shares the program."""
        try:
            await self._request({"ask": ask, "uri": uri})
        except NoProxyServer:
            return False
        return True

    async def close(self) -> None:
        self._proxy.remove_callback(self._key, self._on_change)
        if self._proxy.reports.get(self._key) == self._subscriptions.receive:
            del self._proxy.reports[self._key]
        await self._subscriptions.close()
        await self._own.close()

    async def end(self) -> None:
        """Stops the program, which others may share."""
        with suppress(NoProxyServer, TimeoutError):
            async with asyncio.timeout(_GRACE_SECONDS):
                await self._send({"ask": "end"})

    async def _send(
        self, message: dict[str, Any], progress: Progress | None = None, client: ClientChannel | None = None
    ) -> dict[str, Any]:
        return await self._proxy.request({**message, "mark": self._key, "instance": self._instance}, progress, client)

    async def _send_with_entry(
        self, message: dict[str, Any], progress: Progress | None, client: ClientChannel | None
    ) -> dict[str, Any]:
        try:
            return await self._send(message, progress, client)
        except UnknownProgram:
            await self._send({"ask": "hand_over", **self._offer.encoded()})
            return await self._send(message, progress, client)

    async def _request(
        self, message: dict[str, Any], progress: Progress | None = None, client: ClientChannel | None = None
    ) -> dict[str, Any]:
        if self._uses_own:
            raise NoProxyServer
        try:
            # The server has shorter timeouts; this one is for a server that hangs.
            async with asyncio.timeout(self._timeout) as limit:
                patient = None if client is None else PatientClient(client, limit, self._timeout)
                reply = await self._send_with_entry(message, progress, patient)
        except TimeoutError:
            problem = f"The server that runs {self.name} did not answer within {self._timeout:g} s."
            raise UpstreamTimeout(problem, upstream=self.name, timeout=self._timeout) from None
        if "gone" in reply:
            raise UpstreamError(f"{self.name} broke off: the process that runs it has gone.", upstream=self.name)
        return reply


def _write(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    try:
        writer.write(json.dumps(message).encode() + b"\n")
    except (OSError, RuntimeError):  # uvloop raises RuntimeError for a closed socket.
        raise NoProxyServer from None


def _checked(reply: dict[str, Any]) -> dict[str, Any]:
    if "none" in reply:
        raise UnknownProgram
    if "error" in reply:
        error = reply["error"]
        raise _FAILURES.get(error["code"], UpstreamError)(error["message"], **error["details"])
    return reply


def _definition(raw: dict[str, Any]) -> ToolDefinition:
    return ToolDefinition(**{**raw, "identity": ToolIdentity(**raw["identity"]), "hints": Hints(**raw["hints"])})
