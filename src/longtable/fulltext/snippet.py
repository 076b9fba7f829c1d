"""The part of a text that shows why it was found."""

import re
import unicodedata

from longtable.fulltext.words import Query

MAX_SNIPPET = 240
_LEAD = 60


def snippet(text: str, query: Query) -> str:
    """At most 240 characters around the first word of the query, cut where words end if that is near."""
    if len(text) <= MAX_SNIPPET:
        return text
    start = max(0, _first_match(text, query) - _LEAD)
    if start > 0:
        blank = text.find(" ", start, start + _LEAD)
        start = blank + 1 if blank >= 0 else start
    room = MAX_SNIPPET - (1 if start > 0 else 0) - 1
    cut = text[start : start + room]
    return ("…" if start > 0 else "") + cut + ("…" if start + room < len(text) else "")


def _first_match(text: str, query: Query) -> int:
    plain = _plain(text)
    found = []
    for term in query.terms:
        # A stem is found by its beginning: the index has taken the endings away.
        beginning = term.words[0][: max(3, len(term.words[0]) - 3)]
        match = re.search(re.escape(beginning), plain)
        if match:
            found.append(match.start())
    return min(found, default=0)


def _plain(text: str) -> str:
    """The text in lower case without accents, each character in the place it had."""
    return "".join(unicodedata.normalize("NFKD", character)[:1].lower()[:1] or " " for character in text)
