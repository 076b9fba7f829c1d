"""Which tools of others there are for a caller, by the names they are offered under. Nothing is read out of a name."""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from longtable.gateway.pins import Pins
from longtable.governance.model import Layer, PolicyDecision, RemoteDefinition
from longtable.governance.names import ToolNames
from longtable.governance.policy import Policy, strictest
from longtable.kernel.background import owned_task
from longtable.kernel.caller import Caller
from longtable.kernel.canonical import digest
from longtable.kernel.clock import SECOND, Clock
from longtable.kernel.errors import LongtableError, NotFound, ToolQuarantined, UpstreamError
from longtable.kernel.logs import logger
from longtable.upstreams.port import Upstream

LISTING_SECONDS = 3.0
"""Seconds that a list waits for an upstream that has never answered; later ones show what was known last."""
_FRESH_FOR = SECOND
"""How long what another replica accepted may go unnoticed."""


PendingListing = asyncio.Task[LongtableError | None]
"""An upstream is being asked for its tools; the answer is why that failed."""


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """`policy_decision` holds for any inputs; `usable` says that the definition is the pinned one."""

    name: str
    definition: RemoteDefinition
    policy_decision: PolicyDecision
    usable: bool


@dataclass(slots=True)
class _CachedListing:
    """The tools of one upstream for one tenant. A change may give a tool another layer and so another name:
    `quarantined` has it by its old name, so that it is held back there, not unknown."""

    definitions: Sequence[RemoteDefinition]
    policy: str
    until: int
    offered: dict[str, OfferedTool] = field(default_factory=dict)
    quarantined: dict[str, OfferedTool] = field(default_factory=dict)


