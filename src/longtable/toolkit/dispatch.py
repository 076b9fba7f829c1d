"""Runs a tool for a caller: session, role, arguments, the work, the envelope. One way for MCP and REST."""

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from longtable.kernel.call import Call, CurrentSession
from longtable.kernel.call_limits import CallLimits
from longtable.kernel.caller import Caller
from longtable.kernel.canonical import canonical, digest_of
from longtable.kernel.clock import Clock
from longtable.kernel.content import check_nul
from longtable.kernel.delivery import uninterrupted
from longtable.kernel.errors import (
    Forbidden,
    InternalError,
    InvalidArgument,
    LongtableError,
    NotFound,
    RateLimited,
    ShuttingDown,
)
from longtable.kernel.in_flight import InFlight
from longtable.kernel.logs import logger
from longtable.kernel.result import Result
from longtable.log.ledger import Ledger
from longtable.toolkit.arguments import parse_arguments
from longtable.toolkit.envelope import session_named, wrap, wrap_error
from longtable.toolkit.keys import KEY, with_key
from longtable.toolkit.ports import CallMeter, Inbox, SessionGate
from longtable.toolkit.tool import Arguments, Envelope, Scope, Tool, WriteArguments

SUCCESS = "SUCCESS"
CANCELLED = "CANCELLED"
"""What metrics and log call a call whose client went away or took it back."""


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """`body` is the whole envelope; `error` is set when it tells of a failure."""

    body: dict[str, Any]
    error: LongtableError | None = None

    @property
    def code(self) -> str:
        return SUCCESS if self.error is None else self.error.code


@dataclass(frozen=True, slots=True)
class Invocation:
    """A call before anything about it was checked, besides who makes it. `idempotency_key` is one that came beside
    the arguments. `refusal` is what the edge found
    wrong with its session where the transport can only say so in the result. What is read `as_resource` is read by
    a program that keeps a view up to date: nobody is told, and no agent has seen it yet."""

    tool: str
    arguments: Mapping[str, Any]
    caller: Caller
    current_session: CurrentSession
    idempotency_key: Any = None
    refusal: LongtableError | None = None
    as_resource: bool = False


@dataclass(slots=True)
class _Progress:
    """How far a call has got: its caller in the session that was found."""

    placed: Caller | None = None


class ToolSource(Protocol):
    """What there is to call."""

    @property
    def tools(self) -> Iterable[Tool[Any]]: ...

    @property
    def inbox(self) -> Inbox: ...


