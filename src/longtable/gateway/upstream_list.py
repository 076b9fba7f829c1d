"""The upstreams as people see them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from longtable.gateway.registry import OfferedTool
from longtable.gateway.results import UpstreamFacts, UpstreamList, UpstreamTool, UpstreamView, WithheldToolView
from longtable.governance.model import ToolIdentity, WithheldTool
from longtable.governance.rules import Rule
from longtable.upstreams.port import Upstream


@dataclass(frozen=True, slots=True)
class UpstreamToolLists:
    """What an upstream last listed, by its name, and the rules for a tool that hold for some callers only."""

    known: Callable[[str], Sequence[OfferedTool]]
    withheld: Callable[[str], Sequence[WithheldTool]]
    caller_rules: Callable[[ToolIdentity], Sequence[Rule]]


def list_upstreams(
    upstreams: Mapping[str, Upstream],
    facts: Mapping[str, UpstreamFacts],
    tools: UpstreamToolLists,
    off: Collection[str],
    flagged: Mapping[tuple[str, str], list[dict[str, str]]],
) -> UpstreamList:
    """As last listed, without a request to any of them. `off` are switched off for the tenant; `flagged` are suspicions
    by upstream and tool."""
    views = [
        UpstreamView(
            name=name,
            **dict(facts[name]),
            on=name not in off,
            health=upstream.health,
            problem=upstream.problem,
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
                    suspicions=flagged.get((name, tool.definition.remote), []),
                )
                for tool in tools.known(name)
            ],
            withheld=[
                WithheldToolView(tool=tool.name, kind=tool.kind, reason=tool.reason) for tool in tools.withheld(name)
            ],
        )
        for name, upstream in sorted(upstreams.items())
    ]
    return UpstreamList(upstreams=views, count=len(views))
