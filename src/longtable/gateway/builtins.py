"""The gateway's own tools: lens, intents, chats and projects of a backend, confirmations, and runs that go on."""

from collections.abc import Mapping
from dataclasses import dataclass
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
from longtable.gateway.call_arguments import Context, parse_call_arguments
from longtable.gateway.call_dependencies import CallDependencies, WorkspaceResolver
from longtable.gateway.confirmations import GOVERNED, Confirmations, why
from longtable.gateway.executions import Executions, run_view
from longtable.gateway.model import ExactCall
from longtable.gateway.run_store import Run
from longtable.kernel.call import Call
from longtable.kernel.caller import SPEAKS_FOR_AGENTS, Caller
from longtable.kernel.content import check_json
from longtable.kernel.errors import Forbidden, NotFound
from longtable.kernel.result import Result
from longtable.toolkit.arguments import parse_arguments
from longtable.toolkit.tool import Arguments
from longtable.upstreams.mindscape import MindscapeUpstream
from longtable.upstreams.mindscape_client import segment

MAX_BYTES = 1_048_576
_OURS = {"workspace_id", "context", "confirm_token", "idempotency_key", "profile_id"}


class BuiltinResult(Result):
    """`status` in the words of the program that these tools come from; `result` is what the backend answered."""

    status: str
    tool: str
    result: Any


@dataclass(frozen=True, slots=True)
class BuiltinDependencies:
    """`backend` and its `workspaces` are None where there is none."""

    dependencies: CallDependencies
    executions: Executions
    backend: MindscapeUpstream | None = None
    workspaces: WorkspaceResolver | None = None


