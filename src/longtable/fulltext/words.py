"""Splits texts and queries into words. One implementation for both stores, so both find the same."""

import re
import unicodedata
from dataclasses import dataclass, replace

from longtable.fulltext.endings import possible_stems

MAX_QUERY = 2_000
MAX_TERMS = 64
"""The most terms of a query that matches any of them, or that are searched again in the texts."""
MAX_WORDS = 24
"""The most words of a term that are compared: thousands at every position of a text would take seconds."""
_VOWELS_BELOW = "\u0e38\u0e39\u0eb8\u0eb9"
_VIRAMA = 9


def _is_kept(mark: str) -> bool:
    """Not what may be left out in writing: tones, the dot of a borrowed letter."""
    return unicodedata.category(mark) in ("Mn", "Mc") and (
        not unicodedata.combining(mark) or mark in _VOWELS_BELOW or unicodedata.combining(mark) == _VIRAMA
    )


def _marks(*blocks: tuple[int, int]) -> list[int]:
    return [code for first, last in blocks for code in range(first, last + 1) if _is_kept(chr(code))]


_UNSPACED_MARKS = [
    code
    for code in _marks((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF))
    if unicodedata.combining(chr(code)) != _VIRAMA
]
_SPACED_MARKS = _marks(
    (0x07A6, 0x07B0),  # Thaana
    (0x0900, 0x0DFF),  # Devanagari, Bengali, Gurmukhi, Gujarati, Oriya, Tamil, Telugu, Kannada, Malayalam, Sinhala
    (0x0F00, 0x0FFF),  # Tibetan
    (0x1700, 0x175F),
    (0x1900, 0x1AAF),
    (0x1B00, 0x1C4F),
    (0xA800, 0xABFF),
    (0x11000, 0x113FF),
)
_AS_LETTERS = {mark: 0xA000 + place for place, mark in enumerate(_UNSPACED_MARKS + _SPACED_MARKS)}
"""Vowels that stand around another letter are marks to Unicode. For us each is a letter, of the Yi syllables: SQLite
would end a word at a mark, and PostgreSQL would not."""
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    f"\ua000-{chr(0xA000 + len(_UNSPACED_MARKS) - 1)}"  # and their vowels
    "\u3005-\u3007\u3031-\u3035\u3040-\u312f\u31a0-\u31bf\u31f0-\u31ff"  # kana, bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
"""Letters of scripts without blanks. Any two adjacent ones are indexed as a word, as word boundaries are unknown."""
LETTER = rf"[^\W_{_UNSPACED}]"
"""One letter or digit of a word that has several."""
_WORD = re.compile(rf"(?:(?=[^\W_])[{_UNSPACED}])+|{LETTER}+")
_NOT_IN_WORDS = {code: " " for code in range(128) if not chr(code).isalnum()}
"""Of ASCII: what separates words."""
_ALONE = re.compile(f"[{_UNSPACED}]")
_MARKED_KANA = re.compile("[\u3041-\u30ff][\u3099\u309a]")
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
_PUNCTUATION = ".,;:!?()[]{}'`"
_LISTED = """
    a about an and any are as at be been but by can could did do does for from had has have how i if in into is it
    its me my no not of on or our should so some than that the their them then there these they this those to us was we
    were what when where which who why will with would you your
    """
_STOP_WORDS = frozenset(_LISTED.split())
"""English words that say little about a query."""


Form = tuple[tuple[str, ...], bool]
"""Adjacent words, and whether the last is a prefix."""


@dataclass(frozen=True, slots=True)
class Term:
    """Adjacent words; with `prefix` the last one may be a prefix. `written` is the text in the query; `exact` marks
    what must match as written: a name, a number, a path, something in quotes. Instead of words it may have
    `spellings`, of which the index must have one."""

    words: tuple[str, ...]
    prefix: bool
    written: str = ""
    exact: bool = False
    spellings: tuple[str, ...] = ()

    @property
    def is_stop_word(self) -> bool:
        return not self.exact and _STOP_WORDS.issuperset(self.words)

    @property
    def groups(self) -> list[tuple[Form, ...]]:
        """What the index must have, all of it, each in one of several forms."""
        if self.spellings:
            return [tuple(((word,), False) for word in self.spellings)]
        groups: list[tuple[Form, ...]] = []
        phrase: list[str] = []
        for word in self.words:
            if is_unspaced(word):
                groups += [*_phrase(phrase, prefix=False), *_pairs_of(word)]
                phrase = []
            else:
                phrase.append(word)
        return list(dict.fromkeys([*groups, *_phrase(phrase, self.prefix)]))


