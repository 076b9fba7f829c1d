"""Calls a tool of an upstream: lookup, argument check, rate limit, approval, the call itself, audit record."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from longtable.gateway.call_arguments import (
    CallArguments,
    declared_arguments,
    digest_if_readable,
    digest_of,
    parse_call_arguments,
    storable,
    with_own_user,
)
from longtable.gateway.call_dependencies import CallDependencies, exact_call
from longtable.gateway.call_in_progress import CallInProgress
from longtable.gateway.call_records import CANCELLED, record_outcome
from longtable.gateway.client_confirmation import ask_client
from longtable.gateway.model import CallRequest, CallResult
from longtable.gateway.playbook_file import UPSTREAM as PLAYBOOKS
from longtable.gateway.registry import OfferedTool
from longtable.gateway.resource_links import with_addresses
from longtable.gateway.upstream_spans import upstream_span
from longtable.governance.model import ToolDefinition
from longtable.governance.policy import Policy, is_enough
from longtable.identity.model import WORKERS
from longtable.kernel.call import Call
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
from longtable.kernel.tracing import annotate, span
from longtable.upstreams.port import UpstreamCall, UpstreamResult

_INTENT_SECONDS = 0.5
_LISTED_SECONDS = 1.0


class Calls:
    def __init__(self, dependencies: CallDependencies) -> None:
        self._dependencies = dependencies

    async def call(self, request: CallRequest) -> CallResult:
        """Raises LongtableError for a refusal or a failure of ours; every outcome is audited."""
        in_progress = CallInProgress(request, Call(request.caller, storable(request.name[:128]), "gateway_called"))
        caller = request.caller
        annotate(tenant=caller.tenant, agent=caller.agent, session_id=caller.session_id)
        try:
            with span("gateway.call", tool=in_progress.call.operation):
                result = await self._perform(in_progress)
        except LongtableError as error:
            in_progress.upstream = str(error.details.get("upstream", ""))
            in_progress.error = error
            if not in_progress.call.arguments_digest:
                digest = digest_if_readable(request.arguments)
                in_progress.call = replace(in_progress.call, arguments_digest=digest)
            record_outcome(self._dependencies, in_progress, error.code)
            raise
        except asyncio.CancelledError:
            record_outcome(self._dependencies, in_progress, CANCELLED)
            raise
        except Exception as bug:  # a bug of ours becomes INTERNAL_ERROR and a log line, as for our own tools
            logger.failed("internal_error", bug, tool=request.name[:100])
            record_outcome(self._dependencies, in_progress, InternalError.code)
            raise InternalError("Something went wrong on our side.") from bug
        if not result.replayed:
            in_progress.result = result
            record_outcome(self._dependencies, in_progress, UpstreamError.code if result.is_error else "SUCCESS")
        return result

    async def _perform(self, in_progress: CallInProgress) -> CallResult:
        dependencies, request = self._dependencies, in_progress.request
        registry, caller = dependencies.registry, request.caller
        if caller.role not in WORKERS:
            raise Forbidden(f"The role {caller.role} may not call tools of others.", allowed=sorted(WORKERS))
        # The upstream lists its tools meanwhile; nothing runs before the list shows that the tool is the pinned one.
        audience = dependencies.policies.last_audience(caller)
        pending = registry.start_listing(caller, audience, request.name, in_progress.started)
        policy = await dependencies.policies.current(caller)

        async def find_current() -> OfferedTool:
            return await registry.find_current(caller, policy, request.name, in_progress.fresh(), pending)

        with span("gateway.checks"):
            try:
                in_progress.found = await registry.find_cached(caller, policy, request.name)
            except ToolQuarantined:
                # It may have become again what it was.
                in_progress.found = await find_current()
            async with _lookup_errors_first(find_current):
                arguments = await self._check(in_progress, policy)
            _annotate_decision(in_progress)
        async with dependencies.claims.held(in_progress.call, CallResult) as earlier:
            if earlier is not None:
                return earlier
            with span("gateway.listing"):
                async with _lookup_errors_first(find_current):
                    await self._take_tokens(in_progress)
                checked, in_progress.found = in_progress.tool, await find_current()
            if in_progress.found.definition.digest != checked.definition.digest:
                arguments = await self._check(in_progress, policy)
            return await self._run(in_progress, arguments, policy)

    async def _check(self, in_progress: CallInProgress, policy: Policy) -> CallArguments:
        """Checks the arguments against the tool's schema and the call against the policy."""
        tool, caller = in_progress.tool, in_progress.request.caller
        in_progress.policy_decision = tool.policy_decision
        self._dependencies.upstreams.check_session(caller.tenant, tool.definition.upstream, caller.session_id)
        arguments = parse_call_arguments(in_progress.request.arguments, declared_arguments(tool.definition))
        in_progress.call = replace(
            in_progress.call, arguments_digest=digest_of(arguments), idempotency_key=arguments.idempotency_key
        )
        await self._dependencies.check_inputs(tool, arguments.inputs)
        decision = self._dependencies.registry.decide(caller, policy, tool.definition, arguments.inputs)
        in_progress.policy_decision = decision
        if not decision.listed:
            # A rule may forbid some inputs of a tool that is offered.
            raise Forbidden(f"This call is not allowed with these inputs: {decision.reason}.", reason=decision.reason)
        return with_own_user(arguments, caller)

    async def _run(self, in_progress: CallInProgress, arguments: CallArguments, policy: Policy) -> CallResult:
        dependencies, tool, caller = self._dependencies, in_progress.tool, in_progress.request.caller
        workspace = await dependencies.resolve_workspace(caller, tool.definition, arguments)
        if arguments.context is not None and arguments.context.original_message:
            in_progress.intent = dependencies.intents.begin(caller, arguments.context, workspace)
        await self._confirm(in_progress, arguments, workspace, policy.version)
        try:
            in_progress.was_sent = True
            upstream_result = await self._call_upstream(in_progress, arguments, workspace)
        except ToolQuarantined:
            await dependencies.registry.refresh(caller, policy, tool.definition.upstream)
            raise
        except (asyncio.CancelledError, UpstreamTimeout):
            if in_progress.is_governed:
                await dependencies.claims.abandon(in_progress.call)
            raise
        # It has been done: a client that goes away now must find the result when it repeats the call.
        with Uninterrupted():
            await dependencies.executions.record_started(caller, tool.name, tool.definition.upstream, upstream_result)
            intent_id = await self._intent_id(in_progress, arguments, workspace)
            meta = _meta(in_progress, upstream_result, intent_id)
            return await self._store_result(in_progress.call, _call_result(upstream_result, meta, tool.definition))

    async def _take_tokens(self, in_progress: CallInProgress) -> None:
        caller, decision = in_progress.request.caller, in_progress.policy_decision
        buckets = self._dependencies.policies.buckets(
            caller, in_progress.tool.name, decision.rate if decision else None
        )
        await self._dependencies.limits.take(caller.tenant, buckets)

    async def _confirm(
        self, in_progress: CallInProgress, arguments: CallArguments, workspace: str | None, policy_version: str
    ) -> None:
        request, decision = in_progress.request, in_progress.policy_decision
        if decision is None or is_enough(request.covered_by, decision.confirm):
            return
        exact = exact_call(request.caller, in_progress.tool, arguments, workspace, policy_version)
        decisions, token = self._dependencies.decisions, arguments.confirm_token
        with span("gateway.approval"):
            if token is None and decision.confirm == "client" and request.client is not None:
                token = await ask_client(decisions, in_progress.call, exact, request.client)
            try:
                with Uninterrupted():
                    approval = await decisions.require_approval(in_progress.call, exact, token)
                in_progress.decision_id, in_progress.approved_by = approval.decision_id, approval.by
            except ConfirmationRequired as required:
                in_progress.decision_id = required.details["confirmation_id"]
                raise
            finally:
                annotate(decision_id=in_progress.decision_id)

    async def _call_upstream(
        self, in_progress: CallInProgress, arguments: CallArguments, workspace: str | None
    ) -> UpstreamResult:
        tool, request = in_progress.tool, in_progress.request
        definition, playbooks = tool.definition, self._dependencies.playbooks
        upstream_call = UpstreamCall(
            tool=definition.remote,
            name=tool.name,
            digest=definition.digest,
            # What took long, such as making a workspace, came after the list.
            fresh=in_progress.fresh(since=time.monotonic() - _LISTED_SECONDS),
            inputs=arguments.inputs,
            workspace=workspace,
            user=request.caller.agent,
            session_id=request.caller.session_id,
            progress=request.progress,
            client=request.client,
        )
        if playbooks is not None and definition.upstream == PLAYBOOKS:
            return await playbooks.run(upstream_call, request.caller, approved_by=in_progress.approved_by)
        caller = request.caller
        instance = self._dependencies.upstreams.find(caller.tenant, definition.upstream, caller.session_id)
        if instance is None:
            raise UpstreamError("The upstream of this tool is gone.", upstream=definition.upstream)
        with instance as upstream, upstream_span(upstream, upstream_call, in_progress.decision_id) as under_way:
            result = await upstream.call(upstream_call)
            if result.is_error and under_way is not None:
                under_way.failed()
            return result

    async def _intent_id(
        self, in_progress: CallInProgress, arguments: CallArguments, workspace: str | None
    ) -> str | None:
        """None where recording the intent takes too long: the call does not wait for it."""
        if in_progress.intent is None:
            return None
        done, _ = await asyncio.wait({in_progress.intent}, timeout=_INTENT_SECONDS)
        intent_id = in_progress.intent.result() if done else None
        if intent_id is not None:
            payload = {**arguments.raw_context, "workspace_id": workspace, "tool_called": in_progress.tool.name}
            self._dependencies.intents.forward(in_progress.request.caller, intent_id, payload)
        return intent_id

    async def _store_result(self, call: Call, result: CallResult) -> CallResult:
        if call.idempotency_key is None or result.is_error:
            return result

        async def body(work: Any) -> CallResult:
            work.touched(f"tool:{call.operation}")
            await self._dependencies.claims.settle(work.tx, call)
            return result

        try:
            stored = replace(call, audited_as="gateway_result_kept")
            return await self._dependencies.ledger.write(stored, CallResult, body)
        except LongtableError as error:
            # It has been done: to say that it failed would have it done again.
            logger.warning("result_not_kept", code=error.code)
            return result
        finally:
            self._dependencies.claims.settled(call)


