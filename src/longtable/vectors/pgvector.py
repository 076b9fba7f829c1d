"""Search in PostgreSQL by pgvector: exact where the candidates are few, along its index where they are many."""

from typing import Any, Final

from longtable.storage.database import Row, Transaction
from longtable.vectors.nearest import Near, VectorQuery
from longtable.vectors.store import VectorStore, as_text

FEW: Final = 20_000
"""Up to so many candidates are compared one by one, in some 50 ms; the index would be no faster, and not exact."""
_EFFORT: Final = 300
_MOST_SEEN: Final = 40_000
_OVERFETCH: Final = 4
"""Chunks asked for each document that is wanted: several of the nearest ones may be of one document."""

_MINE: Final = "tenant = :tenant AND session_id = ANY(CAST(:near_scopes AS TEXT[])) AND embedder = :near_embedder"
_SIZE: Final = f"SELECT 1 AS more FROM vectors WHERE {_MINE} LIMIT 1 OFFSET {FEW}"
_HOW_MANY: Final = (
    f"SELECT COUNT(*) AS number FROM (SELECT 1 FROM ({{candidates}}) AS candidates LIMIT {FEW}) AS counted"
)
# MATERIALIZED: the filter first, so that nothing is found along the index and then thrown away.
_EXACT: Final = f"""
WITH mine AS MATERIALIZED (
    SELECT document_id, first, last, {{distance}} AS distance FROM vectors
    WHERE {_MINE} AND document_id IN ({{candidates}})
), best AS (SELECT DISTINCT ON (document_id) * FROM mine ORDER BY document_id, distance)
SELECT * FROM best ORDER BY distance, document_id LIMIT :near_limit"""
# IS TRUE keeps this a question asked about each vector in turn, nearest first, until there are enough.
_ALONG_INDEX: Final = f"""
SELECT document_id, first, last, {{distance}} AS distance FROM vectors
WHERE {_MINE}
  AND (EXISTS (SELECT 1 FROM ({{candidates}}) AS candidates WHERE candidates.document_id = vectors.document_id)) IS TRUE
ORDER BY {{distance}} LIMIT :near_limit"""
_EFFORTS: Final = f"""
SELECT set_config('hnsw.iterative_scan', 'strict_order', false), set_config('hnsw.ef_search', '{_EFFORT}', false),
       set_config('hnsw.max_scan_tuples', '{_MOST_SEEN}', false), CAST(:tenant AS TEXT)"""


class PgvectorEngine:
    def __init__(self, store: VectorStore) -> None:
        self._store = store

    async def find(self, wanted: VectorQuery) -> list[Near]:
        async def body(tx: Transaction) -> list[Near]:
            if await self._is_few(tx, wanted):
                return await self.exactly(tx, wanted)
            found = await self.along_index(tx, wanted)
            # The index gives up where the candidates lie far from the query.
            return found if len(found) == wanted.limit else await self.exactly(tx, wanted)

        return await self._store.database.read(wanted.tenant, body)

    async def exactly(self, tx: Transaction, wanted: VectorQuery) -> list[Near]:
        return _nearest(await tx.all(self._sql(_EXACT, wanted), **_parameters(wanted, wanted.limit)), wanted.limit)

    async def along_index(self, tx: Transaction, wanted: VectorQuery) -> list[Near]:
        await tx.first(_EFFORTS)
        rows = await tx.all(self._sql(_ALONG_INDEX, wanted), **_parameters(wanted, _OVERFETCH * wanted.limit))
        return _nearest(rows, wanted.limit)

    async def _is_few(self, tx: Transaction, wanted: VectorQuery) -> bool:
        size = await tx.first(_SIZE, near_scopes=list(wanted.scopes), near_embedder=wanted.embedder)
        if size is None:
            return True
        candidates = wanted.candidates
        row = await tx.first(_HOW_MANY.format(candidates=candidates.sql), **candidates.parameters)
        return row is None or int(row["number"]) < FEW

    def _sql(self, sql: str, wanted: VectorQuery) -> str:
        schema = self._store.schema
        distance = f"vector OPERATOR({schema}.<=>) CAST(:near_query AS {schema}.halfvec)"
        return sql.format(distance=distance, candidates=wanted.candidates.sql)


def _parameters(wanted: VectorQuery, limit: int) -> dict[str, Any]:
    return {
        **wanted.candidates.parameters,
        "near_scopes": list(wanted.scopes),
        "near_embedder": wanted.embedder,
        "near_query": as_text(wanted.query),
        "near_limit": limit,
    }


def _nearest(rows: list[Row], limit: int) -> list[Near]:
    best: dict[int, Near] = {}
    for row in rows:
        near = Near(row["document_id"], 1.0 - row["distance"], row["first"], row["last"])
        best.setdefault(near.document_id, near)
    return list(best.values())[:limit]
