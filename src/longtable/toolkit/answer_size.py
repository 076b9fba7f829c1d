"""How long an answer may be. A model pays for every word that it reads: over MCP an answer has a budget, and what is
cut says so with `truncated`. Programs get everything, unless they ask for less.

A service cuts what it can go on with later: `first_within` for a page with a cursor, `part_of` for a text with an
offset. Whatever is too long after that, the dispatcher cuts: `within`."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from pydantic import Field
from pydantic_core import from_json, to_json

from longtable.kernel.result import Result, Value
from longtable.toolkit.tool import Arguments

DEFAULT_CHARS: Final = 20_000
"""Characters that the texts of an answer over MCP have together, unless the call says otherwise."""
_MOST: Final = 100_000_000
_AROUND: Final = 4_000
"""What names, ids and times may take beside the texts."""
_LEAST: Final = 300
"""A shorter item tells nothing: rather than to cut many of them further, the last are left out."""
_SHORT: Final = 80
"""Ids, names and times are never cut."""
_OPAQUE: Final = frozenset({"metadata", "schema", "json_schema", "inputSchema", "value", "analysis"})
"""JSON of others, which is shown whole or not at all."""
_EMPTY: Final[tuple[Any, ...]] = (None, "", [], {})
_KEPT: Final = frozenset({"content", "text", "errors", "warnings"})
"""What is empty here says something."""
_DIFF_BYTES: Final = 4_000
"""A diff in a refusal is an aid, and stands there twice: as text and as data."""
_DIFF_LINE: Final = 400

Json = dict[str, Any]


class MaxChars(Arguments):
    """For a tool that returns texts. `call.max_chars` is what holds: this, or the default of the way it came in."""

    max_chars: int | None = Field(default=None, ge=0, le=_MOST, description="Length.")


class Offset(MaxChars):
    """For a tool that returns one long text."""

    offset: int = Field(default=0, ge=0, le=_MOST, description="First character.")


def first_within(items: Iterable[Json], most: int | None) -> list[Json]:
    """The first items that fit, at least one, without their empty fields. One that is too long by itself is cut.
    Without a limit all, as they are."""
    if most is None:
        return list(items)
    shown: list[Json] = []
    left = most
    for item in map(without_empty, items):
        size = size_of(item)
        if size > left:
            return shown or [_shortened(item, left)]
        shown.append(item)
        left -= size
    return shown


def count_within(views: Sequence[Value], most: int | None) -> int:
    """How many of the first parts of a result fit, at least one. One that is too long by itself is cut afterwards."""
    if most is None:
        return len(views)
    return len(first_within([view.model_dump(mode="json") for view in views], most))


def all_within(items: Sequence[Json], most: int | None) -> list[Json]:
    """All items, without their empty fields; where they do not fit, the long ones are cut. Only of very many the last
    are missing."""
    return list(items) if most is None else _first_of(list(map(without_empty, items)), most)


def part_of(text: str, offset: int, most: int | None) -> tuple[str, int | None]:
    """What fits of a text from `offset` on, and where to go on; None at its end."""
    rest = text[offset:] if offset else text
    if most is None:
        return rest, None
    part = _beginning(rest[:most], most + _AROUND // 2)
    end = offset + len(part)
    return part, end if end < len(text) else None


def short_diff(diff: str) -> tuple[str, bool]:
    """The beginning of a diff, long lines cut; and whether anything is missing."""
    if len(diff.encode()) <= _DIFF_BYTES:
        return diff, False
    shown: list[str] = []
    left = _DIFF_BYTES
    for line in diff.split("\n"):
        part = line if len(line) <= _DIFF_LINE else f"{line[:_DIFF_LINE]}…"
        left -= len(part.encode()) + 1
        if left < 0:
            break
        shown.append(part)
    return "\n".join(shown), True


def without_empty(item: Json) -> Json:
    # What counts as true is not empty, and need not be compared.
    return {name: part for name, part in item.items() if part or part not in _EMPTY or name in _KEPT}


def size_of(value: Any) -> int:
    """Characters as JSON, with what separates it from the next value."""
    return len(to_json(value).decode()) + 1


def within(result: Result, most: int) -> Result:
    """The same result, encoded, in so many characters: its items without empty fields, and its longest parts cut."""
    if result.is_measured:
        return result
    if result.encoded is None:
        fields = {name: part if name in _OPAQUE else _lean(part) for name, part in result.json_fields().items()}
        result = result.only_encoded(to_json(fields))
    encoded = result.encoded or b""
    room = most + max(_AROUND, most // 5)
    if len(encoded) <= room or len(encoded.decode()) <= room:
        return result
    return result.only_encoded(to_json(_shortened(from_json(encoded), room)))


def _lean(part: Any) -> Any:
    if isinstance(part, list):
        return [without_empty(item) if isinstance(item, dict) else item for item in part]
    return part


def _shortened(item: Json, most: int) -> Json:
    """Its longest parts lose their ends, or go."""
    sizes = {name: size_of(part) for name, part in item.items()}
    names = sum(len(name) + 4 for name in item) + len('"truncated":true,')
    share = _share(sizes.values(), most - names)
    shown: Json = {}
    for name, part in item.items():
        if sizes[name] <= max(share, _SHORT):
            shown[name] = part
        elif name not in _OPAQUE or isinstance(part, str):
            shown[name] = _cut(part, share)
    return {**shown, "truncated": True}


def _share(sizes: Iterable[int], most: int) -> int:
    """The most that each part may have: short ones leave what they do not need to the long ones."""
    parts, left = sorted(sizes), most
    for position, size in enumerate(parts):
        share = max(0, left) // (len(parts) - position)
        if size > share:
            return share
        left -= size
    return most


def _cut(part: Any, most: int) -> Any:
    if isinstance(part, str):
        return _beginning(part, most)
    if isinstance(part, list):
        return _first_of(part, most)
    return _shortened(part, most) if isinstance(part, dict) else part


def _first_of(items: Sequence[Any], most: int) -> list[Any]:
    """All of them, the long ones cut; where that would leave too little of each, the first of them."""
    sizes = list(map(size_of, items))
    share, left = max(_LEAST, _share(sizes, most)), most
    shown: list[Any] = []
    for item, size in zip(items, sizes, strict=True):
        part, needed = (item, size) if size <= share else (_cut(item, share), share)
        if needed > left:
            break
        shown.append(part)
        left -= needed
    return shown


def _beginning(text: str, most: int) -> str:
    """As much of a text as has so many characters in JSON, where some take two or six."""
    part = text[: max(0, most)]
    while part and (size := size_of(part)) > most + 3:
        part = part[: min(len(part) - 1, len(part) * most // size)]
    return part
