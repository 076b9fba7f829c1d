"""How well a text matches the words of a query: the same measure on every store, independent of other tenants."""

from collections.abc import Sequence
from math import log
from typing import NamedTuple

from longtable.fulltext.occurrences import TermMatcher, matchers
from longtable.fulltext.words import Query, plain

_MOST_COUNTED = 20
_SATURATION = 0.6
_FROM_LENGTH = 0.7
_FOR_NAMES = 3.0
"""An exact term counts as much as this many plain words."""
LEAST = 0.01
"""The score of a text that matches only beyond the part that is compared."""


class _TermMatch(NamedTuple):
    """How well, and how often, a text contains one term."""

    grade: float
    times: int


_NO_MATCH = _TermMatch(0.0, 0)


def word_scores(query: Query, texts: Sequence[str]) -> list[float]:
    """From 0 (no term found) to 1 for each text. A term that few of the texts contain counts for more."""
    terms = matchers(query)
    if not terms or not texts:
        return [0.0] * len(texts)
    plains = [plain(text) for text in texts]
    matches = [[_match(term, text) for term in terms] for text in plains]
    weights = [
        _weight(column) * (_FOR_NAMES if term.term.exact else 1.0)
        for term, column in zip(terms, zip(*matches, strict=True), strict=True)
    ]
    average = sum(map(len, plains)) / len(plains) or 1.0
    total = sum(weights)
    return [_score(row, weights, len(text) / average) / total for row, text in zip(matches, plains, strict=True)]


def _score(matches: Sequence[_TermMatch], weights: Sequence[float], length: float) -> float:
    return sum([weight * _worth(match, length) for weight, match in zip(weights, matches, strict=True) if match.times])


def _match(term: TermMatcher, text: str) -> _TermMatch:
    if not term.may_find(text):
        return _NO_MATCH
    grade, count = 0.0, 0
    for occurrence in term.find(text):
        grade, count = max(grade, occurrence.grade), count + 1
        if count == _MOST_COUNTED:
            break
    return _TermMatch(grade, count)


def _weight(matches: Sequence[_TermMatch]) -> float:
    """Of a term, by its match with each text."""
    having = sum(match.times > 0 for match in matches)
    return log(1 + (len(matches) - having + 0.5) / (having + 0.5))


def _worth(match: _TermMatch, length: float) -> float:
    """Half for containing the term at all; the other half grows with its frequency, relative to the text's length."""
    often = match.times / (match.times + _SATURATION * (1 - _FROM_LENGTH + _FROM_LENGTH * length))
    return match.grade * (0.5 + 0.5 * often)
