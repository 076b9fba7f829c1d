"""The index itself: FTS5 on SQLite, tsvector on PostgreSQL. Every term of it begins with the scope of its text, so that
a search reads its own session's part of the index and nothing of its neighbours'."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

from longtable.fulltext.words import MAX_TERMS, Form, Query, Term, fold
from longtable.storage.database import Dialect, Transaction
from longtable.storage.facts import SEARCH_INDEX, set_fact

EMPTIED: Final = SEARCH_INDEX
"""The name of a fact: the index has lost its documents."""
UNFILLED: Final = f"{SEARCH_INDEX} "
"""Followed by a tenant, the name of a fact: up to this number its documents have no words yet."""
_NEWEST_UNFILLED: Final = (
    f"COALESCE((SELECT CAST(value AS BIGINT) FROM facts WHERE name = '{UNFILLED}' || CAST(:tenant AS TEXT)), 0)"
)
_FORGET_UNFILLED: Final = f"DELETE FROM facts WHERE name LIKE '{UNFILLED}%'"
_MAX_BYTES: Final = 400_000
_MAX_STORED: Final = 1_000_000
"""PostgreSQL refuses a text with more than 1 MiB of words and positions. Text after that is not found."""
_BESIDE_A_WORD: Final = 12
"""Bytes that PostgreSQL stores with a word: scope, alignment, position."""
_ALPHABET: Final = "bcdfghjklmnpqrstvwxz0123456789"
"""Without vowels: so the stemmers see the same syllables with a scope before the word as without it."""
_CONSONANTS: Final = 20
_LETTERS: Final = 5
"""How many letters stand for a scope, and for a label in it."""
_LABEL: Final = "0{}0"
"""A label stands between digits: few words look like this, and no stemmer changes it."""


class DocumentKey(NamedTuple):
    """Which text it is. `ref` is its id among the things of its kind in its session."""

    kind: str
    session_id: str
    ref: str


@dataclass(frozen=True, slots=True)
class SearchDocument:
    """One searchable text. `ref` is its id among the things of its kind in its session. `labels` are what a search may
    be narrowed to, besides the words: they must never change while the document is there."""

    kind: str
    session_id: str
    ref: str
    text: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchRequest:
    """What the documents of one kind in some sessions must have: the words of the query, and one label of each group of
    `labels`. A label in `instead` may take the place of its term, as long as the document has at least one term
    itself."""

    kind: str
    sessions: Sequence[str]
    query: Query
    labels: Sequence[Sequence[str]] = ()
    instead: Mapping[Term, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Match:
    """SQL that yields `document_id`, `session_id` and `ref` of the documents that match."""

    sql: str
    parameters: dict[str, Any]


async def add(tx: Transaction, document: SearchDocument) -> None:
    words = _words(tx, document)
    if tx.dialect == "postgres":
        await tx.enqueue(
            """INSERT INTO documents (tenant, kind, session_id, ref, words)
               VALUES (:tenant, :kind, :session_id, :ref, to_tsvector('longtable', :words))""",
            **_key(document),
            words=words,
        )
        return
    await tx.execute(
        "INSERT INTO documents (tenant, kind, session_id, ref) VALUES (:tenant, :kind, :session_id, :ref)",
        **_key(document),
    )
    await tx.execute(
        "INSERT INTO documents_fts (rowid, words) SELECT last_insert_rowid(), :words WHERE :tenant <> ''", words=words
    )


async def add_waiting(tx: Transaction, up_to: int, documents: Mapping[DocumentKey, SearchDocument]) -> None:
    """Adds the texts that wait up to a place, all of which are among `documents`. They keep their order, so that the
    newer of two documents has the higher number. For SQLite alone."""
    rows = await tx.tuples(
        """INSERT INTO documents (tenant, kind, session_id, ref)
           SELECT :tenant, kind, session_id, ref FROM waiting_texts
           WHERE tenant = :tenant AND place <= :up_to ORDER BY place
           RETURNING document_id, kind, session_id, ref""",
        up_to=up_to,
    )
    await tx.execute_many(
        "INSERT INTO documents_fts (rowid, words) SELECT :document_id, :words WHERE :tenant <> ''",
        [{"document_id": document_id, "words": _words(tx, documents[DocumentKey(*key)])} for document_id, *key in rows],
    )


async def fill(tx: Transaction, document_id: int, document: SearchDocument) -> None:
    """Gives words to a document that has none yet."""
    if tx.dialect == "postgres":
        sql = """UPDATE documents SET words = to_tsvector('longtable', :words)
                 WHERE tenant = :tenant AND document_id = :document_id"""
    else:
        sql = """INSERT INTO documents_fts (rowid, words) SELECT document_id, :words FROM documents
                 WHERE tenant = :tenant AND document_id = :document_id"""
    await tx.execute(sql, document_id=document_id, words=_words(tx, document))


async def remove(tx: Transaction, document: SearchDocument) -> None:
    """The document must be as it was added: the index keeps no copy of its own."""
    if tx.dialect == "sqlite":
        await tx.execute(
            f"""INSERT INTO documents_fts (documents_fts, rowid, words)
                SELECT 'delete', document_id, :words FROM documents
                WHERE tenant = :tenant AND kind = :kind AND session_id = :session_id AND ref = :ref
                  AND document_id > {_NEWEST_UNFILLED}""",
            **_key(document),
            words=_words(tx, document),
        )
    await forget(tx, document.kind, document.session_id, document.ref)


async def forget(tx: Transaction, kind: str, session_id: str, ref: str) -> None:
    """Removes the document from all results, though its words may stay in the index: for a document whose text was
    deleted first."""
    removed = await tx.first(
        """DELETE FROM documents
           WHERE tenant = :tenant AND kind = :kind AND session_id = :session_id AND ref = :ref
           RETURNING document_id""",
        kind=kind,
        session_id=session_id,
        ref=ref,
    )
    if removed is not None:
        # After the document: on PostgreSQL that waits for a transaction that is writing its vectors.
        await tx.execute("DELETE FROM vectors WHERE tenant = :tenant AND document_id = :document_id", **removed)
    elif tx.dialect == "sqlite":
        await tx.execute(
            """DELETE FROM waiting_texts
               WHERE tenant = :tenant AND kind = :kind AND session_id = :session_id AND ref = :ref""",
            kind=kind,
            session_id=session_id,
            ref=ref,
        )


async def remove_all(tx: Transaction) -> None:
    """Empties the index of all tenants, whatever state it is in. In SYSTEM scope."""
    for table in ("vectors", "documents", *(("waiting_texts",) if tx.dialect == "sqlite" else ())):
        await tx.execute(f"DELETE FROM {table}")
    await _remove_words(tx)
    await set_fact(tx, EMPTIED, "incomplete")
    await tx.execute(_FORGET_UNFILLED)


async def refill(tx: Transaction) -> None:
    """Has the words of all documents filled in anew; done in SYSTEM scope. Documents and vectors stay."""
    await _remove_words(tx)
    await tx.execute(_FORGET_UNFILLED)
    await tx.execute(
        f"""INSERT INTO facts (name, value) SELECT '{UNFILLED}' || tenant, CAST(MAX(document_id) AS TEXT)
            FROM documents GROUP BY tenant"""
    )


async def compact(tx: Transaction) -> None:
    """Takes removed words out of the index for good; until then they lie in it, though nothing finds them."""
    if tx.dialect == "sqlite":
        await tx.execute("INSERT INTO documents_fts (documents_fts) SELECT 'optimize' WHERE :tenant <> ''")


def match(tx: Transaction, request: MatchRequest, name: str = "") -> Match:
    """Matches can be combined in one statement, if each has a `name` of its own or another kind."""
    kind = request.kind
    words, scopes = f"{kind}{name}_words", f"{kind}{name}_scopes"
    keys = [_code(f"{tx.scope}\0{kind}\0{session_id}") for session_id in request.sessions]
    if tx.dialect == "postgres":
        number, tables = "document_id", "documents"
        condition, written = f"words @@ to_tsquery('longtable', :{words})", _POSTGRES.expression(request, keys)
    else:
        number, tables = "documents_fts.rowid", "documents_fts CROSS JOIN documents"
        condition = f"document_id = documents_fts.rowid AND documents_fts MATCH :{words}"
        written = _SQLITE.expression(request, keys)
    inside, listed = one_of(tx.dialect, "session_id", scopes), json.dumps(list(request.sessions))
    if tx.dialect == "postgres" and len(request.sessions) == 1:
        # Row-level security keeps PostgreSQL from asking the index of words first: it should at least begin with the
        # session, which it does not where it may be one of many.
        inside, listed = f"session_id = :{scopes}", request.sessions[0]
    sql = f"""SELECT {number} AS document_id, session_id, ref FROM {tables}
              WHERE {condition} AND tenant = :tenant AND kind = '{kind}' AND {inside}"""
    return Match(sql, {words: written, scopes: listed})


def one_of(dialect: Dialect, column: str, parameter: str, kind: str = "text") -> str:
    """That `column` is in a list, which is bound as JSON: one statement for lists of any length."""
    if dialect == "postgres":
        listed = (
            f"SELECT CAST(item AS {kind}) FROM jsonb_array_elements_text(CAST(:{parameter} AS jsonb)) AS list(item)"
        )
        return f"{column} = ANY(ARRAY({listed}))"
    return f"{column} IN (SELECT value FROM json_each(:{parameter}))"


@dataclass(frozen=True, slots=True)
class _QuerySyntax:
    every: str
    either: str
    adjacent: str
    phrase: str
    prefix: str

    def expression(self, request: MatchRequest, keys: Sequence[str]) -> str:
        return self.either.join(f"({self._in_scope(request, key)})" for key in keys)

    def _in_scope(self, request: MatchRequest, key: str) -> str:
        terms = request.query.terms[:MAX_TERMS] if request.query.needs_all else request.query.terms
        own = [self._term(term, key) for term in terms]
        parts = [[one, *self._labels(request.instead.get(term, ()), key)] for term, one in zip(terms, own, strict=True)]
        joined = (self.every if request.query.needs_all else self.either).join(map(self._any, parts))
        needed = [self._any(self._labels(group, key)) for group in request.labels]
        if request.instead:
            needed.append(self._any(own))
        return self.every.join([f"({joined})", *needed])

    def _any(self, parts: Sequence[str]) -> str:
        return f"({self.either.join(parts)})"

    def _labels(self, labels: Sequence[str], key: str) -> list[str]:
        return [self.phrase.format(key + _LABEL.format(_code(label)), "") for label in labels]

    def _term(self, term: Term, key: str) -> str:
        return f"({self.every.join(self._group(group, key) for group in term.groups)})"

    def _group(self, forms: Sequence[Form], key: str) -> str:
        return self._any(
            [
                self.phrase.format(self.adjacent.join(key + word for word in words), self.prefix if prefix else "")
                for words, prefix in forms
            ]
        )


_SQLITE: Final = _QuerySyntax(every=" AND ", either=" OR ", adjacent=" ", phrase='"{}"{}', prefix=" *")
_POSTGRES: Final = _QuerySyntax(every=" & ", either=" | ", adjacent=" <-> ", phrase="({}{})", prefix=":*")


async def _remove_words(tx: Transaction) -> None:
    if tx.dialect == "sqlite":
        await tx.execute("INSERT INTO documents_fts (documents_fts) VALUES ('delete-all')")


def _words(tx: Transaction, document: SearchDocument) -> str:
    words = fold(document.text[:_MAX_BYTES])
    if len(words) * 4 > _MAX_BYTES:
        words = _cut(words)
    scope = _code(f"{tx.scope}\0{document.kind}\0{document.session_id}")
    labels = [_LABEL.format(_code(label)) for label in document.labels]
    return f" {scope}".join(["", *words.split(), *labels])


def _cut(words: str) -> str:
    encoded = words.encode()
    if len(encoded) > _MAX_BYTES:
        words = encoded[:_MAX_BYTES].decode(errors="ignore").rpartition(" ")[0]
    while True:
        listed = words.split()
        stored = sum(len(word.encode()) + _BESIDE_A_WORD for word in set(listed)) + 2 * len(listed)
        if stored <= _MAX_STORED:
            return words
        words = " ".join(listed[: len(listed) * 3 // 4])


def _key(document: SearchDocument) -> dict[str, str]:
    return {"kind": document.kind, "session_id": document.session_id, "ref": document.ref}


@lru_cache(maxsize=8192)
def _code(text: str) -> str:
    """A few letters for a text: two texts may share them, so every statement compares the rows, too."""
    number = int.from_bytes(hashlib.sha256(text.encode()).digest())
    number, first = divmod(number, _CONSONANTS)
    letters = [_ALPHABET[first]]
    while len(letters) < _LETTERS:
        number, digit = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[digit])
    return "".join(letters)
