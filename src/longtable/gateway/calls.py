"""The way of a call to somebody else's tool: found, read, checked, limited, allowed, made, told of."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from longtable.gateway import events
from longtable.gateway.decisions import Decisions
from longtable.gateway.executions import Executions
from longtable.gateway.intents import Intents
from longtable.gateway.limits import Limits
from longtable.gateway.model import ExactCall
from longtable.gateway.playbook_file import UPSTREAM as PLAYBOOKS
from longtable.gateway.playbooks import PlaybookRequest, Playbooks
from longtable.gateway.policies import Policies
from longtable.gateway.registry import Registry, ToolDefinition
from longtable.gateway.requests import Context, Request, digest_of, honest, outline, own_names, read_request, storable
from longtable.governance.model import Definition, PolicyDecision
from longtable.governance.policy import Policy
from longtable.identity.model import WORKERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.kernel.delivery import uninterrupted
from longtable.kernel.errors import (
    ConfirmationRequired,
    Forbidden,
    InternalError,
    LongtableError,
    ToolQuarantined,
    UpstreamError,
    UpstreamTimeout,
)
from longtable.kernel.logs import logger
from longtable.kernel.result import Result
from longtable.log.ledger import Ledger
from longtable.upstreams.port import Progress, Upstream, UpstreamCall, UpstreamResult

_INTENT_SECONDS = 0.5
_CANCELLED = "CANCELLED"
_RAN = ("SUCCESS", UpstreamError.code, UpstreamTimeout.code)


class Workspaces(Protocol):
    async def resolve(self, caller: Caller, given: str | None, context: Context | None) -> str | None:
        """Where a call takes place; `given` must be a place that the caller may use."""


InputCheck = Callable[[ToolDefinition, Mapping[str, Any]], Awaitable[None]]
"""Raises InvalidArgument when the inputs do not fit the tool's schema."""


class Meter(Protocol):
    def gateway_called(self, upstream: str, layer: str, outcome: str, seconds: float) -> None: ...


@dataclass(frozen=True, slots=True)
class CallRequest:
    """A call as it comes in. One that is `covered` is a step of a playbook that a person has allowed."""

    name: str
    arguments: Mapping[str, Any]
    caller: Caller
    progress: Progress | None = None
    covered: bool = False


class CallResult(Result):
    """A call that was made, in the words of MCP."""

    content: list[dict[str, Any]]
    structured: dict[str, Any] | None
    is_error: bool
    meta: dict[str, Any]
    status: str = "completed"


@dataclass(slots=True)
class CallDependencies:
    """What a call needs on its way."""

    ledger: Ledger
    registry: Registry
    policies: Policies
    decisions: Decisions
    limits: Limits
    intents: Intents
    workspaces: Workspaces
    own_places: Mapping[str, Workspaces]
    upstreams: Callable[[], Mapping[str, Upstream]]
    check_inputs: InputCheck
    executions: Executions
    meter: Meter | None = None
    playbooks: Playbooks | None = None
    running: dict[tuple[str, ...], asyncio.Lock] = field(default_factory=dict)

    async def place(self, caller: Caller, definition: Definition, request: Request) -> str | None:
        """Where a call takes place. `own_places` are those of upstreams that have workspaces themselves; the steps of
        a playbook find theirs one by one."""
        if definition.upstream == PLAYBOOKS:
            return request.workspace_id
        chosen = self.own_places.get(definition.upstream, self.workspaces)
        return await chosen.resolve(caller, request.workspace_id, request.context)


@dataclass(slots=True)
class _CallInProgress:
    """One call on its way, and what is known of it so far."""

    call: Call
    started: float
    tool: ToolDefinition | None = None
    upstream: str = ""
    verdict: PolicyDecision | None = None
    decision_id: str | None = None
    intent_id: str | None = None
    intent: "asyncio.Task[str | None] | None" = None
    was_sent: bool = False
    notes: dict[str, Any] = field(default_factory=dict)


