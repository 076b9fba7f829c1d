"""Search in PostgreSQL by pgvector: exact where the candidates are few, along its index where they are many."""

from dataclasses import replace
from typing import Any, Final

from longtable.storage.database import Row, Transaction
from longtable.vectors.query import VectorMatch, VectorQuery
from longtable.vectors.store import VectorStore, as_text

FEW: Final = 20_000
"""Up to this many candidates are compared one by one, in about 50 ms; the index would be no faster, and not exact."""
_EF_SEARCH: Final = 300
_MAX_SCANNED: Final = 40_000
_OVERFETCH: Final = 4
"""Chunks to fetch for each document: several of the nearest ones may be of one document."""

_SCOPE: Final = "tenant = :tenant AND session_id = ANY(CAST(:near_scopes AS TEXT[])) AND embedder = :near_embedder"
_SIZE: Final = f"SELECT 1 AS more FROM vectors WHERE {_SCOPE} LIMIT 1 OFFSET {FEW}"
_COUNT: Final = f"SELECT COUNT(*) AS number FROM (SELECT 1 FROM ({{candidates}}) AS candidates LIMIT {FEW}) AS counted"
# MATERIALIZED: the filter first, so that nothing is found along the index and then thrown away.
_EXACT: Final = f"""
WITH mine AS MATERIALIZED (
    SELECT document_id, first, last, {{distance}} AS distance FROM vectors
    WHERE {_SCOPE} AND document_id IN ({{candidates}})
), best AS (SELECT DISTINCT ON (document_id) * FROM mine ORDER BY document_id, distance)
SELECT * FROM best ORDER BY distance, document_id LIMIT :near_limit"""
# IS TRUE keeps this a filter on each vector in turn, nearest first, until there are enough.
_ALONG_INDEX: Final = f"""
SELECT document_id, first, last, {{distance}} AS distance FROM vectors
WHERE {_SCOPE}
  AND (EXISTS (SELECT 1 FROM ({{candidates}}) AS candidates WHERE candidates.document_id = vectors.document_id)) IS TRUE
ORDER BY {{distance}} LIMIT :near_limit"""
_SETTINGS: Final = f"""
SELECT set_config('hnsw.iterative_scan', 'strict_order', false), set_config('hnsw.ef_search', '{_EF_SEARCH}', false),
       set_config('hnsw.max_scan_tuples', '{_MAX_SCANNED}', false), CAST(:tenant AS TEXT)"""


class PgvectorEngine:
    bytes_used = 0

    def __init__(self, store: VectorStore) -> None:
        self._store = store

    async def find(self, search: VectorQuery) -> list[VectorMatch]:
        async def body(tx: Transaction) -> list[VectorMatch]:
            nearest = await self._nearest_candidates(tx, search)
            others = sorted(set(search.candidates.also) - {match.document_id for match in nearest})
            if not others:
                return nearest
            chosen = replace(search, candidates=search.candidates.within(others), limit=len(others))
            return [*nearest, *await self.exactly(tx, chosen)]

        return await self._store.database.read(search.tenant, body)

    async def _nearest_candidates(self, tx: Transaction, search: VectorQuery) -> list[VectorMatch]:
        if await self._has_few_candidates(tx, search):
            return await self.exactly(tx, search)
        found = await self.along_index(tx, search)
        # The index gives up where the candidates lie far from the query.
        return found if len(found) == search.limit else await self.exactly(tx, search)

    async def exactly(self, tx: Transaction, search: VectorQuery) -> list[VectorMatch]:
        return _nearest(await tx.all(self._sql(_EXACT, search), **_parameters(search, search.limit)), search.limit)

    async def along_index(self, tx: Transaction, search: VectorQuery) -> list[VectorMatch]:
        await tx.first(_SETTINGS)
        rows = await tx.all(self._sql(_ALONG_INDEX, search), **_parameters(search, _OVERFETCH * search.limit))
        return _nearest(rows, search.limit)

    async def _has_few_candidates(self, tx: Transaction, search: VectorQuery) -> bool:
        size = await tx.first(_SIZE, near_scopes=list(search.scopes), near_embedder=search.embedder)
        if size is None:
            return True
        candidates = search.candidates
        row = await tx.first(_COUNT.format(candidates=candidates.sql), **candidates.parameters)
        return row is None or int(row["number"]) < FEW

    def _sql(self, sql: str, search: VectorQuery) -> str:
        schema = self._store.schema
        distance = f"vector OPERATOR({schema}.<=>) CAST(:near_query AS {schema}.halfvec)"
        return sql.format(distance=distance, candidates=search.candidates.sql)


def _parameters(search: VectorQuery, limit: int) -> dict[str, Any]:
    return {
        **search.candidates.parameters,
        "near_scopes": list(search.scopes),
        "near_embedder": search.embedder,
        "near_query": as_text(search.query),
        "near_limit": limit,
    }


def _nearest(rows: list[Row], limit: int) -> list[VectorMatch]:
    best: dict[int, VectorMatch] = {}
    for row in rows:
        match = VectorMatch(row["document_id"], 1.0 - row["distance"], row["first"], row["last"])
        best.setdefault(match.document_id, match)
    return list(best.values())[:limit]
