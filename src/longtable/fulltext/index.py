"""The index itself: FTS5 on SQLite, tsvector on PostgreSQL, the scope of a search inside the query on both."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longtable.fulltext.words import Form, Query, fold
from longtable.storage.database import Dialect, Transaction

_MAX_BYTES = 400_000
"""PostgreSQL refuses a text with more than 1 MiB of words and positions. This much never exceeds it; text after it is
not found."""


@dataclass(frozen=True, slots=True)
class SearchDocument:
    """One searchable text. `ref` is its id among the things of its kind in its session."""

    kind: str
    session_id: str
    ref: str
    text: str


@dataclass(frozen=True, slots=True)
class Match:
    """SQL that yields `document_id`, `session_id`, `ref` and `score` of the documents of one kind that match. The score
    is for choosing among too many: each store has its own, and it depends on texts that the caller may not see."""

    sql: str
    parameters: dict[str, Any]


async def add(tx: Transaction, document: SearchDocument) -> None:
    words = _words(document)
    key = {"kind": document.kind, "session_id": document.session_id, "ref": document.ref}
    if tx.dialect == "postgres":
        await tx.enqueue(
            """INSERT INTO documents (tenant, kind, session_id, ref, words)
               VALUES (:tenant, :kind, :session_id, :ref, to_tsvector('longtable', :words))""",
            **key,
            words=words,
        )
        return
    await tx.execute(
        "INSERT INTO documents (tenant, kind, session_id, ref) VALUES (:tenant, :kind, :session_id, :ref)",
        **key,
    )
    await tx.execute(
        """INSERT INTO documents_fts (rowid, scope, words)
           SELECT document_id, :scope, :words FROM documents
           WHERE tenant = :tenant AND kind = :kind AND session_id = :session_id AND ref = :ref""",
        **key,
        scope=_scope(document.kind, document.session_id),
        words=words,
    )


async def remove(tx: Transaction, document: SearchDocument) -> None:
    """`document.text` must be the text that was added: the index keeps no copy of its own."""
    if tx.dialect == "sqlite":
        await tx.execute(
            """INSERT INTO documents_fts (documents_fts, rowid, scope, words)
               SELECT 'delete', document_id, :scope, :words FROM documents
               WHERE tenant = :tenant AND kind = :kind AND session_id = :session_id AND ref = :ref""",
            **_key(document),
            scope=_scope(document.kind, document.session_id),
            words=_words(document),
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


async def remove_all(tx: Transaction) -> None:
    """Of all tenants, whatever state it is in; done in SYSTEM scope."""
    for table in ("vectors", "documents"):
        await tx.execute(f"DELETE FROM {table}")
    if tx.dialect == "sqlite":
        await tx.execute("INSERT INTO documents_fts (documents_fts) VALUES ('delete-all')")


async def compact(tx: Transaction) -> None:
    """Takes removed words out of the index for good; until then they lie in it, though nothing finds them."""
    if tx.dialect == "sqlite":
        await tx.execute("INSERT INTO documents_fts (documents_fts) SELECT 'optimize' WHERE :tenant <> ''")


def match(tx: Transaction, kind: str, sessions: Sequence[str], query: Query) -> Match:
    """The documents of one kind in some sessions of the tenant that `query` finds. Matches of several kinds can be
    combined in one statement."""
    words, scopes = f"{kind}_words", f"{kind}_scopes"
    if tx.dialect == "postgres":
        tsquery = f"to_tsquery('longtable', :{words})"
        # 1: of two texts with equal counts the shorter one first, as bm25 does.
        rank, tables = f"ts_rank(words, {tsquery}, 1)", "documents"
        condition, written = f"words @@ {tsquery}", _tsquery(query)
    else:
        inside = " OR ".join(_scope(kind, session_id) for session_id in sessions)
        rank, tables = "-bm25(documents_fts, 0.0, 1.0)", "documents_fts CROSS JOIN documents"
        condition = f"document_id = documents_fts.rowid AND documents_fts MATCH :{words}"
        written = f"scope:({inside}) AND words:({_fts5(query)})"
    sql = f"""SELECT document_id, session_id, ref, {rank} AS score FROM {tables}
              WHERE {condition} AND tenant = :tenant AND kind = '{kind}'
                AND {one_of(tx.dialect, "session_id", scopes)}"""
    return Match(sql, {words: written, scopes: json.dumps(list(sessions))})


def one_of(dialect: Dialect, column: str, parameter: str, kind: str = "text") -> str:
    """That `column` is in a list, which is bound as JSON: one statement for lists of any length."""
    if dialect == "postgres":
        listed = (
            f"SELECT CAST(item AS {kind}) FROM jsonb_array_elements_text(CAST(:{parameter} AS jsonb)) AS list(item)"
        )
        return f"{column} = ANY(ARRAY({listed}))"
    return f"{column} IN (SELECT value FROM json_each(:{parameter}))"


def _words(document: SearchDocument) -> str:
    words = fold(document.text[:_MAX_BYTES])
    encoded = words.encode()
    if len(encoded) <= _MAX_BYTES:
        return words
    return encoded[:_MAX_BYTES].decode(errors="ignore").rpartition(" ")[0]


def _key(document: SearchDocument) -> dict[str, str]:
    return {"kind": document.kind, "session_id": document.session_id, "ref": document.ref}


def _scope(kind: str, session_id: str) -> str:
    # A word that narrows the search before ranking; the tenant is checked on the row itself. It ends in a digit so
    # that the stemmer leaves it alone.
    return "z" + hashlib.sha256(f"{kind}\0{session_id}".encode()).hexdigest()[:24] + "0"


def _fts5(query: Query) -> str:
    terms = [" AND ".join(map(_fts5_group, term.groups)) for term in query.terms]
    return (" AND " if query.needs_all else " OR ").join(f"({term})" for term in terms)


def _fts5_group(forms: Sequence[Form]) -> str:
    written = [f'"{" ".join(words)}"{" *" if is_prefix else ""}' for words, is_prefix in forms]
    return f"({' OR '.join(written)})"


def _tsquery(query: Query) -> str:
    terms = [" & ".join(map(_tsquery_group, term.groups)) for term in query.terms]
    return (" & " if query.needs_all else " | ").join(f"({term})" for term in terms)


def _tsquery_group(forms: Sequence[Form]) -> str:
    written = [f"({' <-> '.join(words)}{':*' if is_prefix else ''})" for words, is_prefix in forms]
    return f"({' | '.join(written)})"
