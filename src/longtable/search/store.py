"""SQL for search: what may be found is narrowed by session, visibility and filter inside the query, before rank and
limit."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from longtable.fulltext import index
from longtable.fulltext.index import one_of
from longtable.fulltext.words import Query, Term
from longtable.kernel.caller import Caller
from longtable.log.model import viewer
from longtable.notes import store as note_store
from longtable.search.model import NOTEBOOK_KINDS, Kind
from longtable.search.sources import NOTE_NUMBER, SOURCES
from longtable.storage.database import Dialect, Row, Transaction
from longtable.vectors.query import Candidates

Titles = Mapping[Kind, Mapping[Term, Sequence[str]]]
"""Labels that stand for a term in the documents of a kind: those of the scratchpads that have it in their title."""
NO_TITLES: Titles = {}
_CHECKED = 4_000
_ALL = 2**31 - 1
_FILTERS = ("namespaces", "tags", "languages")


@dataclass(frozen=True, slots=True)
class Reach:
    """What may be found. `notebooks` is the scope of the tenant's notebooks in the index. An empty filter lets all
    pass; kinds that cannot satisfy a filter, as a message has no tags, are left out."""

    caller: Caller
    kinds: tuple[Kind, ...]
    sessions: tuple[str, ...] = ()
    notebooks: str | None = None
    namespaces: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    author: str | None = None
    newest_note: int | None = None

    def narrowed(self) -> "Reach":
        """Without the kinds that cannot have a hit."""
        filters = {name for name in _FILTERS if getattr(self, name)}
        kinds = tuple(kind for kind in self.kinds if filters <= SOURCES[kind].filters and self.scopes(kind))
        return replace(self, kinds=kinds)

    def scopes(self, kind: Kind) -> tuple[str, ...]:
        if kind in NOTEBOOK_KINDS:
            return (self.notebooks,) if self.notebooks else ()
        return self.sessions

    @property
    def all_scopes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(scope for kind in self.kinds for scope in self.scopes(kind)))


@dataclass(frozen=True, slots=True)
class PageRange:
    """Part of a ranking: at most `limit`, after the first `skip`. All are counted, up to `counted`."""

    limit: int
    skip: int = 0
    counted: int = 0


async def notebooks_scope(tx: Transaction) -> str | None:
    """The scope of the tenant's notebooks in the index; None if there were never any."""
    row = await tx.first("SELECT scope FROM search_scopes WHERE tenant = :tenant")
    return str(row["scope"]) if row else None


async def sessions_used_last(tx: Transaction, now: int, archived: bool, limit: int) -> list[str]:
    """Ids, the most recently used first; with `archived`, expired ones too."""
    living = "" if archived else "AND status <> 'expired' AND expires_at > :now"
    rows = await tx.all(
        f"""SELECT session_id FROM (
                SELECT session_id, created_at, COALESCE((SELECT MAX(seq) FROM events
                    WHERE events.tenant = :tenant AND events.session_id = sessions.session_id), 0) AS used
                FROM sessions WHERE tenant = :tenant {living}) AS chosen
            ORDER BY used DESC, created_at DESC, session_id LIMIT :limit""",
        limit=limit,
        **({} if archived else {"now": now}),
    )
    return [row["session_id"] for row in rows]


async def matching(tx: Transaction, reach: Reach, query: Query, limit: int, titles: Titles = NO_TITLES) -> list[int]:
    """Documents that contain the words, the newest first; those that only begin with an unfinished word after them."""
    finished = query.finished()
    found = await _matching(tx, reach, finished, limit, titles)
    if len(found) < limit and finished != query:
        # Only now: the store has to collect all words with that beginning before it finds the first text.
        found = list(dict.fromkeys([*found, *await _matching(tx, reach, query, limit, titles)]))
    return found[:limit]


async def matching_each(tx: Transaction, reach: Reach, queries: Sequence[Query], limit: int) -> list[list[int]]:
    """For each query the newest documents that contain its words."""
    parts, parameters = [], dict[str, Any]()
    for number, query in enumerate(queries):
        sql, more = _newest(tx, reach, query, name=f"_{number}")
        parts.append(f"SELECT {number} AS query, document_id FROM ({sql}) AS found_{number}")
        parameters |= more
    found: list[list[int]] = [[] for _ in queries]
    for number, document in await tx.tuples(" UNION ALL ".join(parts), limit=limit, **parameters) if parts else ():
        found[number].append(document)
    return found


async def unfilled(tx: Transaction, reach: Reach, most: int) -> int:
    """How many documents within reach the index has no words of yet; `most` stands for that many and more."""
    rows = await tx.all(
        "SELECT name, value FROM facts WHERE name IN (:emptied, :prefix || CAST(:tenant AS TEXT))",
        emptied=index.EMPTIED,
        prefix=index.UNFILLED,
    )
    facts = {row["name"]: row["value"] for row in rows}
    if index.EMPTIED in facts:
        return most
    newest = next(iter(facts.values()), None)
    if newest is None:
        return 0
    return await _count(tx, reach, "documents.document_id <= :newest", most, {"newest": int(newest)})


