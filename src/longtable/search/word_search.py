"""Finds texts by words: with all of them, else with a likely spelling of those that nothing has, else with any."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from longtable.fulltext.occurrences import TermMatcher
from longtable.fulltext.spelling import likely_spelling, may_be_misspelt, spellings
from longtable.fulltext.words import Query, Term, plain
from longtable.notebooks.indexing import pad_label
from longtable.search import store
from longtable.search.store import NO_TITLES, Reach, Titles
from longtable.storage.database import Row, Transaction

MOST_COMPARED = 300
"""Texts that contain the words and are compared in full: of more, the newest, and the newest with each of the words."""
TEXT_READ = 16_000
"""Characters of a text that count for its rank by words. What comes after them is found, too."""
_MOST_TERMS = 6
"""Terms of a query whose spelling, or whose scratchpads by title, are looked up."""
_MOST_MISSPELT = 2
_MOST_TITLES = 20
_MOST_READ = 50
_MOST_SCOPES = 5
"""Sessions in which other spellings are looked up: for each there are hundreds."""


@dataclass(frozen=True, slots=True)
class WordMatches:
    """Documents that match, `compared` in full; `others` are more of them, the newest first. `query` is what they match
    in the end, `corrected` the words in it that were spelt otherwise."""

    query: Query
    compared: Sequence[int] = ()
    others: Sequence[int] = ()
    corrected: Mapping[str, str] = field(default_factory=dict)


async def find_words(tx: Transaction, reach: Reach, query: Query, most: int) -> WordMatches:
    """At most `most` documents, or as many as are compared."""
    found = await _with_all(tx, reach, query, most)
    if found:
        return WordMatches(query, found[:MOST_COMPARED], found[MOST_COMPARED:])
    corrected = await _corrected(tx, reach, query)
    if corrected:
        query = _respelt(query, corrected)
        found = await _with_all(tx, reach, query, most)
        if found:
            return WordMatches(query, found[:MOST_COMPARED], found[MOST_COMPARED:], corrected)
    if query.relaxed().terms == query.terms and len(query.terms) == 1:
        # Any of the words is all of them.
        return WordMatches(query.relaxed(), corrected=corrected)
    return replace(await find_any(tx, reach, query, most), corrected=corrected)


async def find_any(tx: Transaction, reach: Reach, query: Query, most: int = 0) -> WordMatches:
    """With any of the words."""
    loose = query.relaxed()
    if not loose.terms:
        return WordMatches(loose)
    found = await store.matching(tx, reach, loose, max(most, MOST_COMPARED) + 1)
    if len(found) <= MOST_COMPARED:
        return WordMatches(loose, found)
    # A common word must not crowd out a rare one, nor the texts that have all of them.
    best = (await _with_all(tx, reach, query, 0))[: MOST_COMPARED // 3]
    terms = [Query((term,)).finished() for term in loose.terms]
    each = await store.matching_each(tx, reach, terms, max(10, MOST_COMPARED // len(terms)))
    compared = dict.fromkeys(list(dict.fromkeys([*best, *_in_turn(each), *found]))[:MOST_COMPARED])
    return WordMatches(loose, list(compared), [one for one in found if one not in compared])


async def find_any_spelling(tx: Transaction, reach: Reach, query: Query) -> WordMatches:
    """With any of the words; if no text has one of them, with a likely spelling of it."""
    found = await find_any(tx, reach, query)
    if found.compared:
        return found
    corrected = await _corrected(tx, reach, query)
    return replace(await find_any(tx, reach, _respelt(query, corrected)), corrected=corrected) if corrected else found


def respelt(text: str, corrected: Mapping[str, str]) -> str:
    """The query with the words that were probably meant."""
    return re.sub(r"[A-Za-z]+", lambda word: corrected.get(word[0].lower(), word[0]), text)


def text_of(row: Row) -> str:
    """The text as it was indexed and embedded."""
    if row["kind"] == "scratchpad":
        return "\n".join(row[name] for name in ("title", "description", "summary") if row[name])
    return f"{row['title']}\n{row['content']}" if row["kind"] == "section" else str(row["content"])


async def _with_all(tx: Transaction, reach: Reach, query: Query, most: int) -> list[int]:
    titles = await _titles(tx, reach, query)
    return await store.matching(tx, reach, query, max(most, MOST_COMPARED) + 1, titles)


async def _titles(tx: Transaction, reach: Reach, query: Query) -> Titles:
    """The scratchpads that have a term in their title. A cell needs a term of its own, so one alone finds no more."""
    terms = query.terms[:_MOST_TERMS]
    if "cell" not in reach.kinds or len(query.terms) < 2:
        return NO_TITLES
    pads = replace(reach, kinds=("scratchpad",), tags=(), languages=())
    found = await store.matching_each(tx, pads, [Query((term,)) for term in terms], _MOST_TITLES)
    rows = await store.read(tx, pads, sorted(set().union(*found)), TEXT_READ)
    chosen = [[rows[one] for one in documents if one in rows] for documents in found]
    return {"cell": {term: _titled(term, own) for term, own in zip(terms, chosen, strict=True)}}


def _titled(term: Term, pads: Iterable[Row]) -> list[str]:
    matcher = TermMatcher(term)
    return [pad_label(row["ref"]) for row in pads if any(True for _ in matcher.find(plain(row["title"] or "")))]


async def _corrected(tx: Transaction, reach: Reach, query: Query) -> dict[str, str]:
    """The words of the query that no text has, and for each the one that was probably meant."""
    terms = [term for term in query.terms[:_MOST_TERMS] if may_be_misspelt(term)]
    near = replace(reach, sessions=reach.sessions[:_MOST_SCOPES], tags=(), author=None)
    unknown = await _unknown(tx, near, [replace(term, prefix=False) for term in terms])
    unknown = await _unknown(tx, near, [term for term in terms if replace(term, prefix=False) in unknown])
    if len(unknown) > _MOST_MISSPELT or len(query.terms) > _MOST_TERMS:
        return {}
    corrected: dict[str, str] = {}
    for term in unknown:
        word = term.words[0]
        variants = Query((Term((word,), prefix=False, spellings=spellings(word)),))
        found = await store.matching(tx, near, variants, _MOST_READ)
        rows = await store.read(tx, near, found, TEXT_READ)
        meant = likely_spelling(word, map(text_of, rows.values()))
        if meant is not None:
            corrected[word] = meant
    return corrected


async def _unknown(tx: Transaction, reach: Reach, terms: Sequence[Term]) -> list[Term]:
    found = await store.matching_each(tx, reach, [Query((term,)) for term in terms], 1)
    return [term for term, documents in zip(terms, found, strict=True) if not documents]


def _respelt(query: Query, corrected: Mapping[str, str]) -> Query:
    terms = [
        replace(term, words=(corrected[term.words[0]],), written=corrected[term.words[0]])
        if len(term.words) == 1 and term.words[0] in corrected and not term.exact
        else term
        for term in query.terms
    ]
    return replace(query, terms=tuple(terms))


def _in_turn(lists: Sequence[Sequence[int]]) -> Iterable[int]:
    """The shortest lists first, whole: they are of the rarest words."""
    return (one for each in sorted(lists, key=len) for one in each)
