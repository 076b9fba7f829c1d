"""Makes a brief fit into so many characters: the lists lose their last items, the long ones first."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

_SEPARATOR = 2
_ROOM_FOR_MORE = 200
"""Kept free for the numbers of what is left out."""

WEIGHTS: Mapping[str, int] = {
    "waiting.decisions": 8,
    "waiting.answers": 8,
    "plan.mine": 8,
    "reservations.mine": 4,
    "waiting.messages": 4,
    "questions": 4,
    "plan.ready": 4,
    "notes.pinned": 4,
    "plan.changed": 3,
    "reservations.others": 3,
    "agents": 3,
    "draft": 3,
    "notes.newest": 3,
}
"""How much room each list may take beside the others. What waits for the caller goes last."""


def fit(body: dict[str, Any], most: int) -> None:
    """Shortens the lists of `body`, and says in `more` by how much."""
    lists = {path: found for path in WEIGHTS if (found := _list_at(body, path))}
    left_out = Counter(body.get("more") or {})
    left_out.update(_shorten(lists, _size(body) - (most - _ROOM_FOR_MORE)))
    for path, items in lists.items():
        if not items:
            _remove(body, path)
    if left_out:
        body["more"] = dict(left_out)


def _shorten(lists: Mapping[str, list[Any]], excess: int) -> Counter[str]:
    """Removes the last item of the list that is longest for its weight, again and again, until the excess is gone.
    Returns how many were removed from each list."""
    sizes = {path: [_size(item) for item in items] for path, items in lists.items()}
    taken: Counter[str] = Counter()
    while excess > 0 and any(sizes.values()):
        path = max(sizes, key=lambda path: sum(sizes[path]) / WEIGHTS[path])
        lists[path].pop()
        excess -= sizes[path].pop()
        taken[path] += 1
    return taken


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False)) + _SEPARATOR


def _list_at(body: dict[str, Any], path: str) -> list[Any] | None:
    outer, _, inner = path.partition(".")
    part = body.get(outer)
    if inner:
        part = part.get(inner) if isinstance(part, dict) else None
    return part if isinstance(part, list) else None


def _remove(body: dict[str, Any], path: str) -> None:
    outer, _, inner = path.partition(".")
    if inner:
        del body[outer][inner]
    else:
        del body[outer]
