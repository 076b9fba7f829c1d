"""The gateway's own tools: lens, intents, chats and projects of a backend, confirmations, and running playbooks."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from longtable.gateway.builtin_arguments import (
    ConfirmationStatus,
    DetectProject,
    EffectiveLens,
    ExecuteLayout,
    ExecutionStatus,
    ExecutionWait,
    ListLensSchemas,
    RequestConfirmation,
    ResolveLens,
    SubmitIntent,
    SyncChat,
)
from longtable.gateway.call_arguments import declared_arguments, parse_call_arguments, with_own_user
from longtable.gateway.call_dependencies import CallDependencies, exact_call
from longtable.gateway.decisions import WAIT_TOOL
from longtable.gateway.executions import run_view
from longtable.gateway.model import ExactCall
from longtable.gateway.run_store import Run
from longtable.identity.model import WORKERS
from longtable.kernel.call import Call
from longtable.kernel.caller import SPEAKS_FOR_AGENTS, Caller
from longtable.kernel.canonical import digest
from longtable.kernel.content import check_json
from longtable.kernel.delivery import Uninterrupted
from longtable.kernel.errors import Forbidden, NotFound, UpstreamTimeout
from longtable.kernel.result import Result
from longtable.log.ledger import Work
from longtable.toolkit.arguments import parse_arguments
from longtable.toolkit.tool import Arguments, Scope, tool
from longtable.upstreams.mindscape import MindscapeUpstream
from longtable.upstreams.mindscape_client import NAME, segment

MAX_BYTES = 1_048_576
_NOT_FOR_BACKEND = {"workspace_id", "context", "confirm_token", "idempotency_key", "profile_id"}


class BuiltinResult(Result):
    """`status` is a word of the program that these tools come from; `result` is what the backend responded."""

    status: str
    tool: str
    result: Any


@dataclass(frozen=True)
class GovernedTool:
    """A built-in tool that needs a person's approval for each call."""

    name: str
    description: str
    arguments: type[Arguments]

    @cached_property
    def digest(self) -> str:
        return digest([self.name, self.description, self.arguments.model_json_schema()])

    @property
    def identity(self) -> str:
        return f"{NAME}.{self.name.removeprefix(f'{NAME}_')}"


LAYOUT = GovernedTool(
    "mindscape_intent_layout_execute",
    "Create, change and archive intent cards of the backend by a plan. Needs a person's confirmation.",
    ExecuteLayout,
)
PROJECT = GovernedTool(
    "mindscape_project_detect_and_create",
    "Create the project that you have recognised in a message. Needs a person's confirmation.",
    DetectProject,
)
_GOVERNED = {governed.name: governed for governed in (LAYOUT, PROJECT)}


_gateway = partial(tool, group="gateway", scope=Scope.TENANT, roles=WORKERS, needs="gateway")
_backend = partial(tool, group="gateway", scope=Scope.TENANT, roles=WORKERS, needs="backend")