async def unembedded(tx: Transaction, reach: Reach, most: int) -> int:
    """How many documents within reach wait for their vector, of the newest that wait; `most` stands for that many and
    more."""
    waiting = await tx.all(
        """SELECT document_id FROM documents WHERE tenant = :tenant AND embedded IS NULL
           ORDER BY document_id DESC LIMIT :most""",
        most=most,
    )
    if not waiting:
        return 0
    among = json.dumps([row["document_id"] for row in waiting])
    return await _count(tx, reach, "", most, {"among": among})


def candidates(dialect: Dialect, reach: Reach) -> Candidates:
    """Everything within reach."""
    parameters: dict[str, Any] = {}
    parts: dict[bool, list[str]] = {False: [], True: []}
    for kind in reach.kinds:
        where, more = _within(dialect, reach, kind)
        for among, found in parts.items():
            found.append(
                f"""SELECT documents.document_id FROM {_documents(dialect, kind, among)} AS documents
                    {SOURCES[kind].tables} WHERE 1 = 1 {where}"""
            )
        parameters |= {f"{kind}_scopes": json.dumps(reach.scopes(kind)), **more}
    return Candidates(" UNION ALL ".join(parts[False]), parameters, " UNION ALL ".join(parts[True]))


async def read(tx: Transaction, reach: Reach, documents: Sequence[int], most: int) -> dict[int, Row]:
    """The documents that are still within reach, with up to `most` characters of each text."""
    found: dict[int, Row] = {}
    for kind in reach.kinds:
        source = SOURCES[kind]
        where, parameters = _within(tx.dialect, reach, kind)
        if ":most" in source.columns:
            parameters["most"] = most
        rows = await tx.all(
            f"""SELECT documents.document_id, documents.session_id, documents.ref, '{kind}' AS kind,
                    embedders.version AS embedding_version, {source.columns}
                FROM {_documents(tx.dialect, kind, among=True)} AS documents {source.tables} {source.more_tables}
                    LEFT JOIN embedders ON embedders.embedder = documents.embedded
                WHERE 1 = 1 {where} {source.more_conditions}""",
            among=json.dumps(list(documents)),
            **{f"{kind}_scopes": json.dumps(reach.scopes(kind))},
            **parameters,
        )
        found |= {row["document_id"]: row for row in rows}
    return found


async def read_ranked(tx: Transaction, reach: Reach, documents: Sequence[int], most: int) -> dict[int, str]:
    """The texts of the documents that are still within reach, as they are ranked, with up to `most` characters."""
    found: dict[int, str] = {}
    for kind in reach.kinds:
        source = SOURCES[kind]
        where, parameters = _within(tx.dialect, reach, kind)
        rows = await tx.tuples(
            f"""SELECT documents.document_id, {source.ranked_columns}
                FROM {_documents(tx.dialect, kind, among=True)} AS documents {source.tables} {source.more_tables}
                WHERE 1 = 1 {where} {source.more_conditions}""",
            among=json.dumps(list(documents)),
            most=most,
            **{f"{kind}_scopes": json.dumps(reach.scopes(kind))},
            **parameters,
        )
        found |= {document: "\n".join(filter(None, parts)) for document, *parts in rows}
    return found


def _documents(dialect: Dialect, kind: Kind, among: bool) -> str:
    chosen = f"AND {one_of(dialect, 'document_id', 'among', 'bigint')}" if among else ""
    # By number, then: SQLite would go through the whole session.
    hint = "NOT INDEXED" if among and dialect == "sqlite" else ""
    return f"""(SELECT document_id, session_id, ref, embedded FROM documents {hint}
                WHERE tenant = :tenant AND kind = '{kind}' {chosen}
                  AND {one_of(dialect, "session_id", f"{kind}_scopes")})"""


async def _matching(tx: Transaction, reach: Reach, query: Query, limit: int, titles: Titles) -> list[int]:
    sql, parameters = _newest(tx, reach, query, titles)
    ordered = f"{sql} ORDER BY document_id DESC LIMIT :limit"
    rows = await tx.tuples(ordered, limit=limit, **parameters)
    if len(rows) < limit and "checked" in parameters:
        parameters["checked"] = _ALL
        rows = await tx.tuples(ordered, limit=limit, **parameters)
    return [document for (document,) in rows]


