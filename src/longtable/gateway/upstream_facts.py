"""What the configuration says of each upstream: its kind and its limits."""

from collections.abc import Mapping

from longtable.gateway.playbook_file import UPSTREAM as PLAYBOOKS
from longtable.gateway.policies import DEFAULT_RATE
from longtable.gateway.results import RateView, UpstreamFacts, UpstreamLimits
from longtable.governance.model import Rate
from longtable.kernel.clock import SECOND
from longtable.upstreams.config import GatewayFile, Rates
from longtable.upstreams.entries import HttpEntry, ResourceLimits, StdioEntry
from longtable.upstreams.mindscape_client import AT_ONCE, MAX_BYTES, NAME, Backend


def upstream_facts(file: GatewayFile | None, backend: Backend | None) -> Mapping[str, UpstreamFacts]:
    """By upstream."""
    rates = file.rate_limits if file else Rates()
    facts = {PLAYBOOKS: UpstreamFacts(kind="playbooks", limits=_limits(rates, None))}
    for entry in file.mcp if file else ():
        is_process = isinstance(entry, StdioEntry)
        limits = _limits(rates, entry.limits, entry.limits.memory if is_process else None)
        facts[entry.name] = UpstreamFacts(kind=entry.kind if isinstance(entry, HttpEntry) else "stdio", limits=limits)
    for document in file.openapi if file else ():
        facts[document.name] = UpstreamFacts(kind="openapi", limits=_limits(rates, document.limits))
    if backend is not None:
        resources = ResourceLimits(timeout=backend.timeout, max_concurrency=AT_ONCE, max_response_bytes=MAX_BYTES)
        facts[NAME] = UpstreamFacts(kind="mindscape", limits=_limits(rates, resources))
    return facts


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
