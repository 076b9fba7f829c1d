"""The findings of a checker about a text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

MOST_FINDINGS = 100
"""The most findings of one cell; the last one says so when there were more."""
ENOUGH = MOST_FINDINGS + 1
"""What a checker looks for: one too many shows that there are more."""

Step = str | int
_Mark = TypeVar("_Mark")
Position = tuple[int, int]
"""Line and column, both from 1; columns count characters."""


@dataclass(frozen=True, slots=True)
class Finding:
    message: str
    code: str = "SYNTAX_ERROR"
    line: int = 1
    column: int = 1
    end_line: int | None = None
    end_column: int | None = None
    path: str | None = None


@dataclass(slots=True)
class Report:
    """`checker` names what looked at the text, None when nothing did; then `reason` says why."""

    checker: str | None = None
    errors: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)
    analysis: dict[str, Any] = field(default_factory=dict)
    reason: str | None = None


@dataclass(slots=True)
class Parsed:
    """A text that stands for a value, such as JSON. `locate` finds where the value at a path begins in the text.
    `value` counts only when `report` has no errors."""

    report: Report
    value: Any = None
    locate: Callable[[Sequence[Step]], Position] = lambda path: (1, 1)


@dataclass(frozen=True, slots=True)
class Documents:
    """Two or more values of one text, such as YAML with `---` in between. A path into one of them starts with its
    index."""

    values: list[Any]


def child_at(children: dict[str, _Mark] | list[_Mark] | None, step: Step) -> _Mark | None:
    """The child of a value that one step of a path leads to."""
    if isinstance(children, dict):
        return children.get(str(step))
    if isinstance(children, list) and isinstance(step, int) and step < len(children):
        return children[step]
    return None
