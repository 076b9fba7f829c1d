"""The part of a text that shows why it matched."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from longtable.fulltext.occurrences import TermMatcher, matchers
from longtable.fulltext.words import Query, plain

MAX_SNIPPET = 240
_LEAD = 60
_NEAR = 40
_MAX_OCCURRENCES = 50
_MAX_CHARACTERS = 400_000
_CUT = "…"
_LETTERS = re.compile("[\u3041-\u30ff\uff66-\uff9d][\u3099\u309a\uff9e\uff9f]|.", re.DOTALL)
"""Kana whose mark is a character of its own are one letter."""


def snippet(text: str, query: Query) -> str:
    """At most 240 characters where most of the query is close together, cut between words."""
    if len(text) <= MAX_SNIPPET:
        return text
    return _around(text, _best_place(text[:_MAX_CHARACTERS], matchers(query)))


def snippet_of_part(text: str, first: int, last: int, query: Query) -> str:
    """The same inside one part of the text, from its beginning if it holds nothing of the query."""
    if len(text) <= MAX_SNIPPET:
        return text
    place = _best_place(text[first:last], matchers(query))
    return _around(text, first + place, min(_LEAD, place))


def _around(text: str, place: int, lead: int = _LEAD) -> str:
    start = min(max(0, place - lead), max(0, len(text) - MAX_SNIPPET + len(_CUT)))
    start = _next_word(text, start, min(start + _NEAR, max(place, start)))
    end = start + MAX_SNIPPET - (len(_CUT) if start else 0)
    if end >= len(text):
        return (_CUT if start else "") + text[start:]
    end = _word_end(text, end - len(_CUT), start)
    return (_CUT if start else "") + text[start:end] + _CUT


def _next_word(text: str, start: int, latest: int) -> int:
    """The beginning of the first word from `start` on; `start` itself if none begins up to `latest`."""
    if start == 0 or text[start - 1].isspace():
        return start
    for place in range(start, min(latest, len(text) - 1) + 1):
        if text[place - 1].isspace() and not text[place].isspace():
            return place
    return start


def _word_end(text: str, end: int, start: int) -> int:
    """Where the last whole word before `end` ends; a very long word is cut."""
    if text[end].isspace():
        return end
    for place in range(end, max(start, end - _NEAR), -1):
        if text[place - 1].isspace():
            return place - 1
    return end


def _best_place(text: str, matchers: list[TermMatcher]) -> int:
    """The beginning of the first stretch of text that holds the most terms."""
    plain_text, places = _plain_in_place(text)
    seen: list[tuple[int, int]] = []
    for number, matcher in enumerate(matchers):
        for found, occurrence in enumerate(matcher.find(plain_text)):
            if found == _MAX_OCCURRENCES:
                break
            seen.append((places[occurrence.start], number))
    seen.sort()
    best, most = 0, 0
    for position, (start, _) in enumerate(seen):
        until = bisect_left(seen, (start + MAX_SNIPPET - _LEAD, -1))
        terms = len({number for _, number in seen[position:until]})
        if terms > most:
            best, most = start, terms
    return best


def _plain_in_place(text: str) -> tuple[str, Sequence[int]]:
    """The result of `plain`, and for each of its characters the position in the text: some become two, others none."""
    if text.isascii():
        return text.lower(), range(len(text))
    letters = _LETTERS.findall(text)
    parts = {letter: plain(letter) for letter in set(letters)}
    places = [place for place, letter in zip(_starts(letters), letters, strict=True) for _ in parts[letter]]
    return "".join([parts[letter] for letter in letters]), places


def _starts(letters: Sequence[str]) -> Iterator[int]:
    start = 0
    for letter in letters:
        yield start
        start += len(letter)
