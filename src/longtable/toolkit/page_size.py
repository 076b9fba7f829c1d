"""Which items of a list fit into an answer of limited length."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from pydantic_core import to_json

from longtable.toolkit.answer_size import Json, first_within, size_of

_USUAL: Final = 50
"""Items of a page unless the caller wants more."""
_AROUND: Final = 3_500
"""What names, ids and times of so many items may take beside the texts."""
_TEXTS: Final = ("content", "tags", "source", "metadata")
_LONG_LIST: Final = 10
"""In a shorter list, what is said again with each item costs little."""


def fitting(items: Sequence[Json], most: int) -> list[Json]:
    """The first items whose texts have so many characters together, at least one: it is cut if it is too long by
    itself."""
    if len(to_json(items)) <= most:
        return list(items)
    texts = whole = 0
    for position, item in enumerate(items):
        texts += sum(size_of(item[name]) for name in _TEXTS if name in item)
        whole += size_of(item)
        if texts > most or (position < _USUAL and whole > most + _AROUND):
            return list(items[:position]) or first_within([item], most)
    return list(items)


def said_once(items: Sequence[Json], *names: str) -> tuple[list[Json], dict[str, Any]]:
    """The items of a long list with times to the second, and without those of the named fields that are equal in all
    of them, which are returned beside."""
    if not is_long(len(items)):
        return list(items), {}
    first = {name: items[0][name] for name in names if name in items[0]}
    shared = {name: value for name, value in first.items() if all(item.get(name) == value for item in items)}
    return [without_repeated(item, shared) for item in items], shared


def joined(name: str, items: Iterable[bytes], facts: Json) -> bytes:
    """A page of items that are encoded already."""
    return b'{"%b":[%b],%b' % (name.encode(), b",".join(items), to_json(facts)[1:])


def is_long(count: int) -> bool:
    return count > _LONG_LIST


def without_repeated(item: Json, shared: Collection[str]) -> Json:
    shown = {name: part for name, part in item.items() if name not in shared}
    shown["timestamp"] = f"{item['timestamp'][:19]}Z"
    return shown
