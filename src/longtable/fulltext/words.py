"""Text to words, and a query to what must be found. One reading for both stores, so both find the same."""

import re
import unicodedata
from dataclasses import dataclass

MAX_QUERY = 2_000
_WORD = re.compile(r"[^\W_]+")
_TERM = re.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True, slots=True)
class Term:
    """Words that must stand side by side; with `prefix` the last one may go on."""

    words: tuple[str, ...]
    prefix: bool


@dataclass(frozen=True, slots=True)
class Query:
    """Terms of which all are needed, or any."""

    terms: tuple[Term, ...]
    needs_all: bool = True

    def loosened(self) -> "Query":
        """For a second try, when nothing holds all the terms."""
        return Query(self.terms, needs_all=False)


def fold(text: str) -> str:
    """Words in lower case without accents, separated by blanks."""
    if text.isascii():
        return " ".join(_WORD.findall(text.lower()))
    plain = unicodedata.normalize("NFKD", text)
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    return " ".join(_WORD.findall(plain.casefold()))


def parse_query(text: str) -> Query:
    """Never fails: what is no phrase in quotes is a plain word. Without any word the query finds nothing."""
    found = list(_TERM.finditer(text))
    terms = []
    for match in found:
        quoted = match[1] is not None
        words = tuple(fold(match[1] if quoted else match[2]).split())
        if words:
            terms.append(Term(words, prefix=match is found[-1] and not quoted))
    return Query(tuple(terms))
