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
        find, beginning, at = text.find, self._roots[0], self._words_at if len(self._roots) > 1 else self._word_at
        start = find(beginning)
        while start >= 0:
            end, grade = (start + 1, 0.0) if self._is_inside(text, start) else at(text, start)
            if grade:
                yield Occurrence(start, end, grade)
            start = find(beginning, end)

    def _is_inside(self, text: str, start: int) -> bool:
        return start > 0 and not self._is_unspaced and _INSIDE.match(text, start - 1) is not None

    def _word_at(self, text: str, start: int) -> tuple[int, float]:
        """Where the word of the text ends that may stand for the only one of the term, and how well it does.
        Most terms are one word: a pattern for each would take longer to build than to search a page of texts."""
        end = start + len(self._roots[0])
        if not self._is_unspaced:
            rest = _REST.match(text, end)
            end = rest.end() if rest else end
        word = text[start:end]
        grade = self._grades.get(word)
        if grade is None:
            grade = self._grades[word] = self._grade_of_last(word)
        return end, grade

    def _words_at(self, text: str, start: int) -> tuple[int, float]:
        """The same for terms of several words."""
        match = self._pattern.match(text, start)
        return (match.end(), self._grade(text, start, match.groups())) if match else (start + 1, 0.0)

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

    @cached_property
    def _grades(self) -> dict[str, float]:
        """Of the words of texts that were looked at."""
        return {}

    def _grade(self, text: str, start: int, words: Sequence[str]) -> float:
        grade = self._grade_of_last(words[-1])
        for word, term in zip(words[:-1], self.term.words[:-1], strict=True):
            grade = min(grade, _similarity(word, term))
        return grade if text.startswith(self._literal, start) else APART * grade

    def _grade_of_last(self, word: str) -> float:
        expected = self.term.words[-1]
        if word == expected:
            return AS_WRITTEN
        return PREFIX_MATCH if self.term.prefix and word.startswith(expected) else _similarity(word, expected)

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
