"""Runs a tool for a caller: session, role, arguments, the work, the envelope. One way for MCP and REST."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple, Protocol

from pydantic_core import from_json, to_json

from longtable.kernel.call import Call, CurrentSession
from longtable.kernel.call_limits import CallLimits
from longtable.kernel.caller import Caller
from longtable.kernel.canonical import canonical, digest_of
from longtable.kernel.clock import Clock, to_iso
from longtable.kernel.content import NUL_ESCAPE, check_nul
from longtable.kernel.delivery import Uninterrupted
from longtable.kernel.errors import (
    Forbidden,
    InternalError,
    InvalidArgument,
    LongtableError,
    NotFound,
    RateLimited,
)
from longtable.kernel.logs import logger
from longtable.kernel.result import Fetched, Result
from longtable.kernel.suggestions import did_you_mean
from longtable.log.ledger import Ledger
from longtable.toolkit.answer_size import DEFAULT_CHARS, within
from longtable.toolkit.arguments import parse_arguments
from longtable.toolkit.envelope import session_named, wrap_error
from longtable.toolkit.keys import KEY, with_key
from longtable.toolkit.ports import CallMeter, Inbox, ResolvesSession, UsageRecorder
from longtable.toolkit.tool import Arguments, Envelope, Scope, Tool, WriteArguments

SUCCESS = "SUCCESS"
CANCELLED = "CANCELLED"
"""What metrics and log call a call whose client went away or took it back."""


class CallOutcome(NamedTuple):
    """`envelope` is all that is answered, encoded where its result was; `error` is set when it tells of a failure."""

    envelope: dict[str, Any] | bytes
    error: LongtableError | None = None

    @property
    def body(self) -> dict[str, Any]:
        if isinstance(self.envelope, dict):
            return self.envelope
        body: dict[str, Any] = from_json(self.envelope)
        return body

    @property
    def code(self) -> str:
        return SUCCESS if self.error is None else self.error.code


class Invocation(NamedTuple):
    """A call of which nothing was checked yet but who makes it. `idempotency_key` is one that came beside the
    arguments. `refusal` is what the edge found wrong with its session where the transport can only say so in the
    result. What is read `as_resource` is read by a program that keeps a view up to date: nothing is logged for
    listeners, and no agent has seen it yet."""

    tool: str
    arguments: Mapping[str, Any]
    caller: Caller
    current_session: CurrentSession
    idempotency_key: Any = None
    refusal: LongtableError | None = None
    as_resource: bool = False
    is_session_checked: bool = False
    """Whether the edge has found the caller's session open."""
    meta: Mapping[str, Any] | None = None
    """What else came beside the arguments, where it tells of usage."""
    wrong_arguments: LongtableError | None = None
    """What the edge found wrong with the arguments that it could not pass on."""


@dataclass(slots=True)
class _CountedCall:
    """A call whose usage is counted, with its result once there is one."""

    result: Result | None = None


class ToolSource(Protocol):
    """What there is to call."""

    @property
    def tools(self) -> Iterable[Tool[Any]]: ...

    @property
    def inbox(self) -> Inbox: ...

    @property
    def call_usage(self) -> UsageRecorder: ...


