"""Decides what a search covers for which caller, and what its hits show."""

import json
from dataclasses import replace

from longtable.fulltext.words import MAX_QUERY
from longtable.identity.model import EVERYONE, OVERSEERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.kernel.content import check_characters, check_count
from longtable.kernel.errors import InvalidArgument
from longtable.kernel.ids import number_of
from longtable.kernel.page import COUNTED
from longtable.log.ledger import Ledger
from longtable.notebooks.arguments import once
from longtable.notes.model import PREFIX
from longtable.notes.ports import NoteSearchQuery, RankedNotes
from longtable.search import store
from longtable.search.arguments import ScratchSearch, SearchAll, SearchContext
from longtable.search.finder import Finder, Findings, SearchRequest, TextHit
from longtable.search.model import (
    ALL_KINDS,
    KINDS,
    NOTEBOOK_KINDS,
    WORK_KINDS,
    AnyFound,
    AnyHit,
    Found,
    Hit,
    ScratchFound,
    ScratchHit,
)
from longtable.search.store import PageRange, Reach
from longtable.search.work import WorkRequest, find_work
from longtable.sessions.resolver import SessionResolver
from longtable.storage.database import Row, Transaction
from longtable.toolkit.tool import Envelope, Route, Scope, tool

MAX_SESSIONS = 100
_MAX_FILTER = 100

AnySearch = SearchContext | ScratchSearch | SearchAll


class Search:
    def __init__(self, ledger: Ledger, session_resolver: SessionResolver, finder: Finder) -> None:
        self._ledger = ledger
        self._session_resolver = session_resolver
        self._finder = finder

    @tool(
        "search_context",
        title="Search the session",
        description="Find messages, notes and sections by words and meaning, best first.",
        group="messages",
        roles=EVERYONE,
        audited_as="context_searched",
        scope=Scope.NAMED_SESSION,
        envelope=Envelope.SUCCESS,
        routes=(Route("GET", "/sessions/{session_id}/search"),),
    )
    async def in_session(self, call: Call, arguments: SearchContext) -> Found:
        caller = call.caller
        reach = Reach(caller, KINDS[arguments.scope], (caller.session,))
        found = await _find(self._finder, reach, arguments.query, arguments)
        hits = [_hit(hit) for hit in found.hits]
        return Found(results=hits, count=len(hits), mode=found.mode, **dict(found.notices))

    @tool(
        "search",
        title="Search everything",
        description="Find cells, scratchpads, notes, sections and messages by words and meaning, best first: in "
        "your session and the notebooks. An orchestrator or a person who names no session searches the "
        f"{MAX_SESSIONS} sessions used last. Tasks and questions are found where `kinds` names them.",
        group="workspace",
        roles=EVERYONE,
        audited_as="everything_searched",
        scope=Scope.TENANT,
        over_mcp=False,
        routes=(Route("GET", "/search"),),
    )
    async def anywhere(self, call: Call, arguments: SearchAll) -> AnyFound:
        """In the session that is named or that the caller is in, else in those used last; and in the notebooks."""
        query, caller = _query(arguments), call.caller
        kinds = tuple(kind for kind in ALL_KINDS if arguments.kinds is None or kind in arguments.kinds)
        if arguments.session_id is not None or caller.session_id is not None:
            caller = await self._session_resolver.resolve_listener(caller, arguments.session_id, call.current_session)

        async def places(tx: Transaction) -> tuple[tuple[str, ...], str | None]:
            return await self._sessions(tx, caller), await store.notebooks_scope(tx)

        sessions, notebooks = await self._ledger.read(caller, places)
        reach = _narrowed(Reach(caller, kinds, sessions, notebooks), arguments)
        found = await _find(self._finder, reach, query, arguments)
        work = await self._work(reach, query, arguments)
        hits = _best([_any_hit(hit) for hit in found.hits], work, min(arguments.limit, self._finder.max_hits))
        return AnyFound(
            hits=hits,
            count=len(hits),
            sessions=len(sessions),
            embedder=self._finder.embedder,
            mode=found.mode,
            **dict(found.notices),
        )

    async def rank(self, caller: Caller, query: NoteSearchQuery) -> RankedNotes:
        """Notes of the caller's session, one page of the ranking."""
        check_characters("query", query.query, MAX_QUERY)
        reach = Reach(
            caller,
            KINDS["notes"],
            (caller.session,),
            tags=query.tags,
            author=query.author,
            newest_note=query.newest,
        )
        part = PageRange(query.limit + 1, query.skip, COUNTED)
        found = await self._finder.find(reach, SearchRequest(query.query, query.mode, part))
        return RankedNotes(
            scores={number_of(PREFIX, hit.row["ref"]) or 0: hit.score for hit in found.hits[: query.limit]},
            total=found.total,
            is_cut=found.more,
            has_next=len(found.hits) > query.limit,
            mode=found.mode,
            notices=found.notices,
        )

    async def _work(self, reach: Reach, query: str, arguments: SearchAll) -> list[AnyHit]:
        """Tasks and questions, which have no tags, namespace or language."""
        kinds = tuple(kind for kind in WORK_KINDS if kind in (arguments.kinds or ()))
        if not kinds or reach.tags or reach.namespaces or reach.languages:
            return []
        request, now = WorkRequest(kinds, reach.sessions, query, arguments.limit), self._ledger.clock()
        found = await self._ledger.read(reach.caller, lambda tx: find_work(tx, request, now))
        return [_work_hit(hit) for hit in found]

    async def _sessions(self, tx: Transaction, caller: Caller) -> tuple[str, ...]:
        if caller.session_id is not None:
            return (caller.session_id,)
        if caller.role not in OVERSEERS:
            return ()
        return tuple(await store.sessions_used_last(tx, self._ledger.clock(), caller.is_human, MAX_SESSIONS))


