"""One call of a tool by a tenant's people, with what the tenant knows filled in."""

from dataclasses import dataclass, field
from typing import Any

from tests.walls.scene import HERE, ODD, Room


@dataclass(frozen=True)
class ToolCall:
    """`arguments` may name a fact of the tenant: `$lease`, or `$cells.0` for the first of several."""

    arguments: dict[str, Any] = field(default_factory=dict)
    agent: str = "ada"
    session: str | None = HERE

    def filled(self, room: Room) -> dict[str, Any]:
        filled: dict[str, Any] = _filled(self.arguments, room)
        return filled


def _filled(value: Any, room: Room) -> Any:
    if isinstance(value, dict):
        return {name: _filled(each, room) for name, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, room) for each in value]
    if isinstance(value, str) and value.startswith("$"):
        name, _, place = value[1:].partition(".")
        return room.facts[name][int(place)] if place else room.facts[name]
    return value


def here(**arguments: Any) -> ToolCall:
    return ToolCall(arguments)


def odd(**arguments: Any) -> ToolCall:
    return ToolCall(arguments, session=ODD)


def by_bob(**arguments: Any) -> ToolCall:
    return ToolCall(arguments, agent="bob")


def anywhere(**arguments: Any) -> ToolCall:
    return ToolCall(arguments, session=None)