class Calls:
    def __init__(self, desk: CallDependencies) -> None:
        self._desk = desk

    async def call(self, wanted: CallRequest) -> CallResult:
        """Raises LongtableError for a refusal or a failure of ours; every outcome is on record."""
        trip = _CallInProgress(Call(wanted.caller, storable(wanted.name[:128]), "gateway_called"), time.perf_counter())
        try:
            made = await self._make(wanted, trip)
            outcome = UpstreamError.code if made.is_error else "SUCCESS"
        except LongtableError as error:
            trip.upstream = str(error.details.get("upstream", ""))
            if not trip.call.arguments_digest:
                trip.call = replace(trip.call, arguments_digest=outline(wanted.arguments))
            self._account(trip, error.code)
            raise
        except asyncio.CancelledError:
            self._account(trip, _CANCELLED)
            raise
        except Exception as bug:  # a bug of ours becomes INTERNAL_ERROR and a log line, as for our own tools
            logger.failed("internal_error", bug, tool=wanted.name[:100])
            self._account(trip, InternalError.code)
            raise InternalError("Something went wrong on our side.") from bug
        if not made.replayed:
            self._account(trip, outcome)
        return made

    async def _make(self, wanted: CallRequest, trip: _CallInProgress) -> CallResult:
        desk, caller = self._desk, wanted.caller
        if caller.role not in WORKERS:
            raise Forbidden(f"The role {caller.role} may not call tools of others.", allowed=sorted(WORKERS))
        # Whether it is still the tool that was agreed to is asked meanwhile; nothing runs before that is known.
        asked = desk.registry.ask_ahead(caller.tenant, wanted.name)
        policy = await desk.policies.now(caller.tenant)
        confirmed = partial(desk.registry.confirmed, caller, policy, wanted.name, asked)
        async with _told_after(confirmed):
            trip.tool = await desk.registry.expected(caller, policy, wanted.name)
            request = await self._checked(wanted, trip, policy)
        async with self._one_at_a_time(trip.call):
            earlier = await desk.ledger.recall(trip.call, CallResult)
            if earlier is not None:
                return earlier
            async with _told_after(confirmed):
                await self._limit(caller, trip)
            expected, trip.tool = _of(trip), await confirmed()
            if trip.tool.definition.digest != expected.definition.digest:
                request = await self._checked(wanted, trip, policy)
            return await self._go(wanted, trip, request, policy)

    async def _checked(self, wanted: CallRequest, trip: _CallInProgress, policy: Policy) -> Request:
        """What is asked for, if the tool's schema and the rules let it through."""
        tool = _of(trip)
        trip.verdict = tool.verdict
        request = read_request(wanted.arguments, own_names(tool.definition))
        trip.call = replace(trip.call, arguments_digest=digest_of(request), idempotency_key=request.idempotency_key)
        await self._desk.check_inputs(tool, request.inputs)
        trip.verdict = self._desk.registry.verdict(policy, tool.definition, request.inputs)
        _check_allowed(trip.verdict)
        return honest(request, wanted.caller)

    async def _go(self, wanted: CallRequest, trip: _CallInProgress, request: Request, policy: Policy) -> CallResult:
        desk, caller, tool = self._desk, wanted.caller, _of(trip)
        workspace = await desk.place(caller, tool.definition, request)
        if request.context is not None and request.context.original_message:
            trip.intent = desk.intents.begin(caller, request.context, workspace)
        if trip.verdict is not None and trip.verdict.confirm != "none" and not wanted.covered:
            with uninterrupted():
                await self._confirm(trip, tool, request, workspace, policy.version)
        try:
            trip.was_sent = True
            answer = await self._run(wanted, trip, request, workspace)
        except ToolQuarantined:
            await desk.registry.look_again(caller, policy, tool.definition.upstream)
            raise
        # It has been done: a client that goes away now must find the result when it repeats the call.
        with uninterrupted():
            await desk.executions.begun(caller, tool.name, tool.definition.upstream, answer)
            trip.intent_id = await self._intent(trip, request, workspace)
            return await self._kept(trip.call, _made(answer, self._meta(trip, answer), tool.definition))

    async def _limit(self, caller: Caller, trip: _CallInProgress) -> None:
        rate = trip.verdict.rate if trip.verdict is not None else None
        buckets = self._desk.policies.buckets(caller, _of(trip).name, rate)
        await self._desk.limits.take(caller.tenant, buckets)

    async def _confirm(
        self, trip: _CallInProgress, tool: ToolDefinition, request: Request, workspace: str | None, policy_version: str
    ) -> None:
        caller, definition = trip.call.caller, tool.definition
        asked = ExactCall(
            tenant=caller.tenant,
            agent=caller.agent,
            session_id=caller.session_id,
            workspace=workspace,
            tool=tool.name,
            identity=str(definition.identity),
            upstream=definition.upstream,
            description=definition.description,
            inputs=request.inputs,
            definition_digest=definition.digest,
            policy_version=policy_version,
            why=_why(request.context),
        )
        trip.decision_id = await self._desk.decisions.grant(trip.call, asked, request.confirm_token)
        if trip.decision_id is not None:
            return
        decision = await self._desk.decisions.ask(trip.call, asked)
        trip.decision_id = decision.decision_id
        raise ConfirmationRequired(
            "A person must allow this call first; nothing has been run.",
            hint="Wait with wait_for_decision, then repeat the call unchanged with confirm_token.",
            status="confirmation_required",
            confirmation_id=decision.decision_id,
            confirm_token=decision.handle,
            expires_at=to_iso(decision.expires_at),
            decision_status=decision.status_at(self._desk.ledger.clock()),
            tool=tool.name,
            shown={"tool": str(definition.identity), "arguments": request.inputs, "why": asked.why},
            next_action={"tool": "wait_for_decision", "args": {"confirmation_id": decision.decision_id}},
        )

    async def _run(
        self, wanted: CallRequest, trip: _CallInProgress, request: Request, workspace: str | None
    ) -> UpstreamResult:
        tool = _of(trip)
        definition = tool.definition
        if self._desk.playbooks is not None and definition.upstream == PLAYBOOKS:
            return await self._desk.playbooks.run(
                PlaybookRequest(
                    caller=wanted.caller,
                    tool=tool.name,
                    remote=definition.remote,
                    inputs=request.inputs,
                    workspace=workspace,
                    progress=wanted.progress,
                    confirmed=trip.decision_id is not None,
                )
            )
        upstream = self._desk.upstreams().get(definition.upstream)
        if upstream is None:
            raise UpstreamError("The upstream of this tool is gone.", upstream=definition.upstream)
        going = UpstreamCall(
            tool=definition.remote,
            name=tool.name,
            digest=definition.digest,
            inputs=request.inputs,
            workspace=workspace,
            user=wanted.caller.agent,
            session_id=wanted.caller.session_id,
            progress=wanted.progress,
        )
        return await upstream.call(going)

    async def _intent(self, trip: _CallInProgress, request: Request, workspace: str | None) -> str | None:
        """Recorded beside the call; what takes too long is left out of the result, not waited for."""
        if trip.intent is None or trip.tool is None or request.context is None:
            return None
        done, _ = await asyncio.wait({trip.intent}, timeout=_INTENT_SECONDS)
        intent_id = trip.intent.result() if done else None
        if intent_id is not None:
            payload = {**request.raw_context, "workspace_id": workspace, "tool_called": trip.tool.name}
            self._desk.intents.pass_on(trip.call.caller, intent_id, payload)
        return intent_id

    def _meta(self, trip: _CallInProgress, answer: UpstreamResult) -> dict[str, Any]:
        assert trip.verdict is not None
        meta = {
            **answer.meta,
            "layer": trip.verdict.layer.value,
            "upstream": _of(trip).definition.upstream,
            "duration_ms": round((time.perf_counter() - trip.started) * 1000, 1),
        }
        extra = {
            "intent_id": trip.intent_id,
            "decision_id": trip.decision_id,
            "execution_id": answer.execution_id,
            "truncated": True if answer.truncated else None,
        }
        return meta | {name: value for name, value in extra.items() if value is not None}

    async def _kept(self, call: Call, made: CallResult) -> CallResult:
        if call.idempotency_key is None or made.is_error:
            return made

        async def body(work: Any) -> CallResult:
            work.touched(f"tool:{call.operation}")
            return made

        try:
            return await self._desk.ledger.write(replace(call, audited_as="gateway_result_kept"), CallResult, body)
        except LongtableError as error:
            # It has been done: to say that it failed would have it done again.
            logger.warning("result_not_kept", code=error.code)
            return made

    def _one_at_a_time(self, call: Call) -> asyncio.Lock:
        """Calls with one idempotency key wait for each other, so that the second finds the first one's result."""
        if call.idempotency_key is None:
            return asyncio.Lock()
        caller = call.caller
        key = (caller.tenant, caller.session_id or "", caller.agent, call.operation, call.idempotency_key)
        running = self._desk.running
        if len(running) > 1_000:
            for each in [each for each, lock in running.items() if not lock.locked()]:
                del running[each]
        return running.setdefault(key, asyncio.Lock())

    def _account(self, trip: _CallInProgress, outcome: str) -> None:
        """On record, for whoever asks later what was done and what was refused."""
        upstream = trip.tool.definition.upstream if trip.tool else trip.upstream
        layer = trip.verdict.layer.value if trip.verdict else ""
        seconds = time.perf_counter() - trip.started
        known = {
            "upstream": upstream,
            "layer": layer,
            "decision_id": trip.decision_id,
            "arguments_digest": trip.call.arguments_digest,
        }
        metadata = {name: value for name, value in known.items() if value}
        call = replace(trip.call, metadata={**metadata, "duration_ms": round(seconds * 1000, 1)})
        ran = trip.was_sent if outcome == _CANCELLED else outcome in _RAN
        told = [events.executed(trip.call.operation, upstream, outcome, trip.decision_id)] if ran else []
        try:
            self._desk.ledger.observe(call, outcome, f"tool:{trip.call.operation}", told)
        except LongtableError as error:
            logger.warning("audit_delayed", code=error.code)
        if self._desk.meter is not None:
            self._desk.meter.gateway_called(upstream or "none", layer or "none", outcome, seconds)
        if trip.intent is not None:
            told_of = {"tool": trip.call.operation, "layer": layer, "outcome": outcome}
            self._desk.intents.outcome(trip.call.caller, trip.intent, {**told_of, "duration_ms": round(seconds * 1000)})


@asynccontextmanager
async def _told_after(confirmed: Callable[[], Awaitable[ToolDefinition]]) -> AsyncIterator[None]:
    """That a tool is gone or another one is told before what is wrong with a call of the one that was expected."""
    try:
        yield
    except LongtableError:
        await confirmed()
        raise


def _of(trip: _CallInProgress) -> ToolDefinition:
    assert trip.tool is not None
    return trip.tool


def _check_allowed(verdict: PolicyDecision) -> None:
    """A rule may rule out some inputs of a tool that is offered."""
    if not verdict.listed:
        raise Forbidden(f"This call is not allowed with these inputs: {verdict.reason}.", reason=verdict.reason)


def _why(context: Context | None) -> str | None:
    if context is None:
        return None
    return context.original_message or context.intent_hint or None


def _made(answer: UpstreamResult, meta: dict[str, Any], definition: Definition) -> CallResult:
    structured = None if answer.structured is None else dict(answer.structured)
    if structured is None and answer.truncated and definition.output_schema is not None:
        # Clients refuse an answer without the object that the tool promises.
        structured = {"truncated": True}
    return CallResult(
        content=[dict(block) for block in answer.content],
        structured=structured,
        is_error=answer.is_error,
        meta=meta,
        status=answer.status,
    )
