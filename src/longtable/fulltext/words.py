"""Text to words, and a query to what must be found. One reading for both stores, so both find the same."""

import re
import unicodedata
from dataclasses import dataclass

from longtable.fulltext.endings import broken_off

MAX_QUERY = 2_000
MAX_TERMS = 64
"""Terms of a long query of which any will do, or that are looked for again in the texts."""
_WORD = re.compile(r"[^\W_]+")
_TERM = re.compile(r'"([^"]*)"|(\S+)')
_NAME = re.compile(
    r"""
    \d                              # ERR-42, v2, 8080
    | \w_\w | ^_\w                 # foo_bar, _private
    | \w[./\\:@\#=]+\w              # src/app.py, a.b, a::b, user@host, key=value
    | [a-z][A-Z]                    # camelCase
    | ^(?:--?|\$|@|\#|\./|/|~/)\w   # --flag, $HOME, @decorator, #tag, /etc
    | \w\(                          # call()
    | ^[A-Z]+[-_][A-Z]+             # ABC-DEF
    """,
    re.VERBOSE,
)
_AROUND = ".,;:!?()[]{}'`"
_LISTED = """
    a about an and any are as at be been but by can could did do does for from had has have how i if in into is it
    its me my no not of on or our should so some than that the their them then there these they this those to us was we
    were what when where which who why will with would you your
    """
_COMMON = frozenset(_LISTED.split())
"""English words that say little about what is looked for."""


@dataclass(frozen=True, slots=True)
class Term:
    """Words that must stand side by side; with `prefix` the last one may go on. `written` is how the query has it;
    `exact` marks what somebody wants as it is written: a name, a number, a path, something in quotes."""

    words: tuple[str, ...]
    prefix: bool
    written: str = ""
    exact: bool = False

    @property
    def forms(self) -> tuple[tuple[tuple[str, ...], bool], ...]:
        """The words as the index may have them, and whether the last may go on. A word that breaks off inside its
        ending is there without it. The stemmer makes i of a last y, which key must not become if it begins keyboard;
        of keye it makes key."""
        *before, last = self.words
        forms = [(last, self.prefix)]
        if self.prefix:
            stems = broken_off(last)
            forms += [(stem, False) for stem in stems]
            forms += [(f"{stem}e", stem == last) for stem in (last, *stems) if stem.endswith("y")]
        return tuple(((*before, word), goes_on) for word, goes_on in forms)


@dataclass(frozen=True, slots=True)
class Query:
    """Terms of which all are needed, or any."""

    terms: tuple[Term, ...]
    needs_all: bool = True

    def loosened(self) -> "Query":
        """For a second try, when nothing holds all the terms: any will do, besides those that every text has."""
        telling = tuple(term for term in self.terms if term.exact or not _COMMON.issuperset(term.words))
        return Query((telling or self.terms)[:MAX_TERMS], needs_all=False)


def plain(text: str) -> str:
    """The text in lower case, without accents."""
    if text.isascii():
        return text.lower()
    spread = unicodedata.normalize("NFKD", text)
    return "".join(character for character in spread if not unicodedata.combining(character)).casefold()


def fold(text: str) -> str:
    """Words in lower case without accents, separated by blanks."""
    return " ".join(_WORD.findall(plain(text)))


def parse_query(text: str) -> Query:
    """Never fails: what is no phrase in quotes is a plain word. Without any word the query finds nothing."""
    found = list(_TERM.finditer(text))
    terms: dict[tuple[tuple[str, ...], bool], Term] = {}
    for match in found:
        is_quoted = match[1] is not None
        written = match[1] if is_quoted else match[2].strip(_AROUND) or match[2]
        words = tuple(_WORD.findall(plain(written)))
        if words:
            exact = is_quoted or bool(_NAME.search(match[0]))
            term = Term(words, match is found[-1] and not is_quoted, plain(written), exact)
            terms.setdefault((words, is_quoted), term)
    return Query(tuple(terms.values()))