class Registry:
    def __init__(self, upstreams: Mapping[str, Upstream], pins: Pins, names: ToolNames, clock: Clock) -> None:
        self._upstreams = upstreams
        self._pins = pins
        self._names = names
        self._clock = clock
        self._known: dict[str, Sequence[RemoteDefinition]] = {}
        self._failures: dict[str, LongtableError] = {}
        self._pending: dict[str, tuple[float, asyncio.Task[Sequence[RemoteDefinition]]]] = {}
        self._listings: dict[tuple[str, str], _CachedListing] = {}

    def forget(self, tenant: str) -> None:
        """A person has decided something about this tenant's tools."""
        self._listings = {key: listing for key, listing in self._listings.items() if key[0] != tenant}

    async def offered(self, caller: Caller, policy: Policy) -> dict[str, OfferedTool]:
        """What the caller may be shown, in the order of the names. An upstream that fails takes only its own away."""
        names = list(self._upstreams)
        await asyncio.gather(*(self._refresh_definitions(name, LISTING_SECONDS) for name in names))
        listings = [await self._cached_listing(caller, policy, name) for name in names if name in self._known]
        every: dict[str, OfferedTool] = {}
        for listing in listings:
            # Of two with one name the first counts, as for a call.
            every = {**listing.offered, **every}
        return {
            name: every[name] for name in sorted(every) if every[name].usable and every[name].policy_decision.listed
        }

    async def find(self, caller: Caller, policy: Policy, name: str) -> OfferedTool:
        """By its exact name, as it is at this moment. Raises NotFound or ToolQuarantined."""
        return await self.find_current(caller, policy, name, self.start_listing(caller.tenant, name))

    def start_listing(self, tenant: str, name: str) -> PendingListing | None:
        """Begins to ask the upstream that offered a tool last, so that other things are done while it answers."""
        for upstream in self._upstreams:
            listing = self._listings.get((tenant, upstream))
            if (
                listing is not None
                and upstream in self._known
                and (name in listing.offered or name in listing.quarantined)
            ):
                return owned_task(self._refresh_definitions(upstream, None))
        return None

    async def find_cached(self, caller: Caller, policy: Policy, name: str) -> OfferedTool:
        """By its exact name, as it was known last. Raises NotFound, ToolQuarantined, or UpstreamError when it is gone
        with its upstream."""
        found = await self._lookup(caller, policy, name)
        if found is None:
            self._check_reachable(caller.tenant, policy, name)
        return _usable(name, found)

    async def find_current(
        self, caller: Caller, policy: Policy, name: str, pending: PendingListing | None
    ) -> OfferedTool:
        """As it is now that its upstream was asked. Raises NotFound, ToolQuarantined, or why it does not answer."""
        if pending is None:
            tool = await self._lookup(caller, policy, name)
            problem = None if tool is None else await self._refresh_definitions(tool.definition.upstream, None)
        else:
            problem = await pending
        if problem is not None:
            raise problem
        return await self.find_cached(caller, policy, name)

    async def refresh(self, caller: Caller, policy: Policy, upstream: str) -> None:
        """An upstream has noticed in the middle of a call that it is not what it was: so that people hear of it."""
        if await self._refresh_definitions(upstream, None) is None:
            await self._cached_listing(caller, policy, upstream)

    def known(self, tenant: str, upstream: str) -> list[OfferedTool]:
        """What was offered last, in the order of the names."""
        listing = self._listings.get((tenant, upstream))
        return sorted(listing.offered.values(), key=lambda tool: tool.name) if listing else []

    async def signature(self, caller: Caller, policy: Policy) -> str:
        """Changes whenever the caller's list does."""
        tools = await self.offered(caller, policy)
        return digest([[name, tool.definition.digest, tool.policy_decision.confirm] for name, tool in tools.items()])

    async def _lookup(self, caller: Caller, policy: Policy, name: str) -> OfferedTool | None:
        for attempt in (0, 1):
            for upstream in list(self._upstreams):
                if upstream not in self._known:
                    continue
                listing = await self._cached_listing(caller, policy, upstream)
                found = listing.offered.get(name) or listing.quarantined.get(name)
                if found is not None:
                    return found
            if attempt == 0:
                await asyncio.gather(
                    *(
                        self._refresh_definitions(each, LISTING_SECONDS)
                        for each in self._upstreams
                        if each not in self._known
                    )
                )
        return None

    def _check_reachable(self, tenant: str, policy: Policy, name: str) -> None:
        """To call a tool unknown whose upstream is away for a moment would send the caller the wrong way."""
        for upstream, problem in self._failures.items():
            listing = self._listings.get((tenant, upstream))
            tool = listing.offered.get(name) if listing is not None and listing.policy == policy.version else None
            if tool is not None and tool.usable:
                raise UpstreamError(
                    "The server of this tool is not there now.", hint=problem.message, upstream=upstream
                )

    async def _refresh_definitions(self, name: str, seconds: float | None) -> LongtableError | None:
        """Brings what is known of an upstream up to date, or says why that failed. A list waits for one that is slow,
        but only once."""
        if name in self._pending and self._pending[name][1].done():
            # Nobody waited for the end of it: what it found may be old by now.
            self._store_definitions(name, self._pending.pop(name)[1])
        if name not in self._pending:
            task = owned_task(self._upstreams[name].definitions())
            self._pending[name] = (time.monotonic(), task)
        began, task = self._pending[name]
        left = None if seconds is None else max(0.0, began + seconds - time.monotonic())
        done, _ = await asyncio.wait({task}, timeout=left)
        if not done:
            return None
        if self._pending.get(name, (0.0, None))[1] is task:
            del self._pending[name]
        return self._store_definitions(name, task)

    def _store_definitions(
        self, name: str, pending: "asyncio.Task[Sequence[RemoteDefinition]]"
    ) -> LongtableError | None:
        try:
            self._known[name] = pending.result()
        except LongtableError as error:
            problem = error
            logger.warning("upstream_failed", upstream=name, code=error.code)
        except Exception as bug:  # noqa: BLE001 - whatever breaks one upstream takes only its own tools away
            problem = UpstreamError("The tools of this upstream cannot be listed.", upstream=name)
            logger.failed("upstream_failed", bug, upstream=name)
        else:
            self._failures.pop(name, None)
            return None
        self._known.pop(name, None)
        self._failures[name] = problem
        return problem

    async def _cached_listing(self, caller: Caller, policy: Policy, upstream: str) -> _CachedListing:
        definitions, now = self._known[upstream], self._clock()
        listing = self._listings.get((caller.tenant, upstream))
        current = listing is not None and listing.definitions is definitions and listing.policy == policy.version
        if listing is not None and current and now < listing.until:
            return listing
        known = _storable(definitions)
        agreed = await self._pins.usable_digests(caller, upstream, known)
        before = self._listings.get((caller.tenant, upstream))
        listing = _CachedListing(definitions, policy.version, now + _FRESH_FOR)
        for definition in known:
            policy_decision = self.decide(policy, definition)
            if policy_decision.listed:
                layer = Layer.MACRO if definition.is_playbook else policy_decision.layer
                name = self._names.name(layer, definition.identity)
                listing.offered.setdefault(
                    name, OfferedTool(name, definition, policy_decision, definition.digest in agreed)
                )
        self._listings[caller.tenant, upstream] = listing
        if before is not None:
            removed = {name: tool for name, tool in before.offered.items() if name not in listing.offered}
            listing.quarantined = _quarantined_by_old_name({**before.quarantined, **removed}, listing)
            if removed:
                await self._pins.report_removed(caller, upstream)
        return listing

    def decide(
        self, policy: Policy, definition: RemoteDefinition, inputs: Mapping[str, Any] | None = None
    ) -> PolicyDecision:
        """Of a playbook whose steps are known: the strictest of its own and theirs."""
        own_decision = policy.decide(definition, inputs)
        if definition.body is None or not own_decision.listed:
            return own_decision
        known: defaultdict[str, list[PolicyDecision]] = defaultdict(list)
        for every in self._known.values():
            for each in every:
                known[str(each.identity)].append(policy.decide(each))
        steps = [known.get(tool) or [_UNKNOWN_STEP] for tool, *_ in definition.body["steps"]]
        strictest_decision = strictest([own_decision, *(policy_decision for step in steps for policy_decision in step)])
        if strictest_decision.layer is Layer.INTERNAL:
            return _UNKNOWN_STEP
        if strictest_decision.layer is Layer.GOVERNED:
            return replace(
                strictest_decision, reason=f"one of its steps: {strictest_decision.reason}", rate=own_decision.rate
            )
        return own_decision


def _usable(name: str, tool: OfferedTool | None) -> OfferedTool:
    if tool is None or not tool.policy_decision.listed:
        raise NotFound(f"There is no tool {name[:100]!r}.", hint="tools/list shows those there are.")
    if not tool.usable:
        raise ToolQuarantined(
            "This tool is not the one that was agreed to; it waits for a person.",
            tool=name,
            upstream=tool.definition.upstream,
        )
    return tool


def _quarantined_by_old_name(past: Mapping[str, OfferedTool], listing: _CachedListing) -> dict[str, OfferedTool]:
    waiting = {tool.definition.remote: tool for tool in listing.offered.values() if not tool.usable}
    return {
        name: replace(waiting[tool.definition.remote], name=name)
        for name, tool in past.items()
        if name not in listing.offered and tool.definition.remote in waiting
    }


def _storable(definitions: Sequence[RemoteDefinition]) -> list[RemoteDefinition]:
    """Without those that no store can keep, and those of which nobody can say which is meant."""
    times = Counter(definition.remote for definition in definitions)
    return [each for each in definitions if times[each.remote] == 1 and each.is_storable]


_UNKNOWN_STEP = PolicyDecision(Layer.GOVERNED, "human", "a tool of one of its steps is not known")
