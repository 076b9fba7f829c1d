"""What can be made to go wrong with the reference backend. Routes are named as `POST /tools/execute`; `*` is all."""

from dataclasses import dataclass, field, fields
from typing import Any


@dataclass
class BackendFaults:
    """Each is off by default. `statuses` are `{route: {"status", "detail", "headers"?, "times"?}}`."""

    latency: dict[str, float] = field(default_factory=dict)
    """Seconds before an answer, by route."""
    slow_first: dict[str, float] = field(default_factory=dict)
    """The same for the first request of a route alone."""
    statuses: dict[str, dict[str, Any]] = field(default_factory=dict)
    truncate: list[str] = field(default_factory=list)
    """Routes that answer with half of their JSON, as if that were all."""
    drop_after: dict[str, int] = field(default_factory=dict)
    """Routes whose connection breaks after so many bytes of the body."""
    slash_redirects: bool = False
    """Collections without a slash at their end are answered with 307, as by the original."""
    redirect_to: dict[str, str] = field(default_factory=dict)
    """Routes that lead somewhere else altogether."""
    page_limit: int | None = None
    """Most workspaces on one page, whatever is asked for."""
    ignores_offset: bool = False
    """The first page again and again, as by the original."""
    odd_packs: bool = False
    duplicate_locales: bool = False
    failing_tools: dict[str, Any] = field(default_factory=dict)
    """Tools that answer 200 with success false and this error."""
    queues_playbooks: bool = False
    polls_until_done: int = 1
    runs_fail: bool = False
    owner_mismatch: bool = False

    def change(self, changes: dict[str, Any]) -> None:
        """Raises ValueError for a fault that there is not."""
        known = {each.name for each in fields(self)}
        unknown = sorted(set(changes) - known)
        if unknown:
            raise ValueError(f"unknown faults: {', '.join(unknown)}; known are {', '.join(sorted(known))}")
        for name, value in changes.items():
            setattr(self, name, value)

    def of(self, table: dict[str, Any], route: str) -> Any:
        return table.get(route, table.get("*"))

    def status_for(self, route: str) -> dict[str, Any] | None:
        filters = self.of(self.statuses, route)
        if filters is None:
            return None
        left = filters.get("times")
        if left is not None:
            if left <= 0:
                return None
            filters["times"] = left - 1
        return dict(filters)
