"""Words and meaning joined into one order. What a query looks like decides which of the two is trusted more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longtable.fulltext.words import Query

PROSE = 0.15
"""How much words count for a query in plain language; meaning has the rest."""
NAMES = 0.9
"""The same where all of the query is wanted as it is written: names, numbers, what is in quotes."""

LEAST_MEANING = 0.2
"""Texts that share no word with the query are hits only if they are this near to it."""
_UNRELATED = 0.05
_RELATED = 0.75
"""Cosines between which unrelated and related texts lie, with this model."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for one text: its words (0 to 1), its cosine, or None where it has no vector yet."""

    words: float
    cosine: float | None


def leaning(query: Query) -> float:
    """How much words count for this query, between PROSE and NAMES."""
    terms = query.loosened().terms
    exact = sum(len(term.words) for term in terms if term.exact)
    if not exact:
        return PROSE
    share = exact / sum(len(term.words) for term in terms)
    # One name says most of what a question is about, whatever the words around it.
    return PROSE + (NAMES - PROSE) * max(share, 0.5)


def fuse(query: Query, evidence: Mapping[int, Evidence]) -> dict[int, float]:
    """A score between 0 and 1 for each text that is a hit."""
    lean = leaning(query)
    # A question in plain language shares some words with many texts, which says nothing; only most of them does.
    power = 3 if lean == PROSE else 1
    return {
        number: lean * one.words**power + (1 - lean) * _meaning(one)
        for number, one in evidence.items()
        if one.words > 0 or (one.cosine or 0.0) >= LEAST_MEANING
    }


def in_order(scores: Mapping[int, float]) -> Sequence[tuple[int, float]]:
    """Best first; of equal ones the older."""
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def _meaning(one: Evidence) -> float:
    """The cosine as a part of the way from unrelated to related. A text that waits to be embedded is taken to mean
    what its words suggest, so that what is new can be found."""
    if one.cosine is None:
        return one.words / 2
    return min(1.0, max(0.0, (one.cosine - _UNRELATED) / (_RELATED - _UNRELATED)))
