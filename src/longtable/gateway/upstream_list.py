"""The upstreams as people see them."""

from collections.abc import Callable, Collection, Mapping, Sequence

from longtable.gateway.registry import OfferedTool
from longtable.gateway.upstream_facts import Kind, UpstreamFacts, UpstreamLimits
from longtable.kernel.result import Result, Value
from longtable.upstreams.port import Upstream


class UpstreamTool(Value):
    name: str
    tool: str
    identity: str
    layer: str
    confirm: str
    reason: str
    quarantined: bool
    suspicions: list[dict[str, str]]


class UpstreamView(Value):
    name: str
    kind: Kind
    limits: UpstreamLimits
    on: bool
    health: str
    problem: str | None
    tools: list[UpstreamTool]


class UpstreamList(Result):
    upstreams: list[UpstreamView]
    count: int


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