class NotebookSearch:
    def __init__(self, ledger: Ledger, finder: Finder) -> None:
        self._ledger = ledger
        self._finder = finder

    @tool(
        "scratch_search",
        title="Search scratchpads",
        description="Find cells and scratchpads by words and meaning, best first.",
        group="notebooks",
        roles=EVERYONE,
        audited_as="scratchpads_searched",
        scope=Scope.TENANT,
    )
    async def find(self, call: Call, arguments: ScratchSearch) -> ScratchFound:
        notebooks = await self._ledger.read(call.caller, store.notebooks_scope)
        reach = _narrowed(Reach(call.caller, NOTEBOOK_KINDS, (), notebooks), arguments)
        found = await _find(self._finder, reach, arguments.query, arguments)
        return ScratchFound(
            hits=[_scratch_hit(hit) for hit in found.hits],
            embedder=self._finder.embedder,
            mode=found.mode,
            **dict(found.notices),
        )


async def _find(finder: Finder, reach: Reach, query: str, arguments: AnySearch) -> Findings:
    check_characters("query", query, MAX_QUERY)
    limit, mode = arguments.limit, arguments.mode if reach.kinds else "keyword"
    if "limit" not in arguments.model_fields_set:
        limit = min(limit, finder.max_hits)
    if limit > finder.max_hits:
        raise InvalidArgument.at("limit", f"must be at most {finder.max_hits}")
    return await finder.find(reach, SearchRequest(query, mode, PageRange(limit)))


def _query(arguments: SearchAll) -> str:
    query = arguments.query or arguments.q
    if query is None:
        raise InvalidArgument.at("query", "is required")
    if arguments.q not in (None, query):
        raise InvalidArgument.at("q", "differs from query")
    return query


def _narrowed(reach: Reach, arguments: ScratchSearch | SearchAll) -> Reach:
    narrowed = replace(
        reach,
        namespaces=once(arguments.namespaces),
        tags=once(arguments.tags),
        languages=once(arguments.languages),
    )
    for name in ("namespaces", "tags", "languages"):
        check_count(name, getattr(narrowed, name), _MAX_FILTER)
    return narrowed


def _hit(hit: TextHit) -> Hit:
    row = hit.row
    return Hit(
        kind=row["kind"],
        id=_id(row),
        snippet=hit.snippet,
        score=hit.score,
        author=row["author"],
        timestamp=to_iso(row["at"]),
        tags=_tags(row) if row["kind"] == "note" else None,
        title=row["title"],
        visibility=row["visibility"],
    )


def _scratch_hit(hit: TextHit) -> ScratchHit:
    row = hit.row
    return ScratchHit(
        scratch_id=row["scratch_id"],
        cell_id=row["ref"] if row["kind"] == "cell" else None,
        namespace=row["namespace"],
        tags=_tags(row),
        score=hit.score,
        snippet=hit.snippet,
        embedding_version=row["embedding_version"],
    )


def _any_hit(hit: TextHit) -> AnyHit:
    row = hit.row
    return AnyHit(
        kind=row["kind"],
        id=_id(row),
        session_id=None if row["kind"] in NOTEBOOK_KINDS else row["session_id"],
        scratch_id=row["scratch_id"],
        cell_id=row["ref"] if row["kind"] == "cell" else None,
        namespace=row["namespace"],
        title=row["title"],
        language=row["language"],
        tags=None if row["tags"] is None else _tags(row),
        author=row["author"],
        visibility=row["visibility"],
        timestamp=to_iso(row["at"]),
        score=hit.score,
        snippet=hit.snippet,
        embedding_version=row["embedding_version"],
    )


def _best(texts: list[AnyHit], work: list[AnyHit], limit: int) -> list[AnyHit]:
    return sorted([*texts, *work], key=lambda hit: -hit.score)[:limit] if work else texts


def _work_hit(hit: TextHit) -> AnyHit:
    row = hit.row
    return AnyHit(
        kind=row["kind"],
        id=row["ref"],
        session_id=row["session_id"],
        author=row["author"],
        status=row["status"],
        timestamp=to_iso(row["at"]),
        score=hit.score,
        snippet=hit.snippet,
        embedding_version=None,
    )


def _id(row: Row) -> str | int:
    if row["kind"] == "message":
        return int(row["ref"])
    return str(row["scratch_id"] if row["kind"] == "scratchpad" else row["ref"])


def _tags(row: Row) -> list[str]:
    """The tags of a cell and of its scratchpad, each once."""
    own = json.loads(row["cell_tags"]) if row["cell_tags"] else []
    return list(dict.fromkeys([*json.loads(row["tags"]), *own]))
