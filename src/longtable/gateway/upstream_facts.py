"""What the configuration says of each upstream: its kind and its limits."""

from longtable.gateway.playbook_file import UPSTREAM as PLAYBOOKS
from longtable.gateway.policies import DEFAULT_RATE
from longtable.gateway.results import RateView, UpstreamFacts, UpstreamKind, UpstreamLimits
from longtable.governance.model import Rate
from longtable.kernel.clock import SECOND
from longtable.upstreams.config import Rates
from longtable.upstreams.entries import HttpEntry, OpenApiEntry, ResourceLimits, StdioEntry, UpstreamEntry
from longtable.upstreams.mindscape_client import AT_ONCE, MAX_BYTES, Backend


def facts_of_entry(entry: UpstreamEntry, rates: Rates) -> UpstreamFacts:
    memory = entry.limits.memory if isinstance(entry, StdioEntry) else None
    return UpstreamFacts(kind=_kind(entry), limits=_limits(rates, entry.limits, memory))


def facts_of_built_in(name: str, backend: Backend | None, rates: Rates) -> UpstreamFacts:
    """The facts of an upstream without an entry: the playbooks, or the backend."""
    if name == PLAYBOOKS or backend is None:
        return UpstreamFacts(kind="playbooks", limits=_limits(rates, None))
    resources = ResourceLimits(timeout=backend.timeout, max_concurrency=AT_ONCE, max_response_bytes=MAX_BYTES)
    return UpstreamFacts(kind="mindscape", limits=_limits(rates, resources))


def _kind(entry: UpstreamEntry) -> UpstreamKind:
    if isinstance(entry, HttpEntry):
        return entry.kind
    return "openapi" if isinstance(entry, OpenApiEntry) else "stdio"


def _limits(rates: Rates, resources: ResourceLimits | None, memory: int | None = None) -> UpstreamLimits:
    return UpstreamLimits(
        timeout_seconds=resources.timeout if resources else None,
        max_concurrency=resources.max_concurrency if resources else None,
        max_response_bytes=resources.max_response_bytes if resources else None,
        memory_bytes=memory,
        tool_rate=_rate(rates.tool or DEFAULT_RATE),
        caller_rate=_rate(rates.caller) if rates.caller else None,
        tenant_rate=_rate(rates.tenant) if rates.tenant else None,
    )


def _rate(rate: Rate) -> RateView:
    return RateView(calls=rate.calls, per_seconds=rate.per / SECOND)
