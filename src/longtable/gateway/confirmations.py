"""Asks people about calls on behalf of the gateway's own tools, in the same words as about any other call."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from longtable.gateway.builtin_arguments import DetectProject, ExecuteLayout, RequestConfirmation
from longtable.gateway.call_arguments import Context, declared_arguments, parse_call_arguments, with_own_user
from longtable.gateway.call_dependencies import CallDependencies
from longtable.gateway.model import Decision, ExactCall
from longtable.kernel.call import Call
from longtable.kernel.canonical import digest
from longtable.kernel.clock import to_iso
from longtable.kernel.errors import ConfirmationRequired
from longtable.toolkit.tool import Arguments
from longtable.upstreams.mindscape_client import NAME

WAIT = "wait_for_decision"


@dataclass(frozen=True)
class Governed:
    """One of our own tools that acts on a person's word only."""

    name: str
    description: str
    arguments: type[Arguments]

    @cached_property
    def digest(self) -> str:
        return digest([self.name, self.description, self.arguments.model_json_schema()])

    @property
    def identity(self) -> str:
        return f"{NAME}.{self.name.removeprefix(f'{NAME}_')}"


LAYOUT = Governed(
    "mindscape_intent_layout_execute",
    "Create, change and archive intent cards of the backend by a plan. Needs a person's confirmation.",
    ExecuteLayout,
)
PROJECT = Governed(
    "mindscape_project_detect_and_create",
    "Create the project that you have recognised in a message. Needs a person's confirmation.",
    DetectProject,
)
GOVERNED = {governed.name: governed for governed in (LAYOUT, PROJECT)}


class Confirmations:
    def __init__(self, dependencies: CallDependencies) -> None:
        self._dependencies = dependencies

    async def require(self, call: Call, asked: ExactCall, handle: str | None) -> None:
        """Uses up the approval of this exact call. Raises ConfirmationRequired, Denied or Invalid."""
        if await self._dependencies.decisions.use_approval(call, asked, handle) is not None:
            return
        decision = await self._dependencies.decisions.request_approval(call, asked)
        raise ConfirmationRequired(
            "A person must allow this call first; nothing has been run.",
            hint=f"Wait with {WAIT}, then repeat the call unchanged with confirm_token.",
            **self.told(decision),
            shown={"tool": asked.identity, "arguments": asked.inputs, "why": asked.why},
        )

    async def of_our_own(self, call: Call, governed: Governed, body: dict[str, Any], why: str | None) -> ExactCall:
        policy = await self._dependencies.policies.current(call.caller.tenant)
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

    async def check_offered(self, call: Call, tool: str) -> None:
        """Raises NotFound: nobody is sent to a tool that there is not."""
        if tool not in GOVERNED:
            await self._dependencies.registry.find(
                call.caller, await self._dependencies.policies.current(call.caller.tenant), tool
            )

    async def of_others(self, call: Call, wanted: RequestConfirmation) -> ExactCall | None:
        """What the call itself would ask; None when it needs no person."""
        dependencies, caller = self._dependencies, call.caller
        policy = await dependencies.policies.current(caller.tenant)
        tool = await dependencies.registry.find(caller, policy, wanted.tool_name)
        request = parse_call_arguments(
            {"inputs": wanted.inputs, "workspace_id": wanted.workspace_id, "_context": wanted.context},
            declared_arguments(tool.definition),
        )
        await dependencies.check_inputs(tool, request.inputs)
        if dependencies.registry.decide(policy, tool.definition, request.inputs).confirm == "none":
            return None
        definition = tool.definition
        return ExactCall(
            tenant=caller.tenant,
            agent=caller.agent,
            session_id=caller.session_id,
            workspace=await dependencies.resolve_workspace(caller, tool.definition, with_own_user(request, caller)),
            tool=tool.name,
            identity=str(definition.identity),
            upstream=definition.upstream,
            description=definition.description,
            inputs=request.inputs,
            definition_digest=definition.digest,
            policy_version=policy.version,
            why=why(request.context) or wanted.action_preview,
        )

    async def request_approval(self, call: Call, asked: ExactCall) -> dict[str, Any]:
        told = self.told(await self._dependencies.decisions.request_approval(call, asked))
        return {
            **told,
            "token": told["confirm_token"],
            "message": "A person must allow this call. The token is good for nothing before that.",
            "usage": f"Wait with {WAIT}, then call {asked.tool} with exactly these inputs and confirm_token.",
        }

    def told(self, decision: Decision) -> dict[str, Any]:
        return {
            "status": "confirmation_required",
            "confirmation_id": decision.decision_id,
            "confirm_token": decision.handle,
            "expires_at": to_iso(decision.expires_at),
            "decision_status": decision.status_at(self._dependencies.ledger.clock()),
            "tool": decision.tool,
            "next_action": {"tool": WAIT, "args": {"confirmation_id": decision.decision_id}},
        }


def why(context: Context | None) -> str | None:
    if context is None:
        return None
    return context.original_message or context.intent_hint or None
