"""The index itself: FTS5 on SQLite, tsvector on PostgreSQL, the scope of a search inside the query on both."""

import hashlib
from dataclasses import dataclass
from typing import Any

from longtable.fulltext.words import Query, fold
from longtable.storage.database import Transaction

_MOST_BYTES = 400_000
"""PostgreSQL keeps no more than 1 MiB of the words of a text, with their places, and refuses what exceeds it. This
much never does; what a text says beyond it is not found."""


@dataclass(frozen=True, slots=True)
class Document:
    """One searchable text. `ref` is its id among the things of its kind in its session."""

    kind: str
    session_id: str
    ref: str
    text: str


@dataclass(frozen=True, slots=True)
class Match:
    """SQL that yields `ref` and `score` of the documents of one kind and session that match."""

    sql: str
    parameters: dict[str, Any]


async def add(tx: Transaction, document: Document) -> None:
    words = _words(document)
    if tx.dialect == "postgres":
        await tx.execute(
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
        """INSERT INTO documents_fts (rowid, scope, words)
           SELECT document_id, :scope, :words FROM documents
           WHERE tenant = :tenant AND kind = :kind AND session_id = :session_id AND ref = :ref""",
        **_key(document),
        scope=_scope(document.kind, document.session_id),
        words=words,
    )


async def remove(tx: Transaction, document: Document) -> None:
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
    await tx.execute(
        """DELETE FROM documents
           WHERE tenant = :tenant AND kind = :kind AND session_id = :session_id AND ref = :ref""",
        **_key(document),
    )


async def compact(tx: Transaction) -> None:
    """Takes removed words out of the index for good; until then they lie in it, though nothing finds them."""
    if tx.dialect == "sqlite":
        await tx.execute("INSERT INTO documents_fts (documents_fts) SELECT 'optimize' WHERE :tenant <> ''")


def match(tx: Transaction, kind: str, session_id: str, query: Query) -> Match:
    """The documents of one tenant, kind and session that `query` finds."""
    parameters: dict[str, Any] = {"match_kind": kind, "match_session": session_id}
    if tx.dialect == "postgres":
        parameters["match_query"] = _tsquery(query)
        sql = """SELECT ref, ts_rank(words, to_tsquery('longtable', :match_query)) AS score FROM documents
                 WHERE tenant = :tenant AND kind = :match_kind AND session_id = :match_session
                   AND words @@ to_tsquery('longtable', :match_query)"""
    else:
        parameters["match_query"] = f"scope:{_scope(kind, session_id)} AND words:({_fts5(query)})"
        sql = """SELECT ref, -bm25(documents_fts, 0.0, 1.0) AS score
                 FROM documents_fts CROSS JOIN documents
                 WHERE document_id = documents_fts.rowid AND documents_fts MATCH :match_query
                   AND tenant = :tenant AND kind = :match_kind AND session_id = :match_session"""
    return Match(sql, parameters)


def _words(document: Document) -> str:
    words = fold(document.text[:_MOST_BYTES])
    encoded = words.encode()
    if len(encoded) <= _MOST_BYTES:
        return words
    return encoded[:_MOST_BYTES].decode(errors="ignore").rpartition(" ")[0]


def _key(document: Document) -> dict[str, str]:
    return {"kind": document.kind, "session_id": document.session_id, "ref": document.ref}


def _scope(kind: str, session_id: str) -> str:
    # A word that narrows the search before ranking; the tenant is checked on the row itself. It ends in a digit so
    # that the stemmer leaves it alone.
    return "z" + hashlib.sha256(f"{kind}\0{session_id}".encode()).hexdigest()[:24] + "0"


def _fts5(query: Query) -> str:
    phrases = [f'"{" ".join(term.words)}"{" *" if term.prefix else ""}' for term in query.terms]
    return (" AND " if query.needs_all else " OR ").join(phrases)


def _tsquery(query: Query) -> str:
    phrases = ["(" + " <-> ".join(term.words) + (":*" if term.prefix else "") + ")" for term in query.terms]
    return (" & " if query.needs_all else " | ").join(phrases)
