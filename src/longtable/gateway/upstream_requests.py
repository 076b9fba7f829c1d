"""Requests of a caller about resources and prompts of upstreams: under the rules, limited and audited as calls are."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from longtable.gateway import pin_store
from longtable.gateway.call_arguments import storable
from longtable.gateway.call_dependencies import CallDependencies
from longtable.gateway.registry import LISTING_SECONDS
from longtable.governance.model import Layer, PolicyDecision, ToolIdentity, Trust
from longtable.governance.policy import Policy
from longtable.identity.model import WORKERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.errors import Forbidden, LongtableError, NotFound, UpstreamTimeout
from longtable.kernel.logs import logger
from longtable.upstreams.directory import UpstreamInstance
from longtable.upstreams.requests import McpRequests, RequestMethod, UpstreamRequest, list_items

_CANCELLED = "CANCELLED"
_AUDITED_LENGTH = 500


@dataclass(frozen=True, slots=True)
class Readable:
    """A resource or a prompt of an upstream: `kind` is resources or prompts, `remote` its URI or name there."""

    upstream: McpRequests
    kind: str
    remote: str

    @property
    def pack(self) -> str:
        return self.upstream.entry.pack

    @property
    def identity(self) -> ToolIdentity:
        """As the patterns of rules see it."""
        return ToolIdentity(self.pack, f"{self.kind}/{self.remote}")


@dataclass(frozen=True, slots=True)
class ListedItem:
    of: Readable
    item: dict[str, Any]


class UpstreamRequests:
    def __init__(self, dependencies: CallDependencies) -> None:
        self._dependencies = dependencies

    def upstreams(self, caller: Caller) -> Sequence[McpRequests]:
        """The upstreams that the caller may use."""
        if caller.role not in WORKERS:
            return []
        instances = self._dependencies.upstreams.instances(caller.tenant, caller.session_id)
        return [each.upstream for each in instances if isinstance(each.upstream, McpRequests)]

    async def listed(self, caller: Caller, method: RequestMethod, key: str) -> list[ListedItem]:
        """Those of all upstreams that the caller may see; `key` holds what names one. Only those of an upstream that
        fails or is slow are missing."""
        policy = await self._dependencies.policies.cached(caller)
        kind = method.partition("/")[0]
        found: list[ListedItem] = []
        upstreams = self.upstreams(caller)
        for upstream, items in zip(
            upstreams, await asyncio.gather(*(_items(each, method) for each in upstreams)), strict=True
        ):
            named = [ListedItem(Readable(upstream, kind, item[key]), item) for item in items]
            trust = await self._trust(caller, upstream)
            found += [each for each in named if decide(policy, each.of, trust).listed]
        return found

    async def answer(self, caller: Caller, item: Readable, request: UpstreamRequest) -> dict[str, Any]:
        """Raises Forbidden, NotFound for what is not there or not for the caller, RateLimited, or the error of the
        upstream."""
        async with self.audited(Call(caller, request.method, "gateway_called"), item):
            inputs = {"uri": item.remote} if item.kind == "resources" else request.params.get("arguments") or {}
            with await self.admitted(caller, item, request.method, inputs) as upstream:
                assert isinstance(upstream, McpRequests)  # nothing else is listed or found
                return await upstream.request(request)

    async def admitted(
        self, caller: Caller, item: Readable, method: str, inputs: Mapping[str, Any]
    ) -> UpstreamInstance:
        """The instance that has it, for a request under the rules and limits of now. Raises NotFound, RateLimited."""
        dependencies = self._dependencies
        if caller.role not in WORKERS:
            raise Forbidden(f"The role {caller.role} may not use what others offer.", allowed=sorted(WORKERS))
        trust = await self._trust(caller, item.upstream)
        decision = decide(await dependencies.policies.current(caller), item, trust, inputs)
        if not decision.listed:
            raise not_there(item.kind)
        buckets = dependencies.policies.buckets(caller, f"{item.pack}.{method}", decision.rate)
        await dependencies.limits.take(caller.tenant, buckets)
        instance = self.instance(caller, item)
        if instance is None:
            raise not_there(item.kind)
        return instance

    def instance(self, caller: Caller, item: Readable) -> UpstreamInstance | None:
        return self._dependencies.upstreams.find(caller.tenant, item.upstream.entry.name, caller.session_id)

    async def may_read(self, caller: Caller, item: Readable) -> bool:
        """By rules that are up to a second old."""
        policy = await self._dependencies.policies.cached(caller)
        trust = await self._trust(caller, item.upstream)
        return decide(policy, item, trust, {"uri": item.remote}).listed

    async def _trust(self, caller: Caller, upstream: McpRequests) -> Trust:
        """What is not trusted by its entry is so as long as a person has accepted all of its tools."""
        entry = upstream.entry
        if entry.trust != "none":
            return entry.trust
        accepted = await self._dependencies.ledger.read(caller, lambda tx: pin_store.are_all_accepted(tx, entry.name))
        return "first-use" if accepted else "none"

    @asynccontextmanager
    async def audited(self, call: Call, item: Readable) -> AsyncIterator[None]:
        started, outcome = time.monotonic(), "SUCCESS"
        try:
            yield
        except LongtableError as error:
            outcome = error.code
            raise
        except asyncio.CancelledError:
            outcome = _CANCELLED
            raise
        finally:
            seconds, upstream = time.monotonic() - started, item.upstream.entry.name
            metadata = {"upstream": upstream, "layer": "primitive", "duration_ms": round(seconds * 1000, 1)}
            named = storable(f"{item.kind}:{item.remote}"[:_AUDITED_LENGTH])
            try:
                self._dependencies.ledger.observe(replace(call, metadata=metadata), outcome, named)
            except LongtableError as error:
                logger.warning("audit_delayed", code=error.code)
            if self._dependencies.meter is not None:
                self._dependencies.meter.gateway_called(upstream, "primitive", outcome, seconds)


def decide(policy: Policy, item: Readable, trust: Trust, inputs: Mapping[str, Any] | None = None) -> PolicyDecision:
    entry, identity = item.upstream.entry, item.identity
    decision = policy.decide_reading(entry.name, identity, trust, inputs)
    return decision if entry.lets_through(identity.action) else replace(decision, layer=Layer.INTERNAL)


def not_there(kind: str) -> NotFound:
    return NotFound(f"There is no such {kind.removesuffix('s')}.", hint=f"{kind}/list shows those there are.")


async def _items(upstream: McpRequests, method: RequestMethod) -> Sequence[dict[str, Any]]:
    try:
        async with asyncio.timeout(LISTING_SECONDS):
            return await list_items(upstream, method)
    except (LongtableError, TimeoutError) as error:
        code = error.code if isinstance(error, LongtableError) else UpstreamTimeout.code
        logger.warning("upstream_failed", upstream=upstream.entry.name, code=code)
        return []