def _newest(
    tx: Transaction, reach: Reach, query: Query, titles: Titles = NO_TITLES, name: str = ""
) -> tuple[str, dict[str, Any]]:
    """The newest documents of each kind, in no particular order, at most `:limit` of each."""
    parameters: dict[str, Any] = {}
    parts = []
    for kind in reach.kinds:
        request = index.MatchRequest(kind, reach.scopes(kind), query, _labels(reach, kind), titles.get(kind, {}))
        match = index.match(tx, request, name)
        tables = SOURCES[kind].tables
        where, more = _within(tx.dialect, reach, kind)
        if kind == "note" and not (reach.tags or reach.author):
            # Whoever reaches a session may find all of its notes: the index alone knows which.
            tables, (where, more) = "", _numbered(reach)
        # Lists the newest first, so that a common word costs no more than the limit.
        parts.append(
            f"""SELECT document_id FROM (
                    SELECT documents.document_id FROM ({_few(tx, match.sql)}) AS documents {tables}
                    WHERE 1 = 1 {where} ORDER BY documents.document_id DESC LIMIT :limit) AS {kind}{name}_newest"""
        )
        parameters |= match.parameters | more
    return " UNION ALL ".join(parts), parameters | ({"checked": _CHECKED} if tx.dialect == "postgres" else {})


def _few(tx: Transaction, matches: str) -> str:
    """Only the newest matches are checked further. PostgreSQL would join all of them before it sorts; OFFSET 0 keeps it
    from going through all texts by number in search of a rare word."""
    if tx.dialect == "sqlite":
        return matches
    return f"SELECT * FROM ({matches} OFFSET 0) AS matched ORDER BY document_id DESC LIMIT :checked"


def _labels(reach: Reach, kind: Kind) -> list[list[str]]:
    """What the index itself can check of the filters."""
    if kind != "note":
        return []
    tags = [note_store.TAG_LABEL + tag for tag in reach.tags]
    authors = [note_store.AUTHOR_LABEL + reach.author] if reach.author is not None else []
    return [group for group in (tags, authors) if group]


async def _count(tx: Transaction, reach: Reach, condition: str, most: int, parameters: dict[str, Any]) -> int:
    parts = []
    for kind in reach.kinds:
        where, more = _within(tx.dialect, reach, kind)
        parts.append(
            f"""SELECT documents.document_id FROM {_documents(tx.dialect, kind, "among" in parameters)} AS documents
                {SOURCES[kind].tables} WHERE {condition or "1 = 1"} {where}"""
        )
        parameters |= {f"{kind}_scopes": json.dumps(reach.scopes(kind)), **more}
    sql = f"SELECT document_id FROM ({' UNION ALL '.join(parts)}) AS found LIMIT :most"
    return len(await tx.all(sql, most=most, **parameters))


def _within(dialect: Dialect, reach: Reach, kind: Kind) -> tuple[str, dict[str, Any]]:
    """What a document of this kind must satisfy to be found."""
    conditions, parameters = [SOURCES[kind].condition], dict[str, Any]()
    if kind == "message":
        parameters |= viewer(reach.caller)
    if kind == "note":
        numbered, more = _numbered(reach)
        conditions.append(numbered)
        parameters |= more
        if reach.author is not None:
            conditions.append("AND notes.author = :author")
            parameters["author"] = reach.author
    if reach.namespaces:
        conditions.append("AND " + one_of(dialect, "scratchpads.namespace", "namespaces"))
        parameters["namespaces"] = json.dumps(reach.namespaces)
    if reach.languages:
        conditions.append("AND " + one_of(dialect, "cells.language", "languages"))
        parameters["languages"] = json.dumps(reach.languages)
    if reach.tags:
        conditions.append(f"AND ({_tagged(dialect, kind)})")
        parameters["tags"] = json.dumps(reach.tags)
    return " ".join(conditions), parameters


def _numbered(reach: Reach) -> tuple[str, dict[str, Any]]:
    """The condition on the number of a note, which its document knows as well."""
    if reach.newest_note is None:
        return "", {}
    return f"AND {NOTE_NUMBER} <= :newest_note", {"newest_note": reach.newest_note}


def _tagged(dialect: Dialect, kind: Kind) -> str:
    """A cell has its own tags and its scratchpad's."""
    is_listed = one_of(dialect, "tag", "tags")
    if kind == "note":
        return f"""EXISTS (SELECT 1 FROM note_tags WHERE note_tags.tenant = :tenant AND {is_listed}
                     AND note_tags.session_id = documents.session_id AND note_tags.number = notes.number)"""
    pad = f"""EXISTS (SELECT 1 FROM scratchpad_tags WHERE scratchpad_tags.tenant = :tenant
                AND scratchpad_tags.pad = scratchpads.pad AND tagged = 'pad' AND {is_listed})"""
    if kind == "scratchpad":
        return pad
    listed = "jsonb_array_elements_text(CAST(cells.tags AS jsonb)) AS own(tag)"
    if dialect == "sqlite":
        listed = "(SELECT value AS tag FROM json_each(cells.tags)) AS own"
    return f"{pad} OR EXISTS (SELECT 1 FROM {listed} WHERE {is_listed})"