def _phrase(words: list[str], prefix: bool) -> list[tuple[Form, ...]]:
    """The forms in which the index may have the words. An unfinished word may be indexed without its ending. The
    stemmer turns a final y into i, which must not happen to key where it begins keyboard; it turns keye into key."""
    if not words:
        return []
    *before, last = words
    forms = [(last, prefix)]
    if prefix:
        stems = possible_stems(last)
        forms += [(stem, False) for stem in stems]
        forms += [(f"{stem}e", stem == last) for stem in (last, *stems) if stem.endswith("y")]
    return [tuple(((*before, word), is_prefix) for word, is_prefix in forms)]


def _pairs_of(run: str) -> list[tuple[Form, ...]]:
    if len(run) == 1:
        return [(((run,), True),)]
    return [(((pair,), False),) for pair in pairs(run)[:MAX_WORDS]]


@dataclass(frozen=True, slots=True)
class Query:
    """Terms of which all are needed, or any."""

    terms: tuple[Term, ...]
    needs_all: bool = True

    def finished(self) -> "Query":
        """The query without its unfinished words."""
        return replace(self, terms=tuple(replace(term, prefix=False) for term in self.terms))

    def relaxed(self) -> "Query":
        """For a second search, when nothing holds all the terms: any term matches, stop words excluded."""
        distinctive = [term for term in self.terms if not term.is_stop_word]
        parts = [part for term in distinctive or self.terms for part in _parts(term)]
        return Query(tuple(dict.fromkeys(parts))[:MAX_TERMS], needs_all=False)


NO_WORDS = Query(())


def is_unspaced(word: str) -> bool:
    """Whether it is written in a script without blanks."""
    return _ALONE.match(word) is not None


def pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


def plain(text: str) -> str:
    """The text in lower case, without accents. Marks of kana are kept, as they make another letter; so are vowel signs,
    which become letters."""
    if text.isascii():
        return text.lower()
    spread = _MARKED_KANA.sub(lambda kana: unicodedata.normalize("NFC", kana[0]), unicodedata.normalize("NFKD", text))
    kept = [letter for letter in spread.translate(_AS_LETTERS) if not unicodedata.combining(letter)]
    return "".join(kept).casefold()


def words_of(text: str) -> list[str]:
    """In lower case without accents; a run of letters without blanks is one of them."""
    if text.isascii():
        # As the pattern would find them, in a sixth of the time.
        return text.lower().translate(_NOT_IN_WORDS).split()
    return _WORD.findall(plain(text))


def fold(text: str) -> str:
    """Words in lower case without accents, separated by blanks. A run in a script without blanks becomes pairs of
    letters and its last letter, so that every letter begins a word."""
    words = words_of(text)
    if not text.isascii():
        words = [" ".join([*pairs(word), word[-1]]) if is_unspaced(word) else word for word in words]
    return " ".join(words)


def parse_query(text: str) -> Query:
    """Never fails: everything but a quoted phrase is a plain word. A query without words finds nothing."""
    found = list(_TERM.finditer(text))
    terms: dict[tuple[tuple[str, ...], bool], Term] = {}
    for match in found:
        is_quoted = match[1] is not None
        written = match[1] if is_quoted else match[2].strip(_PUNCTUATION) or match[2]
        words = tuple(words_of(written))
        if words:
            exact = is_quoted or (bool(_NAME.search(match[0])) and not any(map(is_unspaced, words)))
            is_prefix = match is found[-1] and not is_quoted and len(words) <= MAX_WORDS and not is_unspaced(words[-1])
            term = Term(words[:MAX_WORDS], is_prefix, plain(written), exact)
            terms.setdefault((words[:MAX_WORDS], is_quoted), term)
    return Query(tuple(terms.values()))


def _parts(term: Term) -> list[Term]:
    """A run of letters without blanks may be a whole sentence: of that, any two side by side."""
    if term.exact or not any(is_unspaced(word) for word in term.words):
        return [term]
    parts: list[Term] = []
    for word in term.words:
        if is_unspaced(word):
            parts += [Term((pair,), prefix=False, written=pair) for pair in pairs(word) or [word]]
        else:
            parts.append(Term((word,), term.prefix and word is term.words[-1], word))
    return parts
