"""Decides what a search looks through and which hits come first."""

import json
from dataclasses import dataclass

from longtable.fulltext.snippet import snippet
from longtable.fulltext.words import MAX_QUERY, Query, parse_query
from longtable.kernel.call import Call
from longtable.kernel.clock import to_iso
from longtable.kernel.content import check_characters
from longtable.kernel.errors import SearchUnavailable
from longtable.log.ledger import Ledger
from longtable.search import store
from longtable.search.model import KINDS, Found, Hit, Kind
from longtable.storage.database import Row, Transaction


@dataclass(frozen=True, slots=True)
class SearchQuery:
    query: str
    mode: str
    scope: str
    limit: int


class Search:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def find(self, call: Call, wanted: SearchQuery) -> Found:
        check_characters("query", wanted.query, MAX_QUERY)
        if wanted.mode == "semantic":
            raise SearchUnavailable("Search by meaning is not available here.", hint="Use mode 'keyword'.")
        query = parse_query(wanted.query)

        async def body(tx: Transaction) -> list[Hit]:
            hits = await _hits(tx, call, query, wanted)
            return hits or await _hits(tx, call, query.loosened(), wanted)

        hits = await self._ledger.read(call.caller, body) if query.terms else []
        degraded = "by keyword only: no model for search by meaning" if wanted.mode == "hybrid" else None
        return Found(results=hits, count=len(hits), mode="keyword", degraded=degraded)


async def _hits(tx: Transaction, call: Call, query: Query, wanted: SearchQuery) -> list[Hit]:
    hits = [
        _hit(kind, row, query)
        for kind in KINDS[wanted.scope]
        for row in await store.find(tx, call.caller, kind, query, wanted.limit)
    ]
    return sorted(hits, key=lambda hit: -hit.score)[: wanted.limit]


def _hit(kind: Kind, row: Row, query: Query) -> Hit:
    return Hit(
        kind=kind,
        id=int(row["ref"]) if kind == "message" else row["ref"],
        snippet=snippet(row["content"], query),
        score=row["score"],
        author=row["author"],
        timestamp=to_iso(row["at"]),
        tags=json.loads(row["tags"]) if row["tags"] else None,
        title=row["title"],
        visibility=row["visibility"],
    )