class Builtins:
    def __init__(self, parts: BuiltinDependencies) -> None:
        self._dependencies = parts.dependencies
        self._executions = parts.executions
        self._backend = parts.backend
        self._workspaces = parts.workspaces or parts.dependencies.workspaces
        self._confirmations = Confirmations(parts.dependencies)

    async def list_schemas(self, call: Call, arguments: ListLensSchemas) -> BuiltinResult:
        await self._limited(call)
        try:
            found = await self._upstream.client.get(f"/lenses/schemas/{segment(arguments.role)}")
        except NotFound:
            found = {"role": arguments.role, "schemas": [], "message": "There is no schema for this role."}
        return _done(call, found)

    async def resolve_lens(self, call: Call, arguments: ResolveLens) -> BuiltinResult:
        await self._limited(call)
        body = await self._body(call, arguments, {"user_id": self._upstream.backend.profile_id})
        return _done(call, await self._upstream.client.post("/lenses/resolve", body))

    async def effective_lens(self, call: Call, arguments: EffectiveLens) -> BuiltinResult:
        await self._limited(call)
        params = await self._body(call, arguments, {"profile_id": self._upstream.backend.profile_id})
        return _done(call, await self._upstream.client.get("/mindscape/lens/effective-lens", params))

    async def submit_intent(self, call: Call, arguments: SubmitIntent) -> BuiltinResult:
        return await self._posted(call, arguments, "/mcp/intent/submit")

    async def sync_chat(self, call: Call, arguments: SyncChat) -> BuiltinResult:
        return await self._posted(call, arguments, "/mcp/chat/sync")

    async def execute_layout(self, call: Call, arguments: ExecuteLayout) -> BuiltinResult:
        return await self._posted(call, arguments, "/mcp/intent/layout/execute")

    async def detect_project(self, call: Call, arguments: DetectProject) -> BuiltinResult:
        return await self._posted(call, arguments, "/mcp/project/detect")

    async def request_confirmation(self, call: Call, arguments: RequestConfirmation) -> BuiltinResult:
        """Without the inputs nothing is asked: nobody can agree to a call that is not known yet."""
        await self._limited(call)
        if arguments.inputs is None:
            await self._confirmations.check_offered(call, arguments.tool_name)
            told = _directly(arguments.tool_name, "A person decides about one exact call: make it, or name its inputs.")
            told["status"] = "confirmation_required"
            return await self._kept(call, BuiltinResult(status=told["status"], tool=call.operation, result=told))
        asked = await self._asked(call, arguments)
        if asked is None:
            told = _directly(arguments.tool_name, "This call needs no confirmation.", arguments.inputs)
            return await self._kept(call, BuiltinResult(status="completed", tool=call.operation, result=told))
        told = await self._confirmations.request_approval(call, asked)
        return await self._kept(call, BuiltinResult(status=told["status"], tool=call.operation, result=told))

    async def confirmation_status(self, call: Call, arguments: ConfirmationStatus) -> BuiltinResult:
        found = await self._dependencies.decisions.wait(call, arguments.token, 0)
        told = {
            "confirmation_id": found.confirmation_id,
            "status": found.status,
            "tool_name": found.tool,
            "expires_at": found.expires_at,
            "reason": found.reason,
        }
        status = "pending" if found.status == "waiting" else found.status
        return BuiltinResult(status=status, tool=call.operation, result=told)

    async def execution_status(self, call: Call, arguments: ExecutionStatus) -> BuiltinResult:
        return _of_run(call, await self._executions.status(call, arguments.execution_id))

    async def execution_wait(self, call: Call, arguments: ExecutionWait) -> BuiltinResult:
        run = await self._executions.wait(call, arguments.execution_id, arguments.wait_seconds)
        return _of_run(call, run)

    @property
    def _upstream(self) -> MindscapeUpstream:
        if self._backend is None:
            raise NotFound("There is no backend for this.", hint="The operator can name one in MINDSCAPE_BASE_URL.")
        return self._backend

    async def _posted(self, call: Call, arguments: Any, path: str) -> BuiltinResult:
        await self._limited(call)
        body = await self._written(call, arguments)
        earlier = await self._dependencies.ledger.recall(call, BuiltinResult)
        if earlier is not None:
            return earlier
        governed = GOVERNED.get(call.operation)
        if governed is not None:
            asked = await self._confirmations.of_our_own(call, governed, body, why(_context(arguments.context)))
            await self._confirmations.require(call, asked, arguments.confirm_token)
        return await self._kept(call, _done(call, await self._upstream.client.post(path, body)))

    async def _asked(self, call: Call, wanted: RequestConfirmation) -> ExactCall | None:
        governed = GOVERNED.get(wanted.tool_name)
        if governed is None or self._backend is None:
            return await self._confirmations.of_others(call, wanted)
        named = {} if wanted.workspace_id is None else {"workspace_id": wanted.workspace_id}
        arguments = parse_arguments(governed.arguments, {**(wanted.inputs or {}), **named})
        body = await self._written(call, arguments)
        because = why(_context(wanted.context)) or wanted.action_preview
        return await self._confirmations.of_our_own(call, governed, body, because)

    async def _written(self, call: Call, arguments: Any) -> dict[str, Any]:
        own = self._upstream.backend.profile_id
        return await self._body(call, arguments, {"profile_id": _profile(call.caller, arguments.profile_id, own)})

    async def _body(self, call: Call, arguments: Arguments, more: Mapping[str, Any]) -> dict[str, Any]:
        """What the backend is told: the arguments that were given, where it takes place, and for whom."""
        given = arguments.model_dump(mode="json", exclude=_OURS, exclude_none=True)
        check_json("arguments", given, MAX_BYTES)
        context = _context(getattr(arguments, "context", None))
        workspace = await self._workspaces.resolve(call.caller, getattr(arguments, "workspace_id", None), context)
        return {**given, "workspace_id": workspace, **more}

    async def _limited(self, call: Call) -> None:
        buckets = self._dependencies.policies.buckets(call.caller, call.operation, None)
        await self._dependencies.limits.take(call.caller.tenant, buckets)

    async def _kept(self, call: Call, result: BuiltinResult) -> BuiltinResult:
        async def body(work: Any) -> BuiltinResult:
            work.touched(f"tool:{call.operation}")
            return result

        return await self._dependencies.ledger.write(call, BuiltinResult, body)


def _profile(caller: Caller, given: str | None, own: str) -> str:
    if given is None or given == own:
        return own
    if caller.role not in SPEAKS_FOR_AGENTS:
        raise Forbidden("profile_id: you speak for yourself only.", hint="Leave it out.")
    return given


def _context(given: dict[str, Any] | None) -> Context | None:
    return parse_call_arguments({"_context": given}).context


def _directly(tool: str, message: str, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
    next_action = {"tool": tool, "args": {"inputs": dict(inputs or {})}}
    return {"token": None, "message": message, "next_action": next_action}


def _done(call: Call, found: Any) -> BuiltinResult:
    return BuiltinResult(status="completed", tool=call.operation, result=found)


def _of_run(call: Call, run: Run) -> BuiltinResult:
    result = BuiltinResult(status=run.status, tool=call.operation, result=run_view(run))
    result.observed(f"execution:{run.execution_id}")
    return result
