"""What people see and change of the gateway over REST, and how agents look for a tool."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from longtable.gateway import CALL
from longtable.gateway.call_list import CallList, CallQuery, list_calls
from longtable.gateway.decisions import ONLOOKERS
from longtable.gateway.intents import IntentList, Intents
from longtable.gateway.pins import PinAccepted, Pins, Quarantine
from longtable.gateway.policies import Policies, RuleList
from longtable.gateway.registry import Registry
from longtable.gateway.service import FoundTools, Gateway
from longtable.gateway.upstream_facts import UpstreamFacts
from longtable.gateway.upstream_list import UpstreamList, list_upstreams
from longtable.identity.model import OVERSEERS, WORKERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Role
from longtable.kernel.content import Text
from longtable.kernel.errors import InvalidArgument, NotFound
from longtable.toolkit.tool import MAX_ITEMS, Arguments, Route, Scope, Tool, WriteArguments

OWNER = frozenset({Role.OWNER})


class Nothing(Arguments):
    pass


class SearchUpstreamTools(Arguments):
    query: Text = Field(default="", description="Words of the name or the description; all of them must fit.")
    limit: int = Field(default=10, ge=1, le=100)


class CallTool(WriteArguments):
    tool: Annotated[Text, StringConstraints(min_length=1)] = Field(
        description="Name, as gateway_search_tools shows it."
    )
    inputs: dict[str, Any] | None = Field(default=None, max_length=MAX_ITEMS, description="The tool's own arguments.")
    workspace_id: Text | None = None
    context: dict[str, Any] | None = Field(default=None, alias="_context", max_length=MAX_ITEMS)
    confirm_token: Text | None = None


class AcceptTool(WriteArguments):
    upstream: Text
    tool: Text = Field(description="What the upstream calls it.")
    digest: Text | None = Field(default=None, description="Refuse if it is not this definition that waits.")


class SwitchUpstream(WriteArguments):
    upstream: Text
    on: bool = Field(description="False: nobody may use its tools until it is switched on again.")


class SetRules(WriteArguments):
    rules: list[Annotated[dict[str, Any], Field(max_length=MAX_ITEMS)]] = Field(
        max_length=MAX_ITEMS, description="All rules that are laid over those of the file."
    )
    expected_version: Annotated[int, Field(ge=0, le=2**62)] | None = None


class ListIntents(Arguments):
    conversation_id: Text | None = None
    limit: int = Field(default=50, ge=1, le=500)
    cursor: str | None = None


class ListCalls(Arguments):
    upstream: Text | None = Field(default=None, description="Only calls of its tools.")
    session_id: Text | None = Field(default=None, description="Only calls from this session.")
    limit: int = Field(default=50, ge=1, le=500)
    cursor: str | None = Field(default=None, description="next_cursor of the page before.")


class GatewayTools:
    """`facts` are those of each upstream, by its name."""

    def __init__(self, gateway: Gateway, pins: Pins, facts: Mapping[str, UpstreamFacts]) -> None:
        self._gateway = gateway
        self._pins = pins
        self._facts = facts

    @property
    def _registry(self) -> Registry:
        return self._gateway.dependencies.registry

    @property
    def _policies(self) -> Policies:
        return self._gateway.dependencies.policies

    @property
    def _intents(self) -> Intents:
        return self._gateway.dependencies.intents

    async def search(self, call: Call, arguments: SearchUpstreamTools) -> FoundTools:
        return await self._gateway.search(call, arguments.query, arguments.limit)

    async def call(self, call: Call, arguments: CallTool) -> FoundTools:
        raise InvalidArgument.at("tool", "is called over MCP only")

    async def upstreams(self, call: Call, arguments: Nothing) -> UpstreamList:
        policy = await self._policies.cached(call.caller.tenant)
        await self._registry.offered(call.caller, policy)
        off = (await self._policies.list(call)).switched_off
        upstreams = self._gateway.dependencies.upstreams
        offered = partial(self._registry.known, call.caller.tenant)
        return list_upstreams(upstreams, self._facts, offered, off, await self._pins.flagged(call))

    async def switch(self, call: Call, arguments: SwitchUpstream) -> RuleList:
        if arguments.upstream not in self._gateway.dependencies.upstreams:
            raise NotFound("upstream: there is no such upstream.")
        changed = await self._policies.switch(call, arguments.upstream, arguments.on)
        self._registry.forget(call.caller.tenant)
        return changed

    async def quarantine(self, call: Call, arguments: Nothing) -> Quarantine:
        return await self._pins.waiting(call)

    async def accept(self, call: Call, arguments: AcceptTool) -> PinAccepted:
        accepted = await self._pins.accept(call, arguments.upstream, arguments.tool, arguments.digest)
        self._registry.forget(call.caller.tenant)
        return accepted

    async def rules(self, call: Call, arguments: Nothing) -> RuleList:
        return await self._policies.list(call)

    async def set_rules(self, call: Call, arguments: SetRules) -> RuleList:
        changed = await self._policies.replace(call, arguments.rules, arguments.expected_version)
        self._registry.forget(call.caller.tenant)
        return changed

    async def intents(self, call: Call, arguments: ListIntents) -> IntentList:
        return await self._intents.list(call, arguments.conversation_id, arguments.limit, arguments.cursor)

    async def calls(self, call: Call, arguments: ListCalls) -> CallList:
        wanted = CallQuery(arguments.upstream, arguments.session_id, arguments.limit, arguments.cursor)
        return await list_calls(self._gateway.dependencies.ledger, call, wanted)


def gateway_tools(tools: GatewayTools) -> list[Tool[Any]]:
    tool: Any = partial(Tool, group="gateway", scope=Scope.TENANT)
    return [
        *_for_agents(tool, tools),
        *_looking(partial(tool, over_mcp=False), tools),
        *_changing(partial(tool, over_mcp=False, writes=True), tools),
    ]


def _for_agents(tool: Any, tools: GatewayTools) -> list[Tool[Any]]:
    return [
        tool(
            name="gateway_search_tools",
            title="Look for a tool of another server",
            description="Find tools of other servers by words, with their schemas; call one with gateway_call.",
            arguments=SearchUpstreamTools,
            result=FoundTools,
            run=tools.search,
            roles=WORKERS,
            audited_as="gateway_searched",
            needs="search",
        ),
        tool(
            name=CALL,
            title="Call a tool of another server",
            description="Call a tool that gateway_search_tools found, under the same rules as by its own name.",
            arguments=CallTool,
            result=FoundTools,
            run=tools.call,
            roles=WORKERS,
            audited_as="gateway_called",
            writes=True,
            destructive=True,
            passes_through=True,
            needs="search",
        ),
    ]


def _looking(tool: Any, tools: GatewayTools) -> list[Tool[Any]]:
    return [
        tool(
            name="list_upstreams",
            title="List upstreams",
            description="List the sources of tools, how they are, and what they offer.",
            arguments=Nothing,
            result=UpstreamList,
            run=tools.upstreams,
            roles=ONLOOKERS,
            audited_as="upstreams_listed",
            routes=(Route("GET", "/upstreams"),),
        ),
        tool(
            name="list_quarantine",
            title="List quarantined tools",
            description="List tools that have changed since they were agreed to, each with what has changed.",
            arguments=Nothing,
            result=Quarantine,
            run=tools.quarantine,
            roles=ONLOOKERS,
            audited_as="quarantine_listed",
            routes=(Route("GET", "/pins"),),
        ),
        tool(
            name="list_rules",
            title="List gateway rules",
            description="List the rules of the file and those that an owner has laid over them.",
            arguments=Nothing,
            result=RuleList,
            run=tools.rules,
            roles=ONLOOKERS,
            audited_as="rules_listed",
            routes=(Route("GET", "/rules"),),
        ),
        *_looking_back(tool, tools),
    ]


def _looking_back(tool: Any, tools: GatewayTools) -> list[Tool[Any]]:
    return [
        tool(
            name="list_intents",
            title="List intents",
            description="List what conversations wanted and the calls they led to, newest first.",
            arguments=ListIntents,
            result=IntentList,
            run=tools.intents,
            roles=ONLOOKERS,
            audited_as="intents_listed",
            routes=(Route("GET", "/intents"),),
        ),
        tool(
            name="list_calls",
            title="List calls",
            description="List calls of other servers' tools and what became of them, newest first, without their "
            "arguments.",
            arguments=ListCalls,
            result=CallList,
            run=tools.calls,
            roles=OVERSEERS,
            audited_as="calls_listed",
            routes=(Route("GET", "/calls"),),
        ),
    ]


def _changing(tool: Any, tools: GatewayTools) -> list[Tool[Any]]:
    return [
        tool(
            name="accept_tool",
            title="Accept a changed tool",
            description="Agree to the definition of a tool as it is now; it can be called again.",
            arguments=AcceptTool,
            result=PinAccepted,
            run=tools.accept,
            roles=OWNER,
            audited_as="tool_accepted",
            routes=(Route("POST", "/pins/accept"),),
        ),
        tool(
            name="switch_upstream",
            title="Switch an upstream",
            description="Take all tools of an upstream away, or bring them back.",
            arguments=SwitchUpstream,
            result=RuleList,
            run=tools.switch,
            roles=OWNER,
            audited_as="upstream_switched",
            repeatable=True,
            routes=(Route("POST", "/upstreams/{upstream}/switch"),),
        ),
        tool(
            name="set_rules",
            title="Set gateway rules",
            description="Replace the rules that are laid over those of the file.",
            arguments=SetRules,
            result=RuleList,
            run=tools.set_rules,
            roles=OWNER,
            audited_as="rules_set",
            routes=(Route("PUT", "/rules"),),
        ),
    ]
