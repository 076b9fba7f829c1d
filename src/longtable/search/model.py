"""What a search finds."""

from typing import Literal

from longtable.kernel.result import Result, Value, when_there

Kind = Literal["message", "note", "section"]
KINDS: dict[str, tuple[Kind, ...]] = {
    "messages": ("message",),
    "notes": ("note",),
    "draft": ("section",),
    "all": ("message", "note", "section"),
}


class Hit(Value):
    kind: Kind
    id: str | int
    snippet: str
    score: float
    author: str
    timestamp: str
    tags: list[str] | None = when_there()
    title: str | None = when_there()
    visibility: str | None = when_there()


class Found(Result):
    results: list[Hit]
    count: int
    mode: str
    degraded: str | None = when_there()
    """Why the search was simpler than the one asked for."""
