"""The gateway as the server sees it: lists the tools that a caller may use, and calls them."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from longtable.gateway import CALL
from longtable.gateway.added_upstreams import AddedUpstreams
from longtable.gateway.authorizations import Authorizations
from longtable.gateway.call_dependencies import CallDependencies
from longtable.gateway.calls import Calls
from longtable.gateway.listing import best_matches, listed_tool, tool_summary
from longtable.gateway.model import CallRequest, CallResult
from longtable.gateway.registry import OfferedTool
from longtable.gateway.results import FoundTools
from longtable.gateway.upstream_prompts import UpstreamPrompts
from longtable.gateway.upstream_requests import UpstreamRequests
from longtable.gateway.upstream_resources import UpstreamResources
from longtable.identity.model import WORKERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller, Role
from longtable.kernel.canonical import digest
from longtable.kernel.content import check_characters
from longtable.kernel.errors import InvalidArgument
from longtable.upstreams.client_channel import ClientChannel
from longtable.upstreams.port import Progress

MAX_QUERY = 500
_MAX_LISTS = 200

MAX_LISTED = 40
"""Tools of upstreams that are listed where the listing is auto; more are searched."""


class ToolList:
    """The list of a caller. Where it `is_searched` it is empty, and the tools to search are listed instead. `starting`
    are upstreams whose tools are not known yet. `encoded` are results made of it, by the role of a caller and the
    protocol version."""

    def __init__(
        self, offered: Mapping[str, OfferedTool], *, is_searched: bool = False, starting: Sequence[str] = ()
    ) -> None:
        self.offered = offered
        self.is_searched = is_searched
        self.starting = starting
        self.encoded: dict[tuple[tuple[Role, bool], str], bytes] = {}

    @cached_property
    def tools(self) -> Sequence[dict[str, Any]]:
        return [listed_tool(tool) for tool in self.offered.values()]

    @cached_property
    def signature(self) -> str:
        """Changes whenever the list does."""
        shown = self.offered.items()
        if self.is_searched:
            return "searched"
        return digest([[name, tool.definition.digest, tool.policy_decision.confirm] for name, tool in shown])


class Gateway:
    """`listing` is full, or search: then no upstream tool is listed, and agents search for one. With auto it is
    search for callers that are offered more than MAX_LISTED tools."""

    def __init__(
        self, dependencies: CallDependencies, added: AddedUpstreams, listing: str, authorizations: Authorizations
    ) -> None:
        self.dependencies = dependencies
        self.added = added
        self.authorizations = authorizations
        self._calls = Calls(dependencies)
        self._listing = listing
        requests = UpstreamRequests(dependencies)
        self.resources = UpstreamResources(requests)
        self.prompts = UpstreamPrompts(requests, self.resources, dependencies.names)
        self._no_tools = ToolList({})
        self._searches: dict[tuple[str, ...], ToolList] = {}
        self._lists: dict[tuple[str, str, str], ToolList] = {}

    async def listed(self, caller: Caller) -> ToolList:
        """The offered tools: the same object while nothing changes."""
        if caller.role not in WORKERS:
            return self._no_tools
        registry = self.dependencies.registry
        if self._listing == "search":
            return self._searched(registry.starting(caller))
        await self.added.follow(caller.tenant)
        policy = await self.dependencies.policies.cached(caller)
        offered = await registry.offered(caller, policy)
        starting = registry.starting(caller)
        # An upstream that fails for a while does not make a list of a search.
        if self._listing == "auto" and len(offered) + registry.count_missing(caller, policy) > MAX_LISTED:
            return self._searched(starting)
        key = (caller.tenant, policy.audience, policy.version)
        known = self._lists.get(key)
        if known is None or known.offered is not offered or known.starting != starting:
            if len(self._lists) >= _MAX_LISTS:
                self._lists.clear()
            known = self._lists[key] = ToolList(offered, starting=starting)
        return known

    def _searched(self, starting: Sequence[str]) -> ToolList:
        if len(self._searches) >= _MAX_LISTS:
            self._searches.clear()
        return self._searches.setdefault(tuple(starting), ToolList({}, is_searched=True, starting=starting))

    async def offered(self, caller: Caller) -> dict[str, OfferedTool]:
        await self.added.follow(caller.tenant)
        policy = await self.dependencies.policies.cached(caller)
        return await self.dependencies.registry.offered(caller, policy)

    async def call(
        self,
        caller: Caller,
        name: str,
        arguments: Mapping[str, Any],
        progress: Progress | None = None,
        client: ClientChannel | None = None,
    ) -> CallResult:
        """Raises LongtableError for a refusal or a failure that is not the tool's own."""
        if name == CALL and self._listing != "full":
            name, arguments = _unwrapped(arguments)
        await self.added.follow(caller.tenant)
        return await self._calls.call(CallRequest(name, arguments, caller, progress, client))

    async def search(self, call: Call, query: str, limit: int) -> FoundTools:
        check_characters("query", query, MAX_QUERY)
        words = query.casefold().split()
        caller = call.caller
        session_id = caller.session_id or call.current_session.session_id
        if session_id is not None:
            caller = caller.inside(session_id)
        every = (await self.offered(caller)).values() if caller.role in WORKERS else []
        found = best_matches(every, words)
        shown = [dict(tool_summary(tool)) for tool in found[:limit]]
        starting = self.dependencies.registry.starting(caller)
        return FoundTools(tools=shown, count=len(shown), total=len(found), starting=starting)

    async def close(self) -> None:
        await self.dependencies.intents.close()
        if self.dependencies.playbooks is not None:
            await self.dependencies.playbooks.close()
        await self.dependencies.upstreams.close()


def _unwrapped(arguments: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    name = arguments.get("tool")
    if not isinstance(name, str) or not name:
        raise InvalidArgument.at("tool", "must be the name of a tool, as gateway_search_tools shows it")
    return name, {key: value for key, value in arguments.items() if key != "tool"}
