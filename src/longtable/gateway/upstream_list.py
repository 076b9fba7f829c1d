"""What people see of the sources of tools."""

from collections.abc import Collection, Mapping

from longtable.gateway.registry import Registry
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
    registry: Registry,
    tenant: str,
    off: Collection[str],
) -> UpstreamList:
    """As they are known now, without asking any of them. Those in `off` are switched off for the tenant."""
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
                    layer=tool.verdict.layer.value,
                    confirm=tool.verdict.confirm,
                    reason=tool.verdict.reason,
                    quarantined=not tool.usable,
                )
                for tool in registry.known(tenant, name)
            ],
        )
        for name, upstream in sorted(upstreams.items())
    ]
    return UpstreamList(upstreams=views, count=len(views))