class Dispatcher:
    """The tools are built when the first is needed, so that a client which only lists them does not wait for that."""

    def __init__(
        self,
        offered: Callable[[], ToolSource],
        ledger: Ledger,
        session_resolver: ResolvesSession,
        clock: Clock,
        limits: CallLimits,
    ) -> None:
        self._offered = offered
        self.limits = limits
        self._ledger = ledger
        self._session_resolver = session_resolver
        self._clock = clock
        self.meter: CallMeter | None = None
        self.on_outcome: Callable[[Caller, str], None] | None = None
        """Called with who has called, in the session that was found, and with the code of the outcome."""

    @cached_property
    def tools(self) -> dict[str, Tool[Any]]:
        return {tool.name: tool for tool in self._offered().tools}

    @cached_property
    def _tools_over_mcp(self) -> dict[str, Tool[Any]]:
        """Some tools are not for agents."""
        return {name: tool for name, tool in self.tools.items() if tool.over_mcp}

    @cached_property
    def _inbox(self) -> Inbox:
        return self._offered().inbox

    @cached_property
    def _usage(self) -> UsageRecorder:
        return self._offered().call_usage

    async def call(self, invocation: Invocation, envelope: Envelope | None = None) -> CallOutcome:
        """Never raises: every failure comes back in the envelope of the tool, or in `envelope`."""
        caller = invocation.caller
        offered = self._tools_over_mcp if caller.is_over_mcp and not invocation.as_resource else self.tools
        tool = offered.get(invocation.tool)
        shape = envelope or (tool.envelope if tool else Envelope.OK)
        started, is_counted, code = time.perf_counter(), False, SUCCESS
        # Filled with the caller in the session that was found.
        placed: list[Caller] = []
        try:
            self.limits.enter(caller)
            is_counted = True
            result, added = await self._run(tool, invocation, placed)
            return CallOutcome(_wrapped(shape, result, added, result.moment or self._clock()))
        except LongtableError as error:
            code = error.code
            return self._failed(shape, error, _expected(placed, tool, invocation))
        except asyncio.CancelledError:
            code = CANCELLED
            raise
        except Exception as bug:  # noqa: BLE001 - the last net: a bug of ours becomes INTERNAL_ERROR and a log line
            code = InternalError.code
            return self._failed(shape, _internal(invocation, bug), _expected(placed, tool, invocation))
        finally:
            if is_counted:
                self.limits.leave(caller)
            self._account(tool, (*placed, caller)[0], code, time.perf_counter() - started)

    def _failed(self, shape: Envelope, error: LongtableError, caller: Caller) -> CallOutcome:
        return CallOutcome({**wrap_error(shape, error, self._clock()), **session_named(caller)}, error)

    async def _run(
        self, tool: Tool[Any] | None, invocation: Invocation, placed: list[Caller]
    ) -> tuple[Result, dict[str, Any]]:
        if tool is None:
            raise self.no_such_tool(invocation.tool, invocation.caller)
        try:
            if invocation.refusal is not None:
                raise invocation.refusal
            is_placed = invocation.is_session_checked and tool.scope is Scope.SESSION
            caller = invocation.caller if is_placed else await self._placed(tool, invocation)
            placed.append(caller)
            return await self._checked(tool, invocation, caller)
        except LongtableError as error:
            self._ledger.observe(_refused(tool, invocation, placed), error.code)
            raise

    def no_such_tool(self, name: str, caller: Caller) -> NotFound:
        usable = (tool.name for tool in self.tools.values() if tool.over_mcp and tool.is_for(caller))
        hint = did_you_mean(name, usable, "tools/list shows those there are.")
        return NotFound(f"There is no tool {name[:100]!r}.", hint=hint)

    async def _placed(self, tool: Tool[Any], invocation: Invocation) -> Caller:
        """The caller in the session that the call acts in."""
        scope = tool.scope
        named = invocation.arguments.get("session_id") if scope in _NAMING else None
        if invocation.is_session_checked and named is None and scope in _OWN_SESSION:
            return invocation.caller
        if named is not None and not isinstance(named, str):
            # Refused for what it is: no session is missing, and none is made.
            parse_arguments(tool.arguments, invocation.arguments)
        named = named if isinstance(named, str) and (named or scope is Scope.OTHER_SESSION) else None
        return await self._session_resolver.resolve(tool, invocation.caller, named, invocation.current_session)

    async def _checked(self, tool: Tool[Any], invocation: Invocation, caller: Caller) -> tuple[Result, dict[str, Any]]:
        """The result, and what is added to its fields."""
        has_inbox = caller.session_id is not None and not caller.is_human and not invocation.as_resource
        if has_inbox:
            self._inbox.confirm(caller)
        if caller.role not in tool.roles and not tool.is_for_unbound(caller):
            raise Forbidden(f"The role {caller.role} may not use {tool.name}.", allowed=sorted(tool.roles))
        result = await self._begun(tool, invocation, caller)
        added: dict[str, Any] = {} if caller.bound else {**session_named(caller)}
        if has_inbox and not result.replayed:
            await self._add_hint(added, caller, result.fetched)
        return result, added

    def _begun(self, tool: Tool[Any], invocation: Invocation, caller: Caller) -> Awaitable[Result]:
        if invocation.wrong_arguments is not None:
            raise invocation.wrong_arguments
        work = self._write(tool, invocation, caller) if tool.writes else self._read(tool, invocation, caller)
        # Most calls tell nothing of usage, and thousands may wait.
        return work if invocation.meta is None else self._counted(work, invocation, caller)

    async def _counted(self, work: Awaitable[Result], invocation: Invocation, caller: Caller) -> Result:
        with self.counting_usage(caller, invocation.meta, invocation.arguments, invocation.idempotency_key) as counted:
            counted.result = await work
            return counted.result

    @contextmanager
    def counting_usage(
        self, caller: Caller, usage: Mapping[str, Any] | None, arguments: Mapping[str, Any], key: Any = None
    ) -> Iterator[_CountedCall]:
        """Counts what a call tells of usage once, however often it is repeated: one with a key counts when it is done,
        one without a key also when it fails."""
        counted = _CountedCall()
        try:
            yield counted
        finally:
            result, has_key = counted.result, bool(key or arguments.get(KEY))
            is_first = not has_key if result is None else not result.replayed
            if usage is not None and is_first:
                self._usage.record(caller, usage)

    async def _read(self, tool: Tool[Any], invocation: Invocation, caller: Caller) -> Result:
        arguments = parse_arguments(tool.arguments, invocation.arguments)
        call = _described(tool, invocation, caller, invocation.arguments, arguments)
        result = await tool.run(call, arguments)
        object, events = result.observation
        self._ledger.observe(call, SUCCESS, object, () if invocation.as_resource else events)
        return result if call.max_chars is None else within(result, call.max_chars)

    async def _write(self, tool: Tool[Any], invocation: Invocation, caller: Caller) -> Result:
        if not tool.frees:
            self.limits.check_stored_bytes(caller.tenant)
        given, key = invocation.arguments, invocation.idempotency_key
        if key is not None and key != "":
            given = with_key(given, key)
        arguments = parse_arguments(tool.arguments, given)
        call = _described(tool, invocation, caller, given, arguments)
        # What changes something is never left halfway.
        with Uninterrupted():
            result = await tool.run(call, arguments)
        return result if call.max_chars is None else within(result, call.max_chars)

    async def _add_hint(self, added: dict[str, Any], caller: Caller, fetched: Fetched | None) -> None:
        """What waits for the caller. A hint that cannot be had never spoils the result."""
        if fetched is not None:
            self._inbox.offer(caller, fetched)
        with suppress(LongtableError):
            hint = await self._inbox.hint(caller, fetched)
            if hint is not None:
                added["inbox"] = hint

    def _account(self, tool: Tool[Any] | None, caller: Caller, code: str, seconds: float) -> None:
        if self.meter is not None:
            self.meter.called(tool.name if tool else "unknown", code, seconds)
        if self.on_outcome is not None:
            self.on_outcome(caller, code)
        # What a limit refuses is counted and logged there: one caller must not fill the log.
        is_usual = code in (SUCCESS, CANCELLED, RateLimited.code)
        if is_usual and not logger.is_debugging:
            return
        logger.log(
            "debug" if is_usual else "info",
            "tool_called",
            code=code,
            tool=tool.name if tool else "unknown",
            tenant=caller.tenant,
            session=caller.session_id,
            agent=caller.agent,
            duration_ms=round(seconds * 1000, 2),
        )


