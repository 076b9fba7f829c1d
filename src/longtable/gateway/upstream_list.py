"""The upstreams as people see them."""

from collections.abc import Callable, Collection, Mapping, Sequence

from longtable.gateway.registry import OfferedTool
from longtable.gateway.results import UpstreamFacts, UpstreamList, UpstreamTool, UpstreamView
from longtable.upstreams.port import Upstream


def list_upstreams(
    upstreams: Mapping[str, Upstream],
    facts: Mapping[str, UpstreamFacts],
    offered: Callable[[str], Sequence[OfferedTool]],
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
                    suspicions=flagged.get((name, tool.definition.remote), []),
                )
                for tool in offered(name)
            ],
        )
        for name, upstream in sorted(upstreams.items())
    ]
    return UpstreamList(upstreams=views, count=len(views))
