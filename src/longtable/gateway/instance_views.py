"""What people see of the instances of an upstream: whose they are, how they are, what a shared one may give away."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from longtable.gateway.registry import OfferedTool
from longtable.gateway.results import UpstreamStatusView
from longtable.kernel.caller import Caller
from longtable.upstreams.directory import UpstreamDirectory, UpstreamInstance
from longtable.upstreams.entries import StdioEntry
from longtable.upstreams.instance_entry import known_file
from longtable.upstreams.placeholders import placeholders_of

_RUNNING = ("starting", "ready", "failing", "open")


def instance_fields(
    directory: UpstreamDirectory, caller: Caller, instance: UpstreamInstance, tools: Sequence[OfferedTool]
) -> dict[str, Any]:
    """The fields of an upstream's view that describe its instance. What the program wrote is for people only."""
    status = asdict(instance.upstream.status)
    every = directory.of_tenant(caller.tenant, instance.name)
    return {
        "scope": instance.entry.scope if instance.entry is not None else "shared",
        "instances": sum(each.upstream.health in _RUNNING for each in every),
        "warning": _warning(instance, tools),
        "health": instance.upstream.health,
        "problem": instance.upstream.problem,
        "status": UpstreamStatusView(**{**status, "log": list(status["log"]) if caller.is_human else []}),
    }


def _warning(instance: UpstreamInstance, tools: Sequence[OfferedTool]) -> str | None:
    entry = instance.entry
    if entry is None:
        return None
    if entry.scope != "shared":
        return _file_warning(entry) if isinstance(entry, StdioEntry) else None
    if isinstance(entry, StdioEntry):
        return "One process for all tenants: what one of them stores there, the others can read."
    if any(tool.policy_decision.is_governed for tool in tools):
        return "All tenants use it with one credential, and it has tools that change things: they may see each other's."
    return None


def _file_warning(entry: StdioEntry) -> str | None:
    variable, _ = known_file(entry) or ("", "")
    value = entry.env.get(variable, "")
    if not value or any(f"${{{name}}}" in value for name in placeholders_of(entry.scope)):
        return None
    return f"{variable} names one file for all: what one tenant stores there, the others can read."