def _wrapped(envelope: Envelope, result: Result, added: dict[str, Any], now: int) -> dict[str, Any] | bytes:
    """The counterpart of `wrap_error`, encoded where the result is. A session that a result names itself stays."""
    if result.encoded is not None:
        if "session_id" in added and _names_session(type(result)):
            added = {name: value for name, value in added.items() if name != "session_id"}
        return _spliced(envelope, result.encoded, added, now)
    fields = result.json_fields()
    for name, value in added.items():
        fields.setdefault(name, value)
    if envelope is Envelope.OK:
        return {"ok": True, **fields}
    return {"success": True, "timestamp": to_iso(now), **fields, "code": SUCCESS}


@cache
def _names_session(kind: type[Result]) -> bool:
    """Whether every result of the kind has `session_id`; where it is optional, the dispatcher adds it."""
    field = kind.model_fields.get("session_id")
    return field is not None and field.is_required()


def _spliced(envelope: Envelope, encoded: bytes, added: dict[str, Any], now: int) -> bytes:
    more = b"," + to_json(added)[1:-1] if added else b""
    if envelope is Envelope.OK:
        return b'{"ok":true,%s%s}' % (encoded[1:-1], more)
    return b'{"success":true,"timestamp":"%s",%s%s,"code":"SUCCESS"}' % (to_iso(now).encode(), encoded[1:-1], more)


