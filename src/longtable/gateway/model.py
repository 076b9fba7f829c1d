"""A call of an upstream's tool, its result, and what a person decided about it."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from longtable.governance.model import Confirm
from longtable.holds.model import Held
from longtable.kernel.caller import Caller
from longtable.kernel.canonical import canonical, digest
from longtable.kernel.clock import DAY, MINUTE, SECOND, to_iso
from longtable.kernel.ids import number_of, numbered
from longtable.kernel.result import Result, Value, omitted_if_none
from longtable.upstreams.client_channel import ClientChannel
from longtable.upstreams.port import Progress

PREFIX = "d"
HANDLE = "cfm_"
WAITS_FOR = DAY
"""How long a call waits for a person."""
USABLE_FOR = 300 * SECOND
"""How long after its approval a call may be made."""
STANDS_FOR = 10 * MINUTE
"""How long the same call may be repeated, where the person said so."""

Status = Literal["waiting", "approved", "denied", "expired", "used"]


@dataclass(frozen=True, slots=True)
class CallRequest:
    """`client` is that of the caller; `covered_by` says who has allowed the playbook of which this call is a step."""

    name: str
    arguments: Mapping[str, Any]
    caller: Caller
    progress: Progress | None = None
    client: ClientChannel | None = None
    covered_by: Confirm = "none"


class CallResult(Result):
    """As MCP has it."""

    content: list[dict[str, Any]]
    structured: dict[str, Any] | None
    is_error: bool
    meta: dict[str, Any]
    status: str = "completed"


@dataclass(frozen=True, slots=True)
class ExactCall:
    """Everything that an approval is bound to, with what the person who decides is shown."""

    tenant: str
    agent: str
    session_id: str | None
    workspace: str | None
    tool: str
    identity: str
    upstream: str
    description: str
    inputs: dict[str, Any]
    definition_digest: str
    policy_version: str
    why: str | None = None
    steps: list[dict[str, Any]] | None = None
    """The steps of a playbook, which follow from its definition and the inputs."""

    @property
    def arguments(self) -> str:
        return canonical(self.inputs)

    @property
    def digest(self) -> str:
        return digest(
            [
                self.tenant,
                self.agent,
                self.session_id,
                self.workspace,
                self.tool,
                self.identity,
                self.upstream,
                self.arguments,
                self.definition_digest,
                self.policy_version,
            ]
        )


@dataclass(frozen=True, slots=True)
class Decision:
    number: int
    handle: str
    kind: str
    status: Status
    agent: str
    session_id: str | None
    workspace: str | None
    tool: str
    identity: str
    upstream: str
    description: str
    why: str | None
    arguments: str
    call_digest: str
    definition_digest: str
    policy_version: str
    requested_at: int
    expires_at: int
    decided_at: int | None
    decided_by: str | None
    reason: str | None
    standing_until: int | None
    used_at: int | None
    steps: str | None
    relayed: int
    trace: str | None
    """The `traceparent` of the call that asked."""

    @property
    def decision_id(self) -> str:
        return numbered(PREFIX, self.number)

    def status_at(self, now: int) -> Status:
        if self.status in ("waiting", "approved") and now >= self.expires_at:
            return "expired"
        return self.status

    def stands(self, now: int) -> bool:
        """Whether the same call may be made again without asking."""
        return self.status in ("approved", "used") and self.standing_until is not None and now < self.standing_until


class Approval(Result):
    """`by` is who has allowed a call: a person at one of our own surfaces, or the client of the agent that asked."""

    decision_id: str
    by: Confirm
    trace: str | None = None


def new_handle() -> str:
    return HANDLE + secrets.token_urlsafe(24)


def decision_number(decision_id: str) -> int | None:
    return number_of(PREFIX, decision_id)


class PlannedStep(Value):
    """A call that a playbook will make. Inputs that are not `fixed` come from the result of an earlier step; a governed
    step with such inputs needs a decision of its own."""

    tool: str
    inputs: Any
    fixed: bool


class DecisionView(Value):
    """What a person needs to decide, with all arguments, and no token with which another could. `steps` are those of a
    playbook. `relayed` is true where the word came through the client of the agent that asked: it may be a person's."""

    id: str
    kind: str
    status: str
    tool: str
    identity: str
    upstream: str
    description: str
    arguments: Any
    arguments_text: str
    requested_by: str
    session_id: str | None
    workspace_id: str | None
    why: str | None
    requested_at: str
    expires_at: str
    decided_at: str | None = omitted_if_none()
    decided_by: str | None = omitted_if_none()
    reason: str | None = omitted_if_none()
    standing_until: str | None = omitted_if_none()
    steps: list[PlannedStep] | None = omitted_if_none()
    relayed: bool | None = omitted_if_none()


class DecisionList(Result):
    decisions: list[DecisionView]
    count: int
    waiting: int
    next_cursor: str | None = omitted_if_none()


class DecisionRead(Result):
    decision: DecisionView


class DecisionMade(Result):
    """`held` where it can still be undone: nothing is decided before that."""

    decision: DecisionView
    held: Held | None = omitted_if_none()


class DecisionStatus(Result):
    """What the agent that made the call may see."""

    confirmation_id: str
    status: str
    tool: str
    expires_at: str
    reason: str | None = omitted_if_none()
    waited_out: bool | None = omitted_if_none()


def moment(microseconds: int | None) -> str | None:
    return None if microseconds is None else to_iso(microseconds)