def _annotate_decision(in_progress: CallInProgress) -> None:
    decision = in_progress.policy_decision
    if decision is not None:
        upstream = in_progress.tool.definition.upstream
        annotate(layer=decision.layer.value, confirm=decision.confirm, upstream=upstream)


@asynccontextmanager
async def _lookup_errors_first(find_current: Callable[[], Awaitable[OfferedTool]]) -> AsyncIterator[None]:
    """A tool that is gone or has changed is reported before errors in a call of its cached definition."""
    try:
        yield
    except LongtableError:
        await find_current()
        raise


def _meta(in_progress: CallInProgress, result: UpstreamResult, intent_id: str | None) -> dict[str, Any]:
    assert in_progress.policy_decision is not None
    meta = {
        **result.meta,
        "layer": in_progress.policy_decision.layer.value,
        "upstream": in_progress.tool.definition.upstream,
        "duration_ms": round(in_progress.seconds * 1000, 1),
    }
    optional = {
        "intent_id": intent_id,
        "decision_id": in_progress.decision_id,
        "execution_id": result.execution_id,
        "truncated": True if result.truncated else None,
    }
    return meta | {name: value for name, value in optional.items() if value is not None}


def _call_result(result: UpstreamResult, meta: dict[str, Any], definition: ToolDefinition) -> CallResult:
    structured = None if result.structured is None else dict(result.structured)
    if structured is None and result.truncated and definition.output_schema is not None:
        # Clients refuse a result without the object that the tool promises.
        structured = {"truncated": True}
    return CallResult(
        content=[with_addresses(definition.identity.pack, block) for block in result.content],
        structured=structured,
        is_error=result.is_error,
        meta=meta,
        status=result.status,
    )
