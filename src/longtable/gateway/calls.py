"""The way of a call to somebody else's tool: found, read, checked, limited, allowed, made, told of."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from longtable.gateway import events
from longtable.gateway.call_arguments import (
    CallArguments,
    Context,
    declared_arguments,
    digest_if_readable,
    digest_of,
    parse_call_arguments,
    storable,
    with_own_user,
)
from longtable.gateway.call_dependencies import CallDependencies, CallRequest, CallResult
from longtable.gateway.model import ExactCall
from longtable.gateway.playbook_file import UPSTREAM as PLAYBOOKS
from longtable.gateway.playbooks import PlaybookRequest
from longtable.gateway.registry import OfferedTool
from longtable.governance.model import PolicyDecision, ToolDefinition
from longtable.governance.policy import Policy
from longtable.identity.model import WORKERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.kernel.delivery import Uninterrupted
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
from longtable.upstreams.port import UpstreamCall, UpstreamResult

_INTENT_SECONDS = 0.5
_CANCELLED = "CANCELLED"
_RAN = ("SUCCESS", UpstreamError.code, UpstreamTimeout.code)


@dataclass(slots=True)
class _CallInProgress:
    """One call on its way, and what is known of it so far."""

    call: Call
    started: float
    tool: OfferedTool | None = None
    upstream: str = ""
    policy_decision: PolicyDecision | None = None
    decision_id: str | None = None
    intent_id: str | None = None
    intent: "asyncio.Task[str | None] | None" = None
    was_sent: bool = False
    notes: dict[str, Any] = field(default_factory=dict)


class Calls:
    def __init__(self, dependencies: CallDependencies) -> None:
        self._dependencies = dependencies

    async def call(self, wanted: CallRequest) -> CallResult:
        """Raises LongtableError for a refusal or a failure of ours; every outcome is on record."""
        in_progress = _CallInProgress(
            Call(wanted.caller, storable(wanted.name[:128]), "gateway_called"), time.perf_counter()
        )
        try:
            made = await self._make(wanted, in_progress)
            outcome = UpstreamError.code if made.is_error else "SUCCESS"
        except LongtableError as error:
            in_progress.upstream = str(error.details.get("upstream", ""))
            if not in_progress.call.arguments_digest:
                in_progress.call = replace(in_progress.call, arguments_digest=digest_if_readable(wanted.arguments))
            self._account(in_progress, error.code)
            raise
        except asyncio.CancelledError:
            self._account(in_progress, _CANCELLED)
            raise
        except Exception as bug:  # a bug of ours becomes INTERNAL_ERROR and a log line, as for our own tools
            logger.failed("internal_error", bug, tool=wanted.name[:100])
            self._account(in_progress, InternalError.code)
            raise InternalError("Something went wrong on our side.") from bug
        if not made.replayed:
            self._account(in_progress, outcome)
        return made

    async def _make(self, wanted: CallRequest, in_progress: _CallInProgress) -> CallResult:
        dependencies, caller = self._dependencies, wanted.caller
        if caller.role not in WORKERS:
            raise Forbidden(f"The role {caller.role} may not call tools of others.", allowed=sorted(WORKERS))
        # Whether it is still the tool that was agreed to is asked meanwhile; nothing runs before that is known.
        asked = dependencies.registry.start_listing(caller.tenant, wanted.name)
        policy = await dependencies.policies.current(caller.tenant)
        confirmed = partial(dependencies.registry.find_current, caller, policy, wanted.name, asked)
        async with _told_after(confirmed):
            in_progress.tool = await dependencies.registry.find_cached(caller, policy, wanted.name)
            request = await self._checked(wanted, in_progress, policy)
        async with self._one_at_a_time(in_progress.call):
            earlier = await dependencies.ledger.recall(in_progress.call, CallResult)
            if earlier is not None:
                return earlier
            async with _told_after(confirmed):
                await self._limit(caller, in_progress)
            expected, in_progress.tool = _of(in_progress), await confirmed()
            if in_progress.tool.definition.digest != expected.definition.digest:
                request = await self._checked(wanted, in_progress, policy)
            return await self._go(wanted, in_progress, request, policy)

    async def _checked(self, wanted: CallRequest, in_progress: _CallInProgress, policy: Policy) -> CallArguments:
        """What is asked for, if the tool's schema and the rules let it through."""
        tool = _of(in_progress)
        in_progress.policy_decision = tool.policy_decision
        request = parse_call_arguments(wanted.arguments, declared_arguments(tool.definition))
        in_progress.call = replace(
            in_progress.call, arguments_digest=digest_of(request), idempotency_key=request.idempotency_key
        )
        await self._dependencies.check_inputs(tool, request.inputs)
        in_progress.policy_decision = self._dependencies.registry.decide(policy, tool.definition, request.inputs)
        _check_allowed(in_progress.policy_decision)
        return with_own_user(request, wanted.caller)

    async def _go(
        self, wanted: CallRequest, in_progress: _CallInProgress, request: CallArguments, policy: Policy
    ) -> CallResult:
        dependencies, caller, tool = self._dependencies, wanted.caller, _of(in_progress)
        workspace = await dependencies.resolve_workspace(caller, tool.definition, request)
        if request.context is not None and request.context.original_message:
            in_progress.intent = dependencies.intents.begin(caller, request.context, workspace)
        if (
            in_progress.policy_decision is not None
            and in_progress.policy_decision.confirm != "none"
            and not wanted.covered
        ):
            with Uninterrupted():
                await self._confirm(in_progress, tool, request, workspace, policy.version)
        try:
            in_progress.was_sent = True
            answer = await self._run(wanted, in_progress, request, workspace)
        except ToolQuarantined:
            await dependencies.registry.refresh(caller, policy, tool.definition.upstream)
            raise
        # It has been done: a client that goes away now must find the result when it repeats the call.
        with Uninterrupted():
            await dependencies.executions.record_started(caller, tool.name, tool.definition.upstream, answer)
            in_progress.intent_id = await self._intent(in_progress, request, workspace)
            return await self._kept(in_progress.call, _made(answer, self._meta(in_progress, answer), tool.definition))

    async def _limit(self, caller: Caller, in_progress: _CallInProgress) -> None:
        rate = in_progress.policy_decision.rate if in_progress.policy_decision is not None else None
        buckets = self._dependencies.policies.buckets(caller, _of(in_progress).name, rate)
        await self._dependencies.limits.take(caller.tenant, buckets)

    async def _confirm(
        self,
        in_progress: _CallInProgress,
        tool: OfferedTool,
        request: CallArguments,
        workspace: str | None,
        policy_version: str,
    ) -> None:
        caller, definition = in_progress.call.caller, tool.definition
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
        in_progress.decision_id = await self._dependencies.decisions.use_approval(
            in_progress.call, asked, request.confirm_token
        )
        if in_progress.decision_id is not None:
            return
        decision = await self._dependencies.decisions.request_approval(in_progress.call, asked)
        in_progress.decision_id = decision.decision_id
        raise ConfirmationRequired(
            "A person must allow this call first; nothing has been run.",
            hint="Wait with wait_for_decision, then repeat the call unchanged with confirm_token.",
            status="confirmation_required",
            confirmation_id=decision.decision_id,
            confirm_token=decision.handle,
            expires_at=to_iso(decision.expires_at),
            decision_status=decision.status_at(self._dependencies.ledger.clock()),
            tool=tool.name,
            shown={"tool": str(definition.identity), "arguments": request.inputs, "why": asked.why},
            next_action={"tool": "wait_for_decision", "args": {"confirmation_id": decision.decision_id}},
        )

    async def _run(
        self, wanted: CallRequest, in_progress: _CallInProgress, request: CallArguments, workspace: str | None
    ) -> UpstreamResult:
        tool = _of(in_progress)
        definition = tool.definition
        if self._dependencies.playbooks is not None and definition.upstream == PLAYBOOKS:
            return await self._dependencies.playbooks.run(
                PlaybookRequest(
                    caller=wanted.caller,
                    tool=tool.name,
                    remote=definition.remote,
                    inputs=request.inputs,
                    workspace=workspace,
                    progress=wanted.progress,
                    confirmed=in_progress.decision_id is not None,
                )
            )
        upstream = self._dependencies.upstreams().get(definition.upstream)
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

    async def _intent(self, in_progress: _CallInProgress, request: CallArguments, workspace: str | None) -> str | None:
        """Recorded beside the call; what takes too long is left out of the result, not waited for."""
        if in_progress.intent is None or in_progress.tool is None or request.context is None:
            return None
        done, _ = await asyncio.wait({in_progress.intent}, timeout=_INTENT_SECONDS)
        intent_id = in_progress.intent.result() if done else None
        if intent_id is not None:
            payload = {**request.raw_context, "workspace_id": workspace, "tool_called": in_progress.tool.name}
            self._dependencies.intents.forward(in_progress.call.caller, intent_id, payload)
        return intent_id

    def _meta(self, in_progress: _CallInProgress, answer: UpstreamResult) -> dict[str, Any]:
        assert in_progress.policy_decision is not None
        meta = {
            **answer.meta,
            "layer": in_progress.policy_decision.layer.value,
            "upstream": _of(in_progress).definition.upstream,
            "duration_ms": round((time.perf_counter() - in_progress.started) * 1000, 1),
        }
        extra = {
            "intent_id": in_progress.intent_id,
            "decision_id": in_progress.decision_id,
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
            return await self._dependencies.ledger.write(
                replace(call, audited_as="gateway_result_kept"), CallResult, body
            )
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
        running = self._dependencies.running
        if len(running) > 1_000:
            for each in [each for each, lock in running.items() if not lock.locked()]:
                del running[each]
        return running.setdefault(key, asyncio.Lock())

    def _account(self, in_progress: _CallInProgress, outcome: str) -> None:
        """On record, for whoever asks later what was done and what was refused."""
        upstream = in_progress.tool.definition.upstream if in_progress.tool else in_progress.upstream
        layer = in_progress.policy_decision.layer.value if in_progress.policy_decision else ""
        seconds = time.perf_counter() - in_progress.started
        known = {
            "upstream": upstream,
            "layer": layer,
            "decision_id": in_progress.decision_id,
            "arguments_digest": in_progress.call.arguments_digest,
        }
        metadata = {name: value for name, value in known.items() if value}
        call = replace(in_progress.call, metadata={**metadata, "duration_ms": round(seconds * 1000, 1)})
        ran = in_progress.was_sent if outcome == _CANCELLED else outcome in _RAN
        told = [events.executed(in_progress.call.operation, upstream, outcome, in_progress.decision_id)] if ran else []
        try:
            self._dependencies.ledger.observe(call, outcome, f"tool:{in_progress.call.operation}", told)
        except LongtableError as error:
            logger.warning("audit_delayed", code=error.code)
        if self._dependencies.meter is not None:
            self._dependencies.meter.gateway_called(upstream or "none", layer or "none", outcome, seconds)
        if in_progress.intent is not None:
            told_of = {"tool": in_progress.call.operation, "layer": layer, "outcome": outcome}
            self._dependencies.intents.outcome(
                in_progress.call.caller, in_progress.intent, {**told_of, "duration_ms": round(seconds * 1000)}
            )


@asynccontextmanager
async def _told_after(confirmed: Callable[[], Awaitable[OfferedTool]]) -> AsyncIterator[None]:
    """That a tool is gone or another one is told before what is wrong with a call of the one that was expected."""
    try:
        yield
    except LongtableError:
        await confirmed()
        raise


def _of(in_progress: _CallInProgress) -> OfferedTool:
    assert in_progress.tool is not None
    return in_progress.tool


def _check_allowed(policy_decision: PolicyDecision) -> None:
    """A rule may rule out some inputs of a tool that is offered."""
    if not policy_decision.listed:
        raise Forbidden(
            f"This call is not allowed with these inputs: {policy_decision.reason}.", reason=policy_decision.reason
        )


def _why(context: Context | None) -> str | None:
    if context is None:
        return None
    return context.original_message or context.intent_hint or None


def _made(answer: UpstreamResult, meta: dict[str, Any], definition: ToolDefinition) -> CallResult:
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
