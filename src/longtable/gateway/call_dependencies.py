"""What a call to an upstream needs: registry, policies, decisions, limits, workspaces, upstreams."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from longtable.gateway.call_arguments import CallArguments, Context
from longtable.gateway.call_details import CallDetails
from longtable.gateway.claims import KeyClaims
from longtable.gateway.decisions import Decisions
from longtable.gateway.executions import Executions
from longtable.gateway.intents import Intents
from longtable.gateway.limits import Limits
from longtable.gateway.model import ExactCall
from longtable.gateway.planned_steps import planned_steps
from longtable.gateway.playbook_file import UPSTREAM as PLAYBOOKS
from longtable.gateway.playbooks import Playbooks
from longtable.gateway.policies import Policies
from longtable.gateway.registry import OfferedTool, Registry
from longtable.governance.model import ToolDefinition
from longtable.governance.names import ToolNames
from longtable.kernel.caller import Caller
from longtable.log.ledger import Ledger
from longtable.upstreams.directory import UpstreamDirectory


class WorkspaceResolver(Protocol):
    async def resolve(self, caller: Caller, requested: str | None, context: Context | None) -> str | None:
        """The workspace of a call; `requested` must be one that the caller may use."""


InputCheck = Callable[[OfferedTool, Mapping[str, Any]], Awaitable[None]]
"""Raises InvalidArgument when the inputs do not fit the tool's schema."""


class Meter(Protocol):
    def gateway_called(self, upstream: str, layer: str, outcome: str, seconds: float) -> None: ...


@dataclass(slots=True)
class CallDependencies:
    """`own_workspaces` has the resolvers of upstreams with workspaces of their own, by their names."""

    ledger: Ledger
    registry: Registry
    names: ToolNames
    policies: Policies
    decisions: Decisions
    limits: Limits
    intents: Intents
    workspaces: WorkspaceResolver
    own_workspaces: Mapping[str, WorkspaceResolver]
    upstreams: UpstreamDirectory
    check_inputs: InputCheck
    executions: Executions
    claims: KeyClaims
    details: CallDetails
    meter: Meter | None = None
    playbooks: Playbooks | None = None

    async def resolve_workspace(
        self, caller: Caller, definition: ToolDefinition, arguments: CallArguments
    ) -> str | None:
        """The steps of a playbook resolve theirs one by one."""
        if definition.upstream == PLAYBOOKS:
            return arguments.workspace_id
        resolver = self.own_workspaces.get(definition.upstream, self.workspaces)
        return await resolver.resolve(caller, arguments.workspace_id, arguments.context)


def exact_call(
    caller: Caller, tool: OfferedTool, arguments: CallArguments, workspace: str | None, policy_version: str
) -> ExactCall:
    definition = tool.definition
    return ExactCall(
        tenant=caller.tenant,
        agent=caller.agent,
        session_id=caller.session_id,
        workspace=workspace,
        tool=tool.name,
        identity=str(definition.identity),
        upstream=definition.upstream,
        description=definition.description,
        inputs=arguments.inputs,
        definition_digest=definition.digest,
        policy_version=policy_version,
        why=arguments.why,
        steps=planned_steps(definition.body, arguments.inputs),
    )
