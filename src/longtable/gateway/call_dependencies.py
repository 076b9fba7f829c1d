"""What a call to an upstream comes with, what it needs, and what comes of it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from longtable.gateway.call_arguments import CallArguments, Context
from longtable.gateway.decisions import Decisions
from longtable.gateway.executions import Executions
from longtable.gateway.intents import Intents
from longtable.gateway.limits import Limits
from longtable.gateway.playbook_file import UPSTREAM as PLAYBOOKS
from longtable.gateway.playbooks import Playbooks
from longtable.gateway.policies import Policies
from longtable.gateway.registry import OfferedTool, Registry
from longtable.governance.model import ToolDefinition
from longtable.kernel.caller import Caller
from longtable.kernel.result import Result
from longtable.log.ledger import Ledger
from longtable.upstreams.port import Progress, Upstream


class WorkspaceResolver(Protocol):
    async def resolve(self, caller: Caller, requested: str | None, context: Context | None) -> str | None:
        """Where a call takes place; `requested` must be a place that the caller may use."""


InputCheck = Callable[[OfferedTool, Mapping[str, Any]], Awaitable[None]]
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
    workspaces: WorkspaceResolver
    own_workspaces: Mapping[str, WorkspaceResolver]
    upstreams: Callable[[], Mapping[str, Upstream]]
    check_inputs: InputCheck
    executions: Executions
    meter: Meter | None = None
    playbooks: Playbooks | None = None
    running: dict[tuple[str, ...], asyncio.Lock] = field(default_factory=dict)

    async def resolve_workspace(
        self, caller: Caller, definition: ToolDefinition, arguments: CallArguments
    ) -> str | None:
        """`own_workspaces` are for upstreams with workspaces of their own. Each step of a playbook resolves
        its own."""
        if definition.upstream == PLAYBOOKS:
            return arguments.workspace_id
        resolver = self.own_workspaces.get(definition.upstream, self.workspaces)
        return await resolver.resolve(caller, arguments.workspace_id, arguments.context)
