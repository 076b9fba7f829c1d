"""What the tools about the gateway answer; the results of decisions are in the model."""

from typing import Any, Literal

from longtable.gateway.model import DecisionView
from longtable.kernel.result import LimitedResult, Result, Value, omitted_if_none

UpstreamKind = Literal["stdio", "http", "sse", "openapi", "mindscape", "playbooks"]
"""An MCP server as a process, over HTTP or legacy SSE; an OpenAPI document; a backend; the folder of playbooks."""

UpstreamSource = Literal["file", "added", "built_in"]


class CallView(Value):
    """`upstream` and `layer` are null for a call of a tool that there is not; `purpose` is what the session is for.
    `call_id` is there where it was kept what was in the call."""

    call_id: str | None = omitted_if_none()
    tool: str
    upstream: str | None
    agent: str
    session_id: str | None
    purpose: str | None = omitted_if_none()
    layer: str | None
    outcome: str
    duration_ms: float | None
    timestamp: str
    decision_id: str | None = omitted_if_none()


class CallList(Result):
    """A page may hold fewer calls than were asked for and have a `next_cursor` all the same."""

    calls: list[CallView]
    count: int
    next_cursor: str | None


class KeptJson(Value):
    """JSON in which what looks like a secret is hidden; `truncated` where the rest was left out."""

    value: Any
    truncated: bool | None = omitted_if_none()


class CallRule(Value):
    """What the rules said about the call, and why."""

    layer: str
    confirm: str
    reason: str


class CallDetail(Result):
    """`result` is what the tool answered, also where that was an error of its own; `error` is a refusal or a failure on
    the way. `definition` is that of the tool at that time."""

    call: CallView
    arguments: KeptJson
    result: KeptJson | None = omitted_if_none()
    error: KeptJson | None = omitted_if_none()
    rule: CallRule | None = omitted_if_none()
    decision: DecisionView | None = omitted_if_none()
    definition: dict[str, Any] | None = omitted_if_none()


class IntentCall(Value):
    tool: str
    layer: str
    outcome: str
    duration_ms: int
    timestamp: str


class IntentView(Value):
    intent_id: str
    agent: str
    session_id: str | None
    purpose: str | None = omitted_if_none()
    conversation_id: str
    surface_type: str
    surface_user_id: str
    original_message: str
    intent_hint: str | None
    workspace_id: str | None
    remote_id: str | None
    created_at: str
    updated_at: str
    calls: list[IntentCall]


class IntentList(Result):
    intents: list[IntentView]
    count: int
    next_cursor: str | None = omitted_if_none()


class PinnedTool(Value):
    """A quarantined tool, with the changes since it was accepted."""

    upstream: str
    tool: str
    status: str
    reason: str
    digest: str
    diff: str
    suspicions: list[dict[str, str]]
    first_seen_at: str
    definition: dict[str, Any]


class Quarantine(Result):
    tools: list[PinnedTool]
    count: int


class PinAccepted(Result):
    upstream: str
    tool: str
    digest: str
    accepted: bool
    note: str | None = omitted_if_none()


class RuleList(Result):
    """`rules` are the owner's, `file_rules` those of the configuration file; of all that match, the strictest holds.
    `switched_off` are upstreams whose tools nobody may use for now."""

    rules: list[dict[str, Any]]
    file_rules: list[dict[str, Any]]
    switched_off: list[str]
    version: int
    policy_version: str


class FoundTools(LimitedResult):
    """`starting` are upstreams whose tools are not known yet."""

    tools: list[dict[str, Any]]
    count: int
    total: int
    starting: list[str]


class RateView(Value):
    calls: int
    per_seconds: float


class UpstreamLimits(Value):
    """Null is no limit of its own. The rates hold for all upstreams: calls of one tool by one caller, unless a rule
    says otherwise, of one caller, and of the whole tenant."""

    timeout_seconds: float | None
    max_concurrency: int | None
    max_response_bytes: int | None
    memory_bytes: int | None
    tool_rate: RateView
    caller_rate: RateView | None
    tenant_rate: RateView | None


class UpstreamFacts(Value):
    kind: UpstreamKind
    limits: UpstreamLimits


class UpstreamTool(Value):
    """`layer` and `confirm` are what holds for everybody; `caller_rules` are rules that hold for some callers only."""

    name: str
    tool: str
    identity: str
    layer: str
    confirm: str
    reason: str
    quarantined: bool
    caller_rules: list[dict[str, Any]]
    suspicions: list[dict[str, str]]


class WithheldToolView(Value):
    """A tool that the upstream lists and nobody is offered: `denied` by a rule, by its name or by its entry in the
    gateway file, or `malformed`."""

    tool: str
    kind: Literal["denied", "malformed"]
    reason: str


class AuthorizationView(Value):
    """Of an upstream with `oauth`. `issuer` is the authorization server, `expires_at` the end of the present access
    token, which is renewed before that."""

    state: Literal["connected", "needs authorization"]
    problem: str | None = omitted_if_none()
    issuer: str | None = omitted_if_none()
    scope: str | None = omitted_if_none()
    connected_by: str | None = omitted_if_none()
    connected_at: str | None = omitted_if_none()
    expires_at: str | None = omitted_if_none()


class ConnectLink(Result):
    """`link` is a path of this server, to be opened once, in a browser."""

    upstream: str
    link: str
    expires_at: str


class UpstreamDisconnected(Result):
    """`revoked` says that the authorization server has confirmed it; the tokens are deleted in any case."""

    upstream: str
    revoked: bool


class UpstreamStatusView(Value):
    """Of the process or connection that the tenant uses. `log` are the last lines of a program's standard error,
    without secrets, for humans and owners only."""

    restarts: int
    started_at: str | None
    last_error: str | None
    last_error_at: str | None
    log: list[str]


class AddedFacts(Value):
    """`entry` is as the gateway file would have it; every value that may be a secret is hidden."""

    entry: dict[str, Any]
    created_by: str
    created_at: str
    changed_by: str
    changed_at: str


class UpstreamView(Value):
    """`scope` says who has a process or connection of its own: nobody (shared), each tenant, each session. `instances`
    are those of your team that run now. `warning` says what tenants that share it may see of each other. `source`
    is the gateway file, an owner or the operator at run time, or the server itself; `added` is null but for those added
    at run time."""

    name: str
    source: UpstreamSource
    added: AddedFacts | None
    kind: UpstreamKind
    limits: UpstreamLimits
    on: bool
    scope: str
    instances: int
    warning: str | None
    health: str
    problem: str | None
    status: UpstreamStatusView
    authorization: AuthorizationView | None = omitted_if_none()
    tools: list[UpstreamTool]
    withheld: list[WithheldToolView]


class UpstreamList(Result):
    """`file_problem` is why the gateway file was not taken over as it is now."""

    upstreams: list[UpstreamView]
    count: int
    file_problem: str | None = omitted_if_none()


class UpstreamSaved(Result):
    """What a write of an added upstream leaves behind; what callers get is `UpstreamShown`."""

    name: str


class UpstreamRemoved(Result):
    name: str
    removed: bool


class UpstreamShown(Result):
    """`accepted` are the tools that were accepted with a change."""

    upstream: UpstreamView
    accepted: list[str] | None = omitted_if_none()
