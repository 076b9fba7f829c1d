"""The upstream tools that a caller may use, by their listed names. A name is looked up, never parsed."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary

from longtable.gateway.left_out_tools import denied_tools, not_storable_tools, storable_tools
from longtable.gateway.pins import Pins
from longtable.governance.model import Layer, PolicyDecision, ToolDefinition, WithheldTool
from longtable.governance.names import ToolNames
from longtable.governance.policy import Policy, strictest
from longtable.kernel.background import owned_task
from longtable.kernel.caller import Caller
from longtable.kernel.clock import SECOND, Clock
from longtable.kernel.errors import LongtableError, NotFound, ToolQuarantined, UpstreamError
from longtable.kernel.logs import logger
from longtable.kernel.suggestions import did_you_mean
from longtable.upstreams.directory import UpstreamDirectory, UpstreamInstance
from longtable.upstreams.port import Freshness

LISTING_SECONDS = 3.0
"""Seconds that a list waits for a slow upstream, once; later lists show what was known last."""
STARTING_SECONDS = 30.0
"""Seconds that a call waits for upstreams of which nothing is known yet."""
_LEFT_ALONE_SECONDS = 2.0
_STARTS_AT_ONCE = 4
_FRESH_FOR = SECOND
"""How old a cached listing may be: another replica may have accepted a tool."""
_MAX_SHOWN = 200
"""Lists of different callers that are kept."""


@dataclass(frozen=True, slots=True)
class PendingListing:
    """A request for the tools of an upstream; the result of the task is the error, if it failed."""

    fresh: Freshness
    task: asyncio.Task[LongtableError | None]

    def is_enough_for(self, fresh: Freshness) -> bool:
        return self.fresh.since >= fresh.since and (self.fresh.always or not fresh.always)


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """`policy_decision` holds for any inputs; `usable` says that the definition is the pinned one."""

    name: str
    definition: ToolDefinition
    policy_decision: PolicyDecision
    usable: bool


@dataclass(slots=True, eq=False)
class _CachedListing:
    """The tools of one upstream for those of a tenant for whom the same rules hold. A change may give a tool another
    layer and so another name: `quarantined` has it by its old name, so that it is held back there, not unknown. It
    stays the same object while nothing about it changes."""

    definitions: Sequence[ToolDefinition]
    policy: str
    until: int
    usable: frozenset[str]
    known: int
    """How often the tools of any upstream had changed: steps of a playbook may be of another one."""
    offered: dict[str, OfferedTool] = field(default_factory=dict)
    withheld: tuple[WithheldTool, ...] = ()
    quarantined: dict[str, OfferedTool] = field(default_factory=dict)

    def is_current(self, definitions: Sequence[ToolDefinition], policy: Policy, now: int) -> bool:
        return self.definitions is definitions and self.policy == policy.version and now < self.until

    def is_same(
        self, definitions: Sequence[ToolDefinition], policy: Policy, usable: frozenset[str], known: int
    ) -> bool:
        of_upstream = self.definitions is definitions and self.usable == usable
        return of_upstream and self.policy == policy.version and self.known == known

    def follow(self, before: "_CachedListing") -> bool:
        """Keeps changed tools by their old names. Says whether any tool is gone from its name."""
        removed = {name: tool for name, tool in before.offered.items() if name not in self.offered}
        self.quarantined = _quarantined_by_old_name({**before.quarantined, **removed}, self)
        return bool(removed)

    def find(self, name: str) -> OfferedTool | None:
        return self.offered.get(name) or self.quarantined.get(name)


@dataclass(slots=True)
class _InstanceState:
    """What is known of the tools of one instance. `listings` are by tenant and audience of the policy."""

    definitions: Sequence[ToolDefinition] | None = None
    failure: LongtableError | None = None
    ask_again_at: float = 0.0
    """Until then (`time.monotonic`) it could only say again that it waits for its next start."""
    requested_at: float = 0.0
    request: "asyncio.Task[LongtableError | None] | None" = None
    late: "asyncio.Task[LongtableError | None] | None" = None
    listings: dict[tuple[str, str], _CachedListing] = field(default_factory=dict)


class Registry:
    def __init__(self, upstreams: UpstreamDirectory, pins: Pins, names: ToolNames, clock: Clock) -> None:
        self._upstreams = upstreams
        self._pins = pins
        self._names = names
        self._clock = clock
        self._states: WeakKeyDictionary[UpstreamInstance, _InstanceState] = WeakKeyDictionary()
        self._changes = 0
        self._shown: dict[tuple[str, str, str], tuple[list[_CachedListing], dict[str, OfferedTool]]] = {}
        """By tenant, audience and version of the policy."""

    def forget(self, tenant: str) -> None:
        """To be called when a person has changed the rules or accepted a tool."""
        for state in self._states.values():
            state.listings = {key: listing for key, listing in state.listings.items() if key[0] != tenant}

    async def offered(self, caller: Caller, policy: Policy) -> dict[str, OfferedTool]:
        """The tools that the caller may be shown, sorted by name: the same object while nothing changes. Only those of
        a failing upstream are missing."""
        instances = self._instances(caller)
        await asyncio.gather(*(self._refresh_definitions(instance) for instance in instances))
        known = [instance for instance in instances if self._state(instance).definitions is not None]
        listings = [await self._cached_listing(caller, policy, instance) for instance in known]
        key = (caller.tenant, policy.audience, policy.version)
        before, shown = self._shown.get(key, (None, {}))
        if before != listings:
            if len(self._shown) >= _MAX_SHOWN:
                self._shown.clear()
            shown = _shown(listings)
            self._shown[key] = (listings, shown)
        return shown

    def count_missing(self, caller: Caller, policy: Policy) -> int:
        """Tools that were offered before their upstreams failed."""
        states = (self._state(instance) for instance in self._instances(caller))
        missing = (
            state.listings.get((caller.tenant, policy.audience)) for state in states if state.failure is not None
        )
        return sum(len(_shown([listing])) for listing in missing if listing is not None)

    async def find(self, caller: Caller, policy: Policy, name: str) -> OfferedTool:
        """The tool as it is now. Raises NotFound or ToolQuarantined."""
        return await self.find_current(caller, policy, name, Freshness(time.monotonic()), None)

    def start_listing(self, caller: Caller, audience: str, name: str, since: float) -> PendingListing | None:
        """Requests the tools of the upstream that last offered this one, while the caller does other things. `audience`
        is that of the policy."""
        for instance in self._instances(caller):
            state = self._state(instance)
            listing = state.listings.get((caller.tenant, audience))
            tool = listing.find(name) if listing is not None and state.definitions is not None else None
            if tool is not None:
                fresh = Freshness(since, always=tool.policy_decision.is_governed)
                return PendingListing(fresh, owned_task(self._request_definitions(instance, fresh)))
        return None

    async def find_cached(self, caller: Caller, policy: Policy, name: str) -> OfferedTool:
        """The tool as it was last listed. Raises NotFound, ToolQuarantined, or UpstreamError when its upstream is
        unreachable."""
        found = await self._lookup(caller, policy, name)
        if found is None:
            self._check_reachable(caller, policy, name)
        _, shown = self._shown.get((caller.tenant, policy.audience, policy.version), (None, {}))
        return _usable(name, found, shown, "" if found is not None else self._unauthorized(caller))

    async def find_current(
        self, caller: Caller, policy: Policy, name: str, fresh: Freshness, pending: PendingListing | None
    ) -> OfferedTool:
        """The tool as its upstream lists it now. Raises NotFound, ToolQuarantined, or the error of the upstream."""
        problem: LongtableError | None = None
        if pending is not None and pending.is_enough_for(fresh):
            problem = await pending.task
        else:
            tool = await self._lookup(caller, policy, name)
            instance = None if tool is None else self._instance(caller, tool.definition.upstream)
            if instance is not None:
                problem = await self._request_definitions(instance, fresh)
        if problem is not None:
            raise problem
        return await self.find_cached(caller, policy, name)

    async def refresh(self, caller: Caller, policy: Policy, upstream: str) -> bool:
        """Records a change that an upstream noticed during a call, so that people are notified. False if it could not
        be listed."""
        instance = self._instance(caller, upstream)
        if instance is None or await self._request_definitions(instance, Freshness(time.monotonic())) is not None:
            return False
        await self._cached_listing(caller, policy, instance)
        return True

    def known(self, caller: Caller, upstream: str) -> list[OfferedTool]:
        """The tools of an upstream as last listed, without the rules that say who, sorted by name."""
        instance = self._instance(caller, upstream)
        listing = None if instance is None else self._state(instance).listings.get((caller.tenant, ""))
        return sorted(listing.offered.values(), key=lambda tool: tool.name) if listing else []

    def withheld(self, caller: Caller, upstream: str) -> list[WithheldTool]:
        """What an upstream last listed and nobody is offered, sorted by name."""
        instance = self._instance(caller, upstream)
        if instance is None:
            return []
        listing = self._state(instance).listings.get((caller.tenant, ""))
        by_policy = listing.withheld if listing else ()
        return sorted((*instance.upstream.withheld, *by_policy), key=lambda tool: tool.name)

    def _instances(self, caller: Caller) -> Collection[UpstreamInstance]:
        return self._upstreams.instances(caller.tenant, caller.session_id)

    def _instance(self, caller: Caller, upstream: str) -> UpstreamInstance | None:
        return self._upstreams.find(caller.tenant, upstream, caller.session_id)

    def _state(self, instance: UpstreamInstance) -> _InstanceState:
        state = self._states.get(instance)
        if state is None:
            state = self._states[instance] = _InstanceState()
        return state

    async def _lookup(self, caller: Caller, policy: Policy, name: str) -> OfferedTool | None:
        found = await self._lookup_known(caller, policy, name)
        if found is None:
            unknown = [each for each in self._instances(caller) if self._state(each).definitions is None]
            await asyncio.gather(*(self._refresh_definitions(each, is_called=True) for each in unknown))
            found = await self._lookup_known(caller, policy, name)
        return found

    async def _lookup_known(self, caller: Caller, policy: Policy, name: str) -> OfferedTool | None:
        for instance in self._instances(caller):
            if self._state(instance).definitions is not None:
                found = (await self._cached_listing(caller, policy, instance)).find(name)
                if found is not None:
                    return found
        return None

    async def warm_up(self, instances: Collection[UpstreamInstance]) -> None:
        """Connects to upstreams before anybody needs them, a few at a time."""
        slots = asyncio.Semaphore(_STARTS_AT_ONCE)

        async def start(instance: UpstreamInstance) -> None:
            async with slots:
                await self._refresh_definitions(instance)

        await asyncio.gather(*(start(instance) for instance in instances))

    def starting(self, caller: Caller) -> list[str]:
        """The upstreams of which nothing is known yet: their tools are missing in the list."""
        states = ((instance, self._state(instance)) for instance in self._instances(caller))
        return sorted(each.name for each, state in states if state.definitions is None and state.failure is None)

    def _check_reachable(self, caller: Caller, policy: Policy, name: str) -> None:
        """A tool whose upstream is unreachable for a moment must not be reported as unknown."""
        for instance in self._instances(caller):
            state = self._state(instance)
            listing = state.listings.get((caller.tenant, policy.audience)) if state.failure is not None else None
            tool = listing.offered.get(name) if listing is not None and listing.policy == policy.version else None
            if state.failure is not None and tool is not None and tool.usable:
                problem = "The server of this tool is not there now."
                raise UpstreamError(problem, hint=state.failure.message, upstream=instance.name)
        starting = self.starting(caller)
        if starting:
            problem = f"There is no tool {name[:100]!r} yet: {', '.join(starting)[:200]} is still starting."
            raise UpstreamError(problem, hint="Try again in a few seconds.", starting=starting)

    def _unauthorized(self, caller: Caller) -> str:
        """Names the upstreams whose tools nobody has seen yet, because no owner has connected them."""
        failures = [self._state(instance).failure for instance in self._instances(caller)]
        return "".join(f" {each.message}" for each in failures if each and each.details.get("authorization"))

    async def _refresh_definitions(self, instance: UpstreamInstance, *, is_called: bool = False) -> None:
        """Waits for a hanging upstream once only: the seconds count from the start of the request."""
        state = self._state(instance)
        if state.failure is not None and time.monotonic() < state.ask_again_at:
            return
        patience = STARTING_SECONDS if is_called and state.failure is None else LISTING_SECONDS
        if state.request is None or state.request.done():
            state.requested_at = time.monotonic()
            state.request = owned_task(self._request_definitions(instance, None))
        timeout = max(0.0, state.requested_at + patience - time.monotonic())
        done, _ = await asyncio.wait({state.request}, timeout=timeout)
        if not done and state.late is not state.request:
            # Whoever has been shown a list without its tools hears of them.
            state.late = state.request
            state.request.add_done_callback(lambda _: self._upstreams.report_change(instance))

    async def _request_definitions(self, instance: UpstreamInstance, fresh: Freshness | None) -> LongtableError | None:
        """Returns the error of the upstream, if it failed."""
        state, name = self._state(instance), instance.name
        try:
            with instance as upstream:
                definitions = await upstream.definitions(fresh)
        except LongtableError as error:
            problem = error
            logger.warning("upstream_failed", upstream=name, code=error.code)
        except Exception as bug:  # noqa: BLE001 - a broken upstream must not affect the others
            problem = UpstreamError("The tools of this upstream cannot be listed.", upstream=name)
            logger.failed("upstream_failed", bug, upstream=name)
        else:
            if definitions is not state.definitions:
                state.definitions = definitions
                self._changes += 1
            state.failure = None
            return None
        if state.definitions is not None:
            self._changes += 1
        state.definitions, state.failure = None, problem
        # Well before that start, after which a change is reported.
        left = 0.8 * float(problem.details.get("retry_after", 0.0))
        state.ask_again_at = time.monotonic() + min(left, _LEFT_ALONE_SECONDS)
        return problem

    async def _cached_listing(self, caller: Caller, policy: Policy, instance: UpstreamInstance) -> _CachedListing:
        state, now = self._state(instance), self._clock()
        definitions, key = state.definitions or (), (caller.tenant, policy.audience)
        listing = state.listings.get(key)
        if listing is not None and listing.is_current(definitions, policy, now):
            return listing
        storable = storable_tools(definitions)
        usable = await self._pins.usable_digests(caller, instance.name, storable)
        before = state.listings.get(key)
        if before is not None and before.is_same(definitions, policy, usable, self._changes):
            before.until = now + _FRESH_FOR
            return before
        listing = _CachedListing(definitions, policy.version, now + _FRESH_FOR, usable, self._changes)
        decided = [(each, self.decide(caller, policy, each)) for each in storable]
        for tool in self._offered(decided, usable):
            listing.offered.setdefault(tool.name, tool)
        listing.withheld = (*denied_tools(decided), *not_storable_tools(definitions, storable))
        state.listings[key] = listing
        if before is not None and listing.follow(before):
            await self._pins.report_removed(caller, instance.name)
        return listing

    def _offered(
        self, decided: Sequence[tuple[ToolDefinition, PolicyDecision]], usable: Collection[str]
    ) -> Iterator[OfferedTool]:
        for definition, decision in decided:
            if decision.listed:
                layer = Layer.MACRO if definition.is_playbook else decision.layer
                name = self._names.name(layer, definition.identity)
                yield OfferedTool(name, definition, decision, definition.digest in usable)

    def decide(
        self, caller: Caller, policy: Policy, definition: ToolDefinition, inputs: Mapping[str, Any] | None = None
    ) -> PolicyDecision:
        """For a playbook with known steps: the strictest of its own decision and theirs."""
        own_decision = policy.decide(definition, inputs)
        if definition.body is None or not own_decision.listed:
            return own_decision
        by_identity: defaultdict[str, list[PolicyDecision]] = defaultdict(list)
        for each in chain.from_iterable(self._state(each).definitions or () for each in self._instances(caller)):
            by_identity[str(each.identity)].append(policy.decide(each))
        steps = [by_identity.get(tool) or [_UNKNOWN_STEP] for tool, *_ in definition.body["steps"]]
        strictest_decision = strictest([own_decision, *chain.from_iterable(steps)])
        if strictest_decision.layer is Layer.INTERNAL:
            return _UNKNOWN_STEP
        if strictest_decision.layer is Layer.GOVERNED:
            return replace(
                strictest_decision, reason=f"one of its steps: {strictest_decision.reason}", rate=own_decision.rate
            )
        return replace(own_decision, confirm=strictest_decision.confirm)


def _shown(listings: Sequence[_CachedListing]) -> dict[str, OfferedTool]:
    tools: dict[str, OfferedTool] = {}
    for listing in listings:
        # Of two tools with one name the first counts, as in a call.
        tools = {**listing.offered, **tools}
    return {name: tool for name, tool in sorted(tools.items()) if tool.usable and tool.policy_decision.listed}


def _usable(name: str, tool: OfferedTool | None, shown: Collection[str], more: str) -> OfferedTool:
    if tool is None or not tool.policy_decision.listed:
        # The last list may still have the tool that is gone.
        others = (each for each in shown if each != name)
        hint = did_you_mean(name, others, f"tools/list shows those there are.{more}")
        raise NotFound(f"There is no tool {name[:100]!r}.", hint=hint)
    if not tool.usable:
        problem = "This tool is not the one that was agreed to; it waits for a person."
        raise ToolQuarantined(problem, tool=name, upstream=tool.definition.upstream)
    return tool


def _quarantined_by_old_name(past: Mapping[str, OfferedTool], listing: _CachedListing) -> dict[str, OfferedTool]:
    waiting = {tool.definition.remote: tool for tool in listing.offered.values() if not tool.usable}
    return {
        name: replace(waiting[tool.definition.remote], name=name)
        for name, tool in past.items()
        if name not in listing.offered and tool.definition.remote in waiting
    }


_UNKNOWN_STEP = PolicyDecision(Layer.GOVERNED, "human", "a tool of one of its steps is not known")
