"""Decides what a search looks through for whom, and what its hits tell."""

import json
from dataclasses import dataclass, replace

from longtable.fulltext.words import MAX_QUERY
from longtable.identity.model import OVERSEERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.kernel.content import check_characters, check_count
from longtable.kernel.errors import InvalidArgument
from longtable.kernel.ids import number_of
from longtable.log.ledger import Ledger
from longtable.notes.model import PREFIX
from longtable.notes.ports import NoteSearchQuery, RankedNotes
from longtable.search import store
from longtable.search.finder import Finder, Findings, SearchRequest, TextHit
from longtable.search.model import (
    KINDS,
    NOTEBOOK_KINDS,
    AnyFound,
    AnyHit,
    Found,
    Hit,
    Kind,
    Mode,
    ScratchFound,
    ScratchHit,
)
from longtable.search.store import PageRange, Reach
from longtable.sessions.gate import Gate
from longtable.storage.database import Row, Transaction

MAX_SESSIONS = 100
_MAX_FILTER = 100


@dataclass(frozen=True, slots=True)
class SearchQuery:
    query: str
    mode: Mode
    limit: int


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Only what has one of each; an empty list asks for nothing."""

    namespaces: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    def check(self) -> None:
        for name in ("namespaces", "tags", "languages"):
            check_count(name, getattr(self, name), _MAX_FILTER)


class Search:
    def __init__(self, ledger: Ledger, gate: Gate, finder: Finder, most_hits: int) -> None:
        self._ledger = ledger
        self._gate = gate
        self._finder = finder
        self.most_hits = most_hits

    async def find_in_session(self, call: Call, wanted: SearchQuery, scope: str) -> Found:
        caller = call.caller
        found = await self._find(Reach(caller, KINDS[scope], (caller.session,)), wanted)
        hits = [_hit(hit) for hit in found.hits]
        return Found(results=hits, count=len(hits), mode=found.mode, warming=found.warming, degraded=found.degraded)

    async def find_in_notebooks(self, call: Call, wanted: SearchQuery, narrowing: Narrowing) -> ScratchFound:
        narrowing.check()
        notebooks = await self._ledger.read(call.caller, store.notebooks_scope)
        found = await self._find(_narrowed(Reach(call.caller, NOTEBOOK_KINDS, (), notebooks), narrowing), wanted)
        return ScratchFound(
            hits=[_scratch_hit(hit) for hit in found.hits],
            embedder=self._finder.embedder,
            mode=found.mode,
            warming=found.warming,
            degraded=found.degraded,
        )

    async def find_anywhere(
        self, call: Call, wanted: SearchQuery, kinds: tuple[Kind, ...], session_id: str | None, narrowing: Narrowing
    ) -> AnyFound:
        """In the session that is named or that the caller is in, else in those used last; and in the notebooks."""
        narrowing.check()
        caller = call.caller
        if session_id is not None or caller.session_id is not None:
            caller = await self._gate.place_listener(caller, session_id, call.current_session)

        async def places(tx: Transaction) -> tuple[tuple[str, ...], str | None]:
            return await self._sessions(tx, caller), await store.notebooks_scope(tx)

        sessions, notebooks = await self._ledger.read(caller, places)
        found = await self._find(_narrowed(Reach(caller, kinds, sessions, notebooks), narrowing), wanted)
        return AnyFound(
            hits=[_any_hit(hit) for hit in found.hits],
            count=len(found.hits),
            sessions=len(sessions),
            embedder=self._finder.embedder,
            mode=found.mode,
            warming=found.warming,
            degraded=found.degraded,
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
        part = PageRange(query.limit + 1, query.skip)
        found = await self._finder.find(reach, SearchRequest(query.query, query.mode, part))
        return RankedNotes(
            scores={number_of(PREFIX, hit.row["ref"]) or 0: hit.score for hit in found.hits[: query.limit]},
            total=found.total,
            has_more=len(found.hits) > query.limit,
            mode=found.mode,
            warming=found.warming,
            degraded=found.degraded,
        )

    async def _find(self, reach: Reach, wanted: SearchQuery) -> Findings:
        check_characters("query", wanted.query, MAX_QUERY)
        if wanted.limit > self.most_hits:
            raise InvalidArgument.at("limit", f"must be at most {self.most_hits}")
        return await self._finder.find(reach, SearchRequest(wanted.query, wanted.mode, PageRange(wanted.limit)))

    async def _sessions(self, tx: Transaction, caller: Caller) -> tuple[str, ...]:
        if caller.session_id is not None:
            return (caller.session_id,)
        if caller.role not in OVERSEERS:
            return ()
        return tuple(await store.sessions_used_last(tx, self._ledger.clock(), caller.is_human, MAX_SESSIONS))


def _narrowed(reach: Reach, by: Narrowing) -> Reach:
    return replace(reach, namespaces=by.namespaces, tags=by.tags, languages=by.languages)


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


def _id(row: Row) -> str | int:
    if row["kind"] == "message":
        return int(row["ref"])
    return str(row["scratch_id"] if row["kind"] == "scratchpad" else row["ref"])


def _tags(row: Row) -> list[str]:
    """A cell has its own and those of its scratchpad, each once."""
    own = json.loads(row["cell_tags"]) if row["cell_tags"] else []
    return list(dict.fromkeys([*json.loads(row["tags"]), *own]))
