"""How well a text matches the words of a query: our own measure, the same on every store, blind to other tenants."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

from longtable.fulltext.occurrences import Occurrence, needles
from longtable.fulltext.words import Query, plain

_MOST_COUNTED = 20
_SATURATION = 0.6
_FROM_LENGTH = 0.7
_FOR_NAMES = 3.0
"""What is wanted as it is written counts for so many plain words."""
LEAST = 0.01
"""The score of a text of which the index knows that it matches, though the part of it that is looked at does not."""


@dataclass(frozen=True, slots=True)
class _SeenDocument:
    """How well, and how often, a text has one term."""

    grade: float
    count: int


def word_scores(query: Query, texts: Sequence[str]) -> list[float]:
    """From 0 (has nothing of it) to 1 for each text. A term that few of the texts have counts for more."""
    wanted = needles(query)
    if not wanted or not texts:
        return [0.0 for _ in texts]
    plains = [plain(text) for text in texts]
    seen = [[_seen(needle.find(text)) for needle in wanted] for text in plains]
    weights = [
        _weight(sum(row[place].count > 0 for row in seen), len(texts)) * (_FOR_NAMES if needle.term.exact else 1.0)
        for place, needle in enumerate(wanted)
    ]
    average = sum(map(len, plains)) / len(plains) or 1.0
    return [
        sum(weight * _worth(one, len(text) / average) for weight, one in zip(weights, row, strict=True)) / sum(weights)
        for row, text in zip(seen, plains, strict=True)
    ]


def _seen(occurrences: Iterable[Occurrence]) -> _SeenDocument:
    grade, count = 0.0, 0
    for occurrence in occurrences:
        grade, count = max(grade, occurrence.grade), count + 1
        if count == _MOST_COUNTED:
            break
    return _SeenDocument(grade, count)


def _weight(having: int, texts: int) -> float:
    return log(1 + (texts - having + 0.5) / (having + 0.5))


def _worth(seen: _SeenDocument, length: float) -> float:
    """To have a term at all is half of it; the other half grows with how often it comes, for how long the text is."""
    if not seen.count:
        return 0.0
    often = seen.count / (seen.count + _SATURATION * (1 - _FROM_LENGTH + _FROM_LENGTH * length))
    return seen.grade * (0.5 + 0.5 * often)
