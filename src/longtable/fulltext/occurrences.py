"""Where a text holds the terms of a query, and how well: matches of the index, found again in the text itself."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from longtable.fulltext.endings import alike, root
from longtable.fulltext.words import LETTER, MAX_TERMS, Query, Term, is_unspaced

AS_WRITTEN = 1.0
PREFIX_MATCH = 0.9
OTHER_ENDING = 0.85
APART = 0.7
"""The words are adjacent, as the index requires, but not written as in the query: foo bar for foo_bar."""

_LETTER = re.compile(r"[^\W_]")
_INSIDE = re.compile(LETTER)
_REST = re.compile(f"{LETTER}*")


class Occurrence(NamedTuple):
    start: int
    end: int
    grade: float


@dataclass(frozen=True)
class TermMatcher:
    """Finds one term. Texts must be normalised by `plain`."""

    term: Term

    def may_find(self, text: str) -> bool:
        """Tells quickly of most texts that they do not have the term."""
        return self._roots[-1] in text

    def find(self, text: str) -> Iterator[Occurrence]:
        if not self.may_find(text):
            return
        # Only where a word begins: trying the pattern at every letter of a word takes the square of its length.
        start = text.find(self._roots[0])
        while start >= 0:
            words, end = ([], start + 1) if self._is_inside(text, start) else self._words_at(text, start)
            grade = self._grade(text, start, words) if words else 0.0
            if grade:
                yield Occurrence(start, end, grade)
            start = text.find(self._roots[0], end)

    def _is_inside(self, text: str, start: int) -> bool:
        return start > 0 and not self._is_unspaced and bool(_INSIDE.match(text, start - 1))

    def _words_at(self, text: str, start: int) -> tuple[Sequence[str], int]:
        """The words of the text that stand for those of the term, and where they end; none if they do not follow."""
        if len(self._roots) > 1:
            match = self._pattern.match(text, start)
            return (match.groups(), match.end()) if match else ((), start + 1)
        # Most terms are one word: a pattern for each would take longer to build than to search a page of texts.
        end = start + len(self._roots[0])
        rest = None if self._is_unspaced else _REST.match(text, end)
        end = rest.end() if rest else end
        return (text[start:end],), end

    @cached_property
    def _is_unspaced(self) -> bool:
        return is_unspaced(self._roots[0])

    @cached_property
    def _roots(self) -> list[str]:
        return [root(word) if word.isalpha() and not is_unspaced(word) else word for word in self.term.words]

    @cached_property
    def _pattern(self) -> "re.Pattern[str]":
        pattern = ""
        for before, beginning in pairwise(["", *self._roots]):
            alone = is_unspaced(beginning)
            if before:
                pattern += r"[\W_]*" if alone or is_unspaced(before) else r"[\W_]+"
            pattern += f"({re.escape(beginning)}{'' if alone else f'{LETTER}*'})"
        return re.compile(pattern)

    def _grade(self, text: str, start: int, words: Sequence[str]) -> float:
        last, expected = words[-1], self.term.words[-1]
        grade = AS_WRITTEN
        for word, term in zip(words[:-1], self.term.words[:-1], strict=True):
            grade = min(grade, _similarity(word, term))
        if not (self.term.prefix and last.startswith(expected)):
            grade = min(grade, _similarity(last, expected))
        elif last != expected:
            grade = min(grade, PREFIX_MATCH)
        if len(self.term.words) == 1 or text.startswith(self._literal, start):
            return grade
        return APART * grade

    @cached_property
    def _literal(self) -> str:
        """The term from its first letter to its last, with everything between."""
        written = self.term.written
        start = _LETTER.search(written)
        return re.sub(r"[\W_]+$", "", written[start.start() :]) if start else ""


def _similarity(word: str, term: str) -> float:
    if word == term:
        return AS_WRITTEN
    return OTHER_ENDING if alike(word, term) else 0.0


def matchers(query: Query) -> list[TermMatcher]:
    return [TermMatcher(term) for term in query.terms[:MAX_TERMS]]
