"""The option `tools`: which tools are listed to clients, by profile, group or name."""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from longtable.settings.kinds import TextList

_FULL, _AGENT = "full", "agent"
_FOR_AGENTS = frozenset(
    (
        *("brief", "add_note", "read_notes", "search_context"),
        *("write_draft_section", "read_draft"),
        *("add_tasks", "update_task", "read_plan", "claim_task", "renew_task"),
        *("reserve", "release", "list_reservations"),
        *("add_question", "wait_for_answers", "add_message", "get_messages", "wait_for_messages"),
        *("set_memory", "get_memory", "join_session"),
        *("scratch_create", "scratch_read", "scratch_append_cell", "scratch_search"),
    )
)
"""What an agent at the table needs; tools that need a gateway come with it."""
_PACKAGES = {"activity": "events", "records": "audit"}
"""Groups that go by another name than the package of their tools."""


class ToolChoice(TextList):
    """Names are added in turn; one with a minus before it is taken away from those so far."""

    def __init__(self) -> None:
        super().__init__("full, agent, groups such as notes or plan, names of tools; -name leaves one out", "-?[a-z_]+")

    def parse(self, raw: object) -> tuple[str, ...]:
        choice = super().parse(raw)
        if not chosen(choice):
            raise ValueError
        return choice


@cache
def chosen(choice: Sequence[str]) -> frozenset[str]:
    """The names of the tools. Raises ValueError for a name that is none of them."""
    groups = _groups()
    found: set[str] = set()
    if choice and choice[0].startswith("-"):
        found |= groups[_FULL]
    for each in choice:
        name = each.removeprefix("-")
        tools = groups.get(name) or ({name} if name in groups[_FULL] else None)
        if tools is None:
            raise ValueError
        found = found - tools if each.startswith("-") else found | tools
    return frozenset(found)


@cache
def _groups() -> dict[str, set[str]]:
    groups: dict[str, set[str]] = {_FULL: set(), _AGENT: set(_FOR_AGENTS)}
    for entry in json.loads(files("longtable.generated").joinpath("tools.json").read_text("utf-8")):
        name, package = entry["wire"]["name"], entry["package"]
        groups[_FULL].add(name)
        groups.setdefault(_PACKAGES.get(package, package), set()).add(name)
        groups.setdefault(entry["group"], set()).add(name)
        if entry["needs"]:
            groups[_AGENT].add(name)
    return groups
