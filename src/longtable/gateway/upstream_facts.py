"""What the configuration says of each upstream: its kind and its limits."""

from longtable.gateway.playbook_file import UPSTREAM as PLAYBOOKS
from longtable.gateway.policies import DEFAULT_RATE
from longtable.gateway.results import RateView, UpstreamFacts, UpstreamKind, UpstreamLimits
from longtable.governance.model import Rate
from longtable.kernel.clock import SECOND
from longtable.upstreams.config import Rates
from longtable.upstreams.directory import UpstreamInstance
from longtable.upstreams.entries import HttpEntry, ResourceLimits, StdioEntry, UpstreamEntry
from longtable.upstreams.mindscape_client import AT_ONCE, MAX_BYTES, Backend


class UpstreamFactSource:
    def __init__(self, rates: Rates, backend: Backend | None) -> None:
        self._rates = rates
        self._backend = backend

    def of(self, instance: UpstreamInstance) -> UpstreamFacts:
        entry = instance.entry
        if entry is not None:
            memory = entry.limits.memory if isinstance(entry, StdioEntry) else None
            return UpstreamFacts(kind=_kind(entry), limits=_limits(self._rates, entry.limits, memory))
        if instance.name == PLAYBOOKS:
            return UpstreamFacts(kind="playbooks", limits=_limits(self._rates, None))
        assert self._backend is not None  # there is no other upstream without an entry
        resources = ResourceLimits(self._backend.timeout, AT_ONCE, MAX_BYTES)
        return UpstreamFacts(kind="mindscape", limits=_limits(self._rates, resources))


def _kind(entry: UpstreamEntry) -> UpstreamKind:
    if isinstance(entry, HttpEntry):
        return entry.kind
    return "stdio" if isinstance(entry, StdioEntry) else "openapi"


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
