"""The upstreams as people see them."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longtable.gateway.registry import OfferedTool
from longtable.gateway.results import AuthorizationView, UpstreamList, UpstreamTool, UpstreamView, WithheldToolView
from longtable.gateway.upstream_facts import UpstreamFactSource
from longtable.governance.model import ToolIdentity, WithheldTool
from longtable.governance.rules import Rule
from longtable.upstreams.directory import UpstreamInstance


@dataclass(frozen=True, slots=True)
class UpstreamToolLists:
    """What an upstream last listed, by its name, and the rules for a tool that hold for some callers only."""

    known: Callable[[str], Sequence[OfferedTool]]
    withheld: Callable[[str], Sequence[WithheldTool]]
    instance_fields: Callable[[UpstreamInstance], Mapping[str, Any]]
    caller_rules: Callable[[ToolIdentity], Sequence[Rule]]


def list_upstreams(
    instances: Iterable[UpstreamInstance],
    facts: UpstreamFactSource,
    tools: UpstreamToolLists,
    off: Collection[str],
    flagged: Mapping[tuple[str, str], list[dict[str, str]]],
    authorizations: Mapping[str, AuthorizationView],
) -> UpstreamList:
    """As last listed, without a request to any of them. `off` are switched off for the tenant; `flagged` are suspicions
    by upstream and tool."""
    views = [
        UpstreamView(
            name=instance.name,
            **dict(facts.of(instance)),
            on=instance.name not in off,
            **tools.instance_fields(instance),
            authorization=authorizations.get(instance.name),
            tools=[
                UpstreamTool(
                    name=tool.name,
                    tool=tool.definition.remote,
                    identity=str(tool.definition.identity),
                    layer=tool.policy_decision.layer.value,
                    confirm=tool.policy_decision.confirm,
                    reason=tool.policy_decision.reason,
                    quarantined=not tool.usable,
                    caller_rules=[rule.as_json() for rule in tools.caller_rules(tool.definition.identity)],
                    suspicions=flagged.get((instance.name, tool.definition.remote), []),
                )
                for tool in tools.known(instance.name)
            ],
            withheld=[
                WithheldToolView(tool=tool.name, kind=tool.kind, reason=tool.reason)
                for tool in tools.withheld(instance.name)
            ],
        )
        for instance in sorted(instances, key=lambda instance: instance.name)
    ]
    return UpstreamList(upstreams=views, count=len(views))
