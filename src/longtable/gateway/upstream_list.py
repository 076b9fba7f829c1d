"""The upstreams as people see them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longtable.gateway.added_upstreams import AddedUpstreams, added_facts
from longtable.gateway.gateway_file import CurrentFile
from longtable.gateway.registry import OfferedTool
from longtable.gateway.results import (
    AuthorizationView,
    UpstreamFacts,
    UpstreamList,
    UpstreamStatusView,
    UpstreamTool,
    UpstreamView,
    WithheldToolView,
)
from longtable.gateway.upstream_facts import facts_of_built_in, facts_of_entry
from longtable.gateway.upstream_store import AddedUpstream
from longtable.governance.model import ToolIdentity, WithheldTool
from longtable.governance.rules import Rule
from longtable.kernel.errors import ConfigError
from longtable.upstreams.config import Rates
from longtable.upstreams.directory import UpstreamDirectory, UpstreamInstance
from longtable.upstreams.entries import HttpEntry
from longtable.upstreams.entry_value import AssumedEnvironment, read_entry
from longtable.upstreams.mindscape_client import Backend


@dataclass(frozen=True, slots=True)
class UpstreamToolLists:
    """What an upstream last listed, by its name, and the rules for a tool that hold for some callers only. `flagged`
    are suspicions by upstream and tool."""

    known: Callable[[str], Sequence[OfferedTool]]
    withheld: Callable[[str], Sequence[WithheldTool]]
    instance_fields: Callable[[UpstreamInstance], Mapping[str, Any]]
    caller_rules: Callable[[ToolIdentity], Sequence[Rule]]
    flagged: Mapping[tuple[str, str], list[dict[str, str]]]
    authorizations: Mapping[str, AuthorizationView]


@dataclass(frozen=True, slots=True)
class UpstreamViews:
    """As last listed, without a request to any of them."""

    directory: UpstreamDirectory
    added: AddedUpstreams
    current: CurrentFile
    backend: Backend | None

    def show(self, tenant: str, tools: UpstreamToolLists, off: Collection[str]) -> UpstreamList:
        """`off` are switched off for the tenant."""
        rows = {row.name: row for row in self.added.rows(tenant)}
        views = [
            self._view(instance, rows.get(instance.name), tools, instance.name not in off)
            for instance in self.directory.instances(tenant)
        ]
        shown = {view.name for view in views}
        views += [self._view_of_row(tenant, row) for row in rows.values() if row.name not in shown]
        views.sort(key=lambda view: view.name)
        return UpstreamList(upstreams=views, count=len(views), file_problem=self.current.problem)

    @property
    def _rates(self) -> Rates:
        return self.current.file.rate_limits if self.current.file is not None else Rates()

    def _view(
        self, instance: UpstreamInstance, row: AddedUpstream | None, tools: UpstreamToolLists, on: bool
    ) -> UpstreamView:
        name, is_added = instance.name, instance.key.owner is not None
        return UpstreamView(
            name=name,
            source="added" if is_added else "built_in" if instance.entry is None else "file",
            added=added_facts(row) if row is not None and is_added else None,
            **dict(self._facts(instance)),
            on=on,
            **tools.instance_fields(instance),
            authorization=tools.authorizations.get(name),
            tools=_tools(name, tools),
            withheld=[
                WithheldToolView(tool=tool.name, kind=tool.kind, reason=tool.reason) for tool in tools.withheld(name)
            ],
        )

    def _facts(self, instance: UpstreamInstance) -> UpstreamFacts:
        if instance.entry is None:
            return facts_of_built_in(instance.name, self.backend, self._rates)
        return facts_of_entry(instance.entry, self._rates)

    def _view_of_row(self, tenant: str, row: AddedUpstream) -> UpstreamView:
        """The view of an upstream that is disabled, or that cannot be used here."""
        try:
            entry = read_entry(row.name, row.entry, (), AssumedEnvironment())
        except ConfigError:
            entry = HttpEntry(row.name, row.name)
        problem = self.added.problem(tenant, row.name)
        return UpstreamView(
            name=row.name,
            source="added",
            added=added_facts(row),
            **dict(facts_of_entry(entry, self._rates)),
            on=row.enabled,
            scope=entry.scope,
            instances=0,
            warning=None,
            health="stopped" if problem is None else "failing",
            problem=problem,
            status=UpstreamStatusView(restarts=0, started_at=None, last_error=None, last_error_at=None, log=[]),
            authorization=None,
            tools=[],
            withheld=[],
        )


def _tools(upstream: str, tools: UpstreamToolLists) -> list[UpstreamTool]:
    return [
        UpstreamTool(
            name=tool.name,
            tool=tool.definition.remote,
            identity=str(tool.definition.identity),
            layer=tool.policy_decision.layer.value,
            confirm=tool.policy_decision.confirm,
            reason=tool.policy_decision.reason,
            quarantined=not tool.usable,
            caller_rules=[rule.as_json() for rule in tools.caller_rules(tool.definition.identity)],
            suspicions=tools.flagged.get((upstream, tool.definition.remote), []),
        )
        for tool in tools.known(upstream)
    ]