def _expected(placed: Sequence[Caller], tool: Tool[Any] | None, invocation: Invocation) -> Caller:
    """The caller in the session that was found, or in that of the connection, for a call that was refused before."""
    if placed:
        return placed[0]
    caller, session_id = invocation.caller, invocation.current_session.session_id
    needs_one = tool is not None and tool.scope in (Scope.SESSION, Scope.NAMED_SESSION)
    if not needs_one or session_id is None or caller.session_id is not None or invocation.arguments.get("session_id"):
        return caller
    return caller.inside(session_id)


def _refused(tool: Tool[Any], invocation: Invocation, placed: Sequence[Caller]) -> Call:
    """A call that was refused, as its record names it: without a digest where its arguments cannot be spelled."""
    caller = placed[0] if placed else invocation.caller
    plain = {name: value for name, value in invocation.arguments.items() if name != KEY}
    text = ""
    with suppress(RecursionError, TypeError, ValueError):
        text = canonical(plain)
    return Call(caller, tool.name, tool.audited_as, digest_of(text) if text else "")


_OWN_SESSION = (Scope.SESSION, Scope.NAMED_SESSION)
_NAMING = (Scope.NAMED_SESSION, Scope.OTHER_SESSION, Scope.SESSION_IF_NAMED)


def _described(
    tool: Tool[Any], invocation: Invocation, caller: Caller, given: Mapping[str, Any], arguments: Arguments
) -> Call:
    plain = {name: value for name, value in given.items() if name != KEY}
    try:
        text = canonical(plain)
        if NUL_ESCAPE in text:
            # Texts among the arguments have types that refuse it; what lies inside of others has not.
            check_nul("", {name: value for name, value in plain.items() if not isinstance(value, str)}, text)
    except RecursionError:
        raise InvalidArgument.at("arguments", "must not be nested too deeply") from None
    # Not `getattr`, which is slow where a model has no such field.
    max_chars = vars(arguments).get("max_chars", 0)
    return Call(
        caller,
        tool.name,
        tool.audited_as,
        digest_of(text),
        arguments.idempotency_key if isinstance(arguments, WriteArguments) else None,
        invocation.current_session,
        size=len(text),
        max_chars=_limit(invocation) if max_chars is None else max_chars or None,
        as_resource=invocation.as_resource,
    )


def _limit(invocation: Invocation) -> int | None:
    """The length of an answer to a call that says nothing about it."""
    return DEFAULT_CHARS if invocation.caller.is_over_mcp and not invocation.as_resource else None


def _internal(invocation: Invocation, bug: Exception) -> InternalError:
    error_id = secrets.token_hex(8)
    logger.failed("internal_error", bug, error_id=error_id, tool=invocation.tool[:100])
    return InternalError(f"Something went wrong on our side (error {error_id}).", error_id=error_id)