class Dispatcher:
    """The tools are made when the first is needed, so that a client which only lists them does not wait for that."""

    def __init__(
        self, offered: Callable[[], ToolSource], ledger: Ledger, gate: SessionGate, clock: Clock, limits: CallLimits
    ) -> None:
        self._offered = offered
        self.limits = limits
        self._ledger = ledger
        self._gate = gate
        self._clock = clock
        self.meter: CallMeter | None = None
        self.in_flight = InFlight()

    @cached_property
    def tools(self) -> dict[str, Tool[Any]]:
        return {tool.name: tool for tool in self._offered().tools}

    async def call(self, invocation: Invocation, envelope: Envelope | None = None) -> CallOutcome:
        """Never raises: every failure comes back in the envelope of the tool, or in `envelope`."""
        tool = self.tools.get(invocation.tool)
        shape = envelope or (tool.envelope if tool else Envelope.OK)
        started, progress = time.perf_counter(), _Progress()
        with self.in_flight:
            try:
                with self.limits.counting(invocation.caller):
                    fields, moment = await self._run(tool, invocation, progress)
                outcome = CallOutcome(wrap(shape, fields, moment))
            except LongtableError as error:
                outcome = self._failed(shape, error, progress.placed or _expected(tool, invocation))
            except asyncio.CancelledError:
                self._account(tool, invocation, CANCELLED, time.perf_counter() - started)
                raise
            except Exception as bug:  # noqa: BLE001 - the last net: a bug of ours becomes INTERNAL_ERROR and a log line
                internal = _internal(invocation, bug)
                outcome = self._failed(shape, internal, progress.placed or _expected(tool, invocation))
        self._account(tool, invocation, outcome.code, time.perf_counter() - started)
        return outcome

    def _failed(self, shape: Envelope, error: LongtableError, caller: Caller) -> CallOutcome:
        return CallOutcome({**wrap_error(shape, error, self._clock()), **session_named(caller)}, error)

    async def _run(
        self, tool: Tool[Any] | None, invocation: Invocation, progress: _Progress
    ) -> tuple[dict[str, Any], int]:
        if self.in_flight.draining:
            raise ShuttingDown("The server is shutting down.", hint="Try again in a moment.")
        if tool is None:
            raise NotFound(f"There is no tool {invocation.tool[:100]!r}.", hint="tools/list shows those there are.")
        if invocation.refusal is not None and tool.scope is not Scope.TENANT:
            raise invocation.refusal
        call = Call(invocation.caller, tool.name, tool.audited_as, current_session=invocation.current_session)
        try:
            return await self._checked(tool, call, invocation, progress)
        except LongtableError as error:
            self._ledger.observe(call, error.code)
            raise

    async def _checked(
        self, tool: Tool[Any], call: Call, invocation: Invocation, progress: _Progress
    ) -> tuple[dict[str, Any], int]:
        named = invocation.arguments.get("session_id") if tool.scope in _NAMING else None
        named = named if isinstance(named, str) and (named or tool.scope is Scope.OTHER_SESSION) else None
        caller = progress.placed = await self._gate.place(tool, invocation.caller, named, invocation.current_session)
        if _has_inbox(caller) and not invocation.as_resource:
            self._offered().inbox.confirm(caller)
        if caller.role not in tool.roles:
            raise Forbidden(f"The role {caller.role} may not use {tool.name}.", allowed=sorted(tool.roles))
        if tool.writes and not tool.frees:
            self.limits.check_stored_bytes(caller.tenant)
        given = with_key(invocation.arguments, invocation.idempotency_key) if tool.writes else invocation.arguments
        arguments = parse_arguments(tool.arguments, given)
        call = _described(call, caller, given, arguments)
        result = await _finished(tool, call, arguments) if tool.writes else await tool.run(call, arguments)
        if not tool.writes:
            object, told = result.observation
            self._ledger.observe(call, "SUCCESS", object, () if invocation.as_resource else told)
        fields = result.model_dump(mode="json")
        if not caller.bound and "session_id" not in fields:
            fields |= session_named(caller)
        hint = None if invocation.as_resource else await self._hint(caller, result)
        if hint is not None:
            fields["inbox"] = hint
        return fields, result.moment or self._clock()

    async def _hint(self, caller: Caller, result: Result) -> dict[str, int] | None:
        """What waits for the caller. A hint that cannot be had never spoils the result."""
        if not _has_inbox(caller) or result.replayed:
            return None
        inbox = self._offered().inbox
        if result.fetched is not None:
            inbox.offer(caller, result.fetched)
        try:
            return await inbox.hint(caller, result.fetched)
        except LongtableError:
            return None

    def _account(self, tool: Tool[Any] | None, invocation: Invocation, code: str, seconds: float) -> None:
        if self.meter is not None:
            self.meter.called(tool.name if tool else "unknown", code, seconds)
        # What a limit refuses is counted and logged there: one caller must not fill the log.
        level = "debug" if code in (SUCCESS, CANCELLED, RateLimited.code) else "info"
        if not logger.writes(level):
            return
        logger.log(
            level,
            "tool_called",
            code=code,
            tool=tool.name if tool else "unknown",
            tenant=invocation.caller.tenant,
            session=invocation.caller.session_id,
            agent=invocation.caller.agent,
            duration_ms=round(seconds * 1000, 2),
        )


async def _finished(tool: Tool[Any], call: Call, arguments: Any) -> Result:
    """What changes something is never left halfway."""
    with uninterrupted():
        return await tool.run(call, arguments)


def _has_inbox(caller: Caller) -> bool:
    return caller.session_id is not None and not caller.is_human


def _expected(tool: Tool[Any] | None, invocation: Invocation) -> Caller:
    """In the session of the connection, for a call that was refused before it was looked up."""
    caller, session_id = invocation.caller, invocation.current_session.session_id
    needs_one = tool is not None and tool.scope in (Scope.SESSION, Scope.NAMED_SESSION)
    if not needs_one or session_id is None or caller.session_id is not None or invocation.arguments.get("session_id"):
        return caller
    return caller.inside(session_id)


_NAMING = (Scope.NAMED_SESSION, Scope.OTHER_SESSION, Scope.SESSION_IF_NAMED)


def _described(call: Call, caller: Caller, given: Mapping[str, Any], arguments: Arguments) -> Call:
    plain = {name: value for name, value in given.items() if name != KEY}
    try:
        text = canonical(plain)
        # Texts among the arguments have types that refuse it; what lies inside of others has not.
        check_nul("", {name: value for name, value in plain.items() if not isinstance(value, str)}, text)
    except RecursionError:
        raise InvalidArgument.at("arguments", "must not be nested too deeply") from None
    key = arguments.idempotency_key if isinstance(arguments, WriteArguments) else None
    return Call(
        caller, call.operation, call.audited_as, digest_of(text), key, call.current_session, call.metadata, len(text)
    )


def _internal(invocation: Invocation, bug: Exception) -> InternalError:
    error_id = secrets.token_hex(8)
    logger.failed("internal_error", bug, error_id=error_id, tool=invocation.tool[:100])
    return InternalError(f"Something went wrong on our side (error {error_id}).", error_id=error_id)
