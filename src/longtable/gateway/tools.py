"""What people see and change of the gateway over REST, and how agents look for a tool."""

from functools import partial

from longtable.gateway import CALL
from longtable.gateway.arguments import (
    AcceptTool,
    CallTool,
    ListCalls,
    ListIntents,
    NoArguments,
    ReadCall,
    SearchUpstreamTools,
    SetRules,
)
from longtable.gateway.call_list import list_calls
from longtable.gateway.decision_arguments import ReadDecision
from longtable.gateway.decision_view import read_decision
from longtable.gateway.decisions import ONLOOKERS
from longtable.gateway.model import DecisionRead
from longtable.gateway.pins import Pins
from longtable.gateway.results import (
    CallDetail,
    CallList,
    FoundTools,
    IntentList,
    PinAccepted,
    Quarantine,
    RuleList,
)
from longtable.gateway.service import Gateway
from longtable.identity.model import OVERSEERS, WORKERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Role
from longtable.kernel.errors import InvalidArgument
from longtable.toolkit.tool import Route, Scope, tool

OWNER = frozenset({Role.OWNER})

_tool = partial(tool, group="gateway", scope=Scope.TENANT)
_view = partial(_tool, over_mcp=False)
_change = partial(_tool, over_mcp=False, writes=True, roles=OWNER)


class GatewayTools:
    def __init__(self, gateway: Gateway, pins: Pins) -> None:
        self._gateway = gateway
        self._registry = gateway.dependencies.registry
        self._policies = gateway.dependencies.policies
        self._intents = gateway.dependencies.intents
        self._pins = pins

    @_tool(
        "gateway_search_tools",
        title="Look for a tool of another server",
        description="Find tools of other servers by words, with their schemas; call one with gateway_call.",
        roles=WORKERS,
        audited_as="gateway_searched",
        needs="search",
    )
    async def search(self, call: Call, arguments: SearchUpstreamTools) -> FoundTools:
        return await self._gateway.search(call, arguments.query, arguments.limit)

    @_tool(
        CALL,
        title="Call a tool of another server",
        description="Call a tool that gateway_search_tools found, under the same rules as by its own name.",
        roles=WORKERS,
        audited_as="gateway_called",
        writes=True,
        destructive=True,
        passes_through=True,
        needs="search",
    )
    async def call(self, call: Call, arguments: CallTool) -> FoundTools:
        raise InvalidArgument.at("tool", "is called over MCP only")

    @_view(
        "list_quarantine",
        title="List quarantined tools",
        description="List tools that have changed since they were agreed to, each with what has changed.",
        roles=ONLOOKERS,
        audited_as="quarantine_listed",
        routes=(Route("GET", "/pins"),),
    )
    async def quarantine(self, call: Call, arguments: NoArguments) -> Quarantine:
        return await self._pins.waiting(call)

    @_view(
        "list_rules",
        title="List gateway rules",
        description="List the rules of the file and those of the owner.",
        roles=ONLOOKERS,
        audited_as="rules_listed",
        routes=(Route("GET", "/rules"),),
    )
    async def rules(self, call: Call, arguments: NoArguments) -> RuleList:
        return await self._policies.list(call)

    @_view(
        "list_intents",
        title="List intents",
        description="List what conversations wanted and the calls they led to, newest first.",
        roles=ONLOOKERS,
        audited_as="intents_listed",
        routes=(Route("GET", "/intents"),),
    )
    async def intents(self, call: Call, arguments: ListIntents) -> IntentList:
        return await self._intents.list(call, arguments.conversation_id, arguments.limit, arguments.cursor)

    @_view(
        "list_calls",
        title="List calls",
        description="List calls of other servers' tools and what became of them, newest first, without their "
        "arguments.",
        roles=OVERSEERS,
        audited_as="calls_listed",
        routes=(Route("GET", "/calls"),),
    )
    async def calls(self, call: Call, arguments: ListCalls) -> CallList:
        return await list_calls(self._gateway.dependencies.ledger, call, arguments)

    @_view(
        "read_call",
        title="Read a call",
        description="Show what was in a call of another server's tool, what became of it, by which rule and decision, "
        "and the tool as it was defined then.",
        roles=OVERSEERS - {Role.ORCHESTRATOR},
        audited_as="call_read",
        routes=(Route("GET", "/calls/{call_id}"),),
    )
    async def read_call(self, call: Call, arguments: ReadCall) -> CallDetail:
        return await self._gateway.dependencies.details.read(call, arguments.call_id)

    @_view(
        "read_decision",
        title="Read a decision",
        description="Show one decision about a call, waiting or made, with the whole arguments.",
        roles=ONLOOKERS,
        audited_as="decisions_listed",
        routes=(Route("GET", "/decisions/{decision_id}"),),
    )
    async def read_decision(self, call: Call, arguments: ReadDecision) -> DecisionRead:
        return await read_decision(self._gateway.dependencies.ledger, call, arguments.decision_id)

    @_change(
        "accept_tool",
        title="Accept a changed tool",
        description="Agree to the definition of a tool as it is now; it can be called again.",
        audited_as="tool_accepted",
        routes=(Route("POST", "/pins/accept"),),
    )
    async def accept(self, call: Call, arguments: AcceptTool) -> PinAccepted:
        accepted = await self._pins.accept(call, arguments.upstream, arguments.tool, arguments.digest)
        self._registry.forget(call.caller.tenant)
        return accepted

    @_change(
        "set_rules",
        title="Set gateway rules",
        description="Replace the rules of the owner; those of the file stay.",
        audited_as="rules_set",
        routes=(Route("PUT", "/rules"),),
    )
    async def set_rules(self, call: Call, arguments: SetRules) -> RuleList:
        changed = await self._policies.replace(call, arguments.rules, arguments.expected_version)
        self._registry.forget(call.caller.tenant)
        return changed