class Builtins:
    """`backend` is None where no backend is configured."""

    def __init__(self, dependencies: CallDependencies, backend: MindscapeUpstream | None) -> None:
        self._dependencies = dependencies
        self._backend = backend
        self._workspaces = dependencies.own_workspaces.get(NAME, dependencies.workspaces)

    @_backend(
        "mindscape_lens_list_schemas",
        title="Read the lens schema of a role",
        description="Read the dimensions in which a role can be tuned.",
        audited_as="lens_schema_read",
    )
    async def list_schemas(self, call: Call, arguments: ListLensSchemas) -> BuiltinResult:
        await self._take_tokens(call)
        try:
            found = await self._upstream.client.get(f"/lenses/schemas/{segment(arguments.role)}")
        except NotFound:
            found = {"role": arguments.role, "schemas": [], "message": "There is no schema for this role."}
        return _result(call, "completed", found)

    @_backend(
        "mindscape_lens_resolve",
        title="Resolve a lens",
        description="Work out the lens that holds for a role in a workspace.",
        audited_as="lens_resolved",
    )
    async def resolve_lens(self, call: Call, arguments: ResolveLens) -> BuiltinResult:
        await self._take_tokens(call)
        body = await self._body(call, arguments, {"user_id": self._upstream.backend.profile_id})
        return _result(call, "completed", await self._upstream.client.post("/lenses/resolve", body))

    @_backend(
        "mindscape_lens_get_effective",
        title="Read the effective lens",
        description="Read the lens that holds now: that of the profile, with what workspace and session change.",
        audited_as="lens_read",
    )
    async def effective_lens(self, call: Call, arguments: EffectiveLens) -> BuiltinResult:
        await self._take_tokens(call)
        params = await self._body(call, arguments, {"profile_id": self._upstream.backend.profile_id})
        found = await self._upstream.client.get("/mindscape/lens/effective-lens", params)
        return _result(call, "completed", found)

    @_gateway(
        "mindscape_confirm_request",
        title="Ask a person to allow a call",
        description="Ask a person to allow one exact call of a governed tool. Only people can allow it.",
        audited_as="confirmation_requested",
        writes=True,
    )
    async def request_confirmation(self, call: Call, arguments: RequestConfirmation) -> BuiltinResult:
        """Without the inputs no decision is requested: people decide about exact calls only."""
        await self._take_tokens(call)
        if arguments.inputs is None:
            await self._check_exists(call, arguments.tool_name)
            message = "A person decides about one exact call: make it, or name its inputs."
            body = {**_call_directly(arguments.tool_name, message), "status": "confirmation_required"}
            return await self._store_result(call, _result(call, "confirmation_required", body))
        # The approval is for the session in which the call itself takes place.
        placed = _in_current_session(call)
        exact = await self._exact_call(placed, arguments)
        if exact is None:
            body = _call_directly(arguments.tool_name, "This call needs no confirmation.", arguments.inputs)
            return await self._store_result(call, _result(call, "completed", body))
        decisions = self._dependencies.decisions
        next_step = decisions.next_step(await decisions.request_approval(placed, exact))
        body = {
            **next_step,
            "token": next_step["confirm_token"],
            "message": "A person must allow this call. The token is good for nothing before that.",
            "usage": f"Wait with {WAIT_TOOL}, then call {exact.tool} with exactly these inputs and confirm_token.",
        }
        return await self._store_result(call, _result(call, "confirmation_required", body))

    @_gateway(
        "mindscape_confirm_status",
        title="Ask what a person decided",
        description="Tell whether a person has allowed or refused a call of yours.",
        audited_as="confirmation_read",
    )
    async def confirmation_status(self, call: Call, arguments: ConfirmationStatus) -> BuiltinResult:
        found = await self._dependencies.decisions.wait(call, arguments.token, 0)
        body = {
            "confirmation_id": found.confirmation_id,
            "status": found.status,
            "tool_name": found.tool,
            "expires_at": found.expires_at,
            "reason": found.reason,
        }
        return _result(call, "pending" if found.status == "waiting" else found.status, body)

    @_backend(
        "mindscape_intent_submit",
        title="Submit intents",
        description="Tell the backend which intents and themes you have recognised in a message.",
        audited_as="intents_submitted",
        writes=True,
    )
    async def submit_intent(self, call: Call, arguments: SubmitIntent) -> BuiltinResult:
        return await self._post(call, arguments, "/mcp/intent/submit")

    @_backend(
        LAYOUT.name,
        title="Carry out an intent layout",
        description=LAYOUT.description,
        audited_as="intent_layout_executed",
        writes=True,
        destructive=True,
    )
    async def execute_layout(self, call: Call, arguments: ExecuteLayout) -> BuiltinResult:
        return await self._post(call, arguments, "/mcp/intent/layout/execute")

    @_backend(
        "mindscape_chat_sync",
        title="Pass a conversation on",
        description="Pass messages of a conversation on to the backend.",
        audited_as="chat_synced",
        writes=True,
    )
    async def sync_chat(self, call: Call, arguments: SyncChat) -> BuiltinResult:
        return await self._post(call, arguments, "/mcp/chat/sync")

    @_backend(
        PROJECT.name,
        title="Create a detected project",
        description=PROJECT.description,
        audited_as="project_detected",
        writes=True,
        destructive=True,
    )
    async def detect_project(self, call: Call, arguments: DetectProject) -> BuiltinResult:
        return await self._post(call, arguments, "/mcp/project/detect")

    @_gateway(
        "mindscape_execution_status",
        title="Ask how far an execution is",
        description="Tell how far a playbook of yours is that goes on after its call was answered.",
        audited_as="execution_read",
    )
    async def execution_status(self, call: Call, arguments: ExecutionStatus) -> BuiltinResult:
        return _run_result(call, await self._dependencies.executions.find(call.caller, arguments.execution_id))

    @_gateway(
        "mindscape_execution_wait",
        title="Wait for an execution",
        description="Wait until such a playbook has ended.",
        audited_as="execution_awaited",
    )
    async def execution_wait(self, call: Call, arguments: ExecutionWait) -> BuiltinResult:
        run = await self._dependencies.executions.wait(call, arguments.execution_id, arguments.wait_seconds)
        return _run_result(call, run)

    @property
    def _upstream(self) -> MindscapeUpstream:
        if self._backend is None:
            raise NotFound("There is no backend for this.", hint="The operator can name one in MINDSCAPE_BASE_URL.")
        return self._backend

    async def _post(self, call: Call, arguments: Any, path: str) -> BuiltinResult:
        """Sends the arguments to the backend, after a person's approval where the tool needs one."""
        await self._take_tokens(call)
        body = await self._profile_body(call, arguments)
        claims, governed = self._dependencies.claims, _GOVERNED.get(call.operation)
        async with claims.held(call, BuiltinResult) as earlier:
            if earlier is not None:
                return earlier
            if governed is not None:
                placed = _in_current_session(call)
                exact = await self._exact_builtin_call(placed, governed, body, _why(arguments.context))
                await self._dependencies.decisions.require_approval(placed, exact, arguments.confirm_token)
            try:
                response = await self._upstream.client.post(path, body)
            except (asyncio.CancelledError, UpstreamTimeout):
                if governed is not None:
                    await claims.abandon(call)
                raise
            # It has been done: a client that goes away now must find the result when it repeats the call.
            with Uninterrupted():
                return await self._store_result(call, _result(call, "completed", response))

    async def _exact_call(self, call: Call, request: RequestConfirmation) -> ExactCall | None:
        """The call that a person would decide about; None when it needs no approval."""
        governed = _GOVERNED.get(request.tool_name)
        if governed is None or self._backend is None:
            return await self._exact_upstream_call(call, request)
        workspace = {} if request.workspace_id is None else {"workspace_id": request.workspace_id}
        body = await self._profile_body(
            call, parse_arguments(governed.arguments, {**(request.inputs or {}), **workspace})
        )
        return await self._exact_builtin_call(call, governed, body, _why(request.context) or request.action_preview)

    async def _exact_builtin_call(
        self, call: Call, governed: GovernedTool, body: dict[str, Any], why: str | None
    ) -> ExactCall:
        policy = await self._dependencies.policies.current(call.caller)
        return ExactCall(
            tenant=call.caller.tenant,
            agent=call.caller.agent,
            session_id=call.caller.session_id,
            workspace=body["workspace_id"],
            tool=governed.name,
            identity=governed.identity,
            upstream=NAME,
            description=governed.description,
            inputs=body,
            definition_digest=governed.digest,
            policy_version=policy.version,
            why=why,
        )

    async def _exact_upstream_call(self, call: Call, request: RequestConfirmation) -> ExactCall | None:
        dependencies, caller = self._dependencies, call.caller
        policy = await dependencies.policies.current(caller)
        offered = await dependencies.registry.find(caller, policy, request.tool_name)
        arguments = parse_call_arguments(
            {"inputs": request.inputs, "workspace_id": request.workspace_id, "_context": request.context},
            declared_arguments(offered.definition),
        )
        await dependencies.check_inputs(offered, arguments.inputs)
        if dependencies.registry.decide(caller, policy, offered.definition, arguments.inputs).confirm == "none":
            return None
        workspace = await dependencies.resolve_workspace(caller, offered.definition, with_own_user(arguments, caller))
        exact = exact_call(caller, offered, arguments, workspace, policy.version)
        return replace(exact, why=exact.why or request.action_preview)

    async def _check_exists(self, call: Call, name: str) -> None:
        if name not in _GOVERNED:
            policy = await self._dependencies.policies.current(call.caller)
            await self._dependencies.registry.find(call.caller, policy, name)

    async def _profile_body(self, call: Call, arguments: Any) -> dict[str, Any]:
        own = self._upstream.backend.profile_id
        return await self._body(call, arguments, {"profile_id": _profile(call.caller, arguments.profile_id, own)})

    async def _body(self, call: Call, arguments: Arguments, more: Mapping[str, Any]) -> dict[str, Any]:
        """The body of a request to the backend: arguments, workspace and profile."""
        fields = arguments.model_dump(mode="json", exclude=_NOT_FOR_BACKEND, exclude_none=True)
        check_json("arguments", fields, MAX_BYTES)
        context = parse_call_arguments({"_context": getattr(arguments, "context", None)}).context
        workspace = await self._workspaces.resolve(call.caller, getattr(arguments, "workspace_id", None), context)
        return {**fields, "workspace_id": workspace, **more}

    async def _take_tokens(self, call: Call) -> None:
        buckets = self._dependencies.policies.buckets(call.caller, call.operation, None)
        await self._dependencies.limits.take(call.caller.tenant, buckets)

    async def _store_result(self, call: Call, result: BuiltinResult) -> BuiltinResult:
        claims = self._dependencies.claims

        async def body(work: Work) -> BuiltinResult:
            work.touched(f"tool:{call.operation}")
            if call.idempotency_key is not None:
                await claims.settle(work.tx, call)
            return result

        try:
            return await self._dependencies.ledger.write(call, BuiltinResult, body)
        finally:
            claims.settled(call)


def _in_current_session(call: Call) -> Call:
    session_id = call.caller.session_id or call.current_session.session_id
    return call if session_id is None else call.inside(session_id)


def _profile(caller: Caller, requested: str | None, own: str) -> str:
    if requested is None or requested == own:
        return own
    if caller.role not in SPEAKS_FOR_AGENTS:
        raise Forbidden("profile_id: you speak for yourself only.", hint="Leave it out.")
    return requested


def _why(context: dict[str, Any] | None) -> str | None:
    return parse_call_arguments({"_context": context}).why


def _call_directly(tool: str, message: str, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
    next_action = {"tool": tool, "args": {"inputs": dict(inputs or {})}}
    return {"token": None, "message": message, "next_action": next_action}


def _result(call: Call, status: str, result: Any) -> BuiltinResult:
    return BuiltinResult(status=status, tool=call.operation, result=result)


def _run_result(call: Call, run: Run) -> BuiltinResult:
    result = _result(call, run.status, run_view(run))
    result.observed(f"execution:{run.execution_id}")
    return result
