"""Joins the ranks by words and by meaning into one order; the form of the query decides how much each counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longtable.fulltext.words import Query, Term

PROSE = 0.15
"""How much words count for a query in plain language; meaning has the rest."""
ONE_WORD = 0.5
"""The same for a single plain word: a text that holds it holds the whole query."""
NAMES = 0.9
"""The same for a query of exact terms: names, numbers, quoted phrases; and of words that the model cannot read."""

_LEAST_MEANING = 0.3
"""Texts that share no word with the query are hits only if they have this share of the cosine of the nearest one."""
_FIRST = 10
"""The best text by words and the best by meaning are among so many hits."""
_LAST_LATIN = "\u024f"
_UNRELATED = 0.05
_RELATED = 0.75
"""Cosines between which unrelated and related texts lie, with this model."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """How well one text matches: by its words (0 to 1) and by its cosine, None where it has no vector yet."""

    words: float
    cosine: float | None


def leaning(query: Query) -> float:
    """How much words count for this query, between PROSE and NAMES."""
    terms = query.relaxed().terms
    exact = sum(len(term.words) for term in terms if term.exact or _is_unreadable(term))
    words = sum(len(term.words) for term in terms)
    if not exact:
        return ONE_WORD if words == 1 else PROSE
    share = exact / words
    # One name says most of what a query is about, whatever the words around it.
    return PROSE + (NAMES - PROSE) * max(share, 0.5)


def _is_unreadable(term: Term) -> bool:
    """Whether the model knows no words of this alphabet: whatever it makes of them says next to nothing."""
    return any(letter > _LAST_LATIN for word in term.words for letter in word)


def fuse(query: Query, evidence: Mapping[int, Evidence]) -> dict[int, float]:
    """A score between 0 and 1 for each text that is a hit."""
    lean = leaning(query)
    least = _LEAST_MEANING * max((one.cosine or 0.0 for one in evidence.values()), default=0.0)
    # A query in plain language shares some words with many texts; only sharing most of them means something.
    power = 3 if lean == PROSE else 1
    return {
        number: lean * one.words**power + (1 - lean) * _meaning(one)
        for number, one in evidence.items()
        if one.words > 0 or (one.cosine or 0.0) >= least > 0
    }


def in_fused_order(scores: Mapping[int, float], evidence: Mapping[int, Evidence]) -> Sequence[tuple[int, float]]:
    """Best first, and the best by either measure among the first: neither may be lost behind what the other likes."""
    order = list(in_order(scores))
    for measure in (_by_words, _by_cosine):
        best = max(order, key=lambda item: (measure(evidence[item[0]]), item[1]), default=None)
        if best is not None and best not in order[:_FIRST]:
            order.remove(best)
            order.insert(_FIRST - 1, (best[0], order[_FIRST - 2][1]))
    return order


def in_order(scores: Mapping[int, float]) -> Sequence[tuple[int, float]]:
    """Best first; of equal ones the older."""
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def _by_words(one: Evidence) -> float:
    return one.words


def _by_cosine(one: Evidence) -> float:
    return one.cosine or 0.0


def _meaning(one: Evidence) -> float:
    """The cosine, scaled from unrelated (0) to related (1). A text without a vector yet gets half of its score by
    words, so that new texts are found."""
    if one.cosine is None:
        return one.words / 2
    return min(1.0, max(0.0, (one.cosine - _UNRELATED) / (_RELATED - _UNRELATED)))
