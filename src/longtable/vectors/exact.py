"""Exact search for the embedded store: the vectors of each scope in one matrix, kept in memory within a budget."""

import asyncio
import os
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from longtable.storage.database import Database, Row, Transaction
from longtable.vectors.query import VectorMatch, VectorQuery
from longtable.vectors.store import DIMENSIONS

if TYPE_CHECKING:
    from longtable.vectors.matrix import Matrix, TopMatches, VectorRows

BUDGET: Final = 256 * 1024 * 1024
ROW_BYTES: Final = 4 * DIMENSIONS + 16
READ_LIMIT: Final = 2_000
"""Vectors that are read at once: 3 MB, a few milliseconds of a reader thread."""

# One string instead of a row for each: 50,000 rows would cost more than the search itself.
_CANDIDATES: Final = "SELECT group_concat(document_id) AS ids FROM ({candidates}) WHERE :tenant <> ''"
_SCOPE: Final = "tenant = :tenant AND session_id = :scope AND embedder = :embedder"
_COUNT: Final = f"SELECT COUNT(*) AS number FROM vectors WHERE {_SCOPE}"
_NEWER: Final = f"""
SELECT vector_id, document_id, first, last, vector FROM vectors
WHERE {_SCOPE} AND vector_id > :after ORDER BY vector_id LIMIT :limit"""

Key = tuple[str, str, int]
"""Tenant, scope and embedder."""


class ExactEngine:
    """Every search first reads what was committed since the last one, by any process. What was deleted stays in the
    matrix for a while; no candidate names it, as no two documents ever have the same number."""

    def __init__(self, database: Database, budget: int = BUDGET) -> None:
        self._database = database
        self._budget = budget
        self._cache: OrderedDict[Key, Matrix] = OrderedDict()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @property
    def bytes_used(self) -> int:
        return sum(matrix.bytes_used for matrix in self._cache.values())

    async def find(self, search: VectorQuery) -> list[VectorMatch]:
        ids = await self._database.read(search.tenant, lambda tx: _candidates(tx, search))
        if not ids:
            return []
        best = await asyncio.to_thread(_best, search, ids)
        sizes = await self._sizes([(search.tenant, scope, search.embedder) for scope in search.scopes])
        for keys in _groups(sizes, self._budget):
            if sizes[keys[0]] > self._budget:
                await self._scan(keys[0], best)
            else:
                await self._search(keys, best)
        return [VectorMatch(*found) for found in await asyncio.to_thread(best.documents)]

    async def _search(self, keys: Sequence[Key], best: "TopMatches") -> None:
        # One at a time for a tenant, so that nothing is read twice.
        async with self._locks[keys[0][0]]:
            parts = await self._refresh(keys)
        while self.bytes_used > self._budget:
            self._cache.popitem(last=False)
        await asyncio.to_thread(_consider, best, parts)

    async def _scan(self, key: Key, best: "TopMatches") -> None:
        """Larger than the budget: read again for each search."""
        self._cache.pop(key, None)
        after = 0
        while True:
            rows, _ = await self._newer({key: after})
            if not rows[key]:
                return
            await asyncio.to_thread(best.consider_rows, rows[key])
            after = rows[key][-1]["vector_id"]

    async def _sizes(self, keys: Sequence[Key]) -> dict[Key, int]:
        """How many bytes the vectors of each scope take; empty scopes are left out."""
        sizes: dict[Key, int] = {}
        unknown = []
        for key in keys:
            matrix = self._cache.get(key)
            if matrix is None or matrix.is_stale:
                self._cache.pop(key, None)
                unknown.append(key)
            else:
                sizes[key] = matrix.bytes_used
        if unknown:
            counted = await self._database.read(keys[0][0], lambda tx: _count(tx, unknown))
            sizes |= {key: number * ROW_BYTES for key, number in counted.items()}
        return {key: size for key, size in sizes.items() if size}

    async def _refresh(self, keys: Sequence[Key]) -> "list[VectorRows]":
        # Looked up before anything is awaited: another search may evict them.
        matrices = {key: self._cache[key] for key in keys if key in self._cache}
        matrices |= await asyncio.to_thread(_matrices, [key for key in keys if key not in matrices])
        behind: Sequence[Key] = keys
        while behind:
            rows, behind = await self._newer({key: matrices[key].newest for key in behind})
            await asyncio.to_thread(_append, matrices, rows)
        for key, matrix in matrices.items():
            self._cache[key] = matrix
            self._cache.move_to_end(key)
        return [matrix.part() for matrix in matrices.values()]

    async def _newer(self, after: Mapping[Key, int]) -> tuple[dict[Key, list[Row]], list[Key]]:
        """The next newer vectors of some scopes, and the scopes that may have more."""
        tenant = next(iter(after))[0]
        return await self._database.read(tenant, lambda tx: _newer(tx, after))


def _groups(sizes: Mapping[Key, int], budget: int) -> Iterator[list[Key]]:
    """Scopes that fit into the budget together, and alone each one that exceeds it."""
    group: list[Key] = []
    for key, size in sorted(sizes.items(), key=lambda item: item[1]):
        if group and sum(sizes[other] for other in group) + size > budget:
            yield group
            group = []
        group.append(key)
    if group:
        yield group


def _matrices(keys: Sequence[Key]) -> "dict[Key, Matrix]":
    matrix_type, _ = _numpy_types()
    return {key: matrix_type() for key in keys}


def _best(search: VectorQuery, ids: str) -> "TopMatches":
    _, matches_type = _numpy_types()
    return matches_type(search.query, ids, search.limit)


def _numpy_types() -> "tuple[type[Matrix], type[TopMatches]]":
    """Called in a thread. numpy takes a tenth of a second to load, and a process without searches does without it. On a
    busy machine more than one thread makes a product seven times slower, so that is set first."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from longtable.vectors.matrix import Matrix, TopMatches

    return Matrix, TopMatches


def _append(matrices: "Mapping[Key, Matrix]", rows: Mapping[Key, list[Row]]) -> None:
    for key, newer in rows.items():
        if newer:
            matrices[key].append(newer)


def _consider(best: "TopMatches", parts: "Sequence[VectorRows]") -> None:
    for part in parts:
        best.consider(part)


async def _candidates(tx: Transaction, search: VectorQuery) -> str | None:
    sql = _CANDIDATES.format(candidates=search.candidates.sql)
    row = await tx.first(sql, **search.candidates.parameters)
    return row["ids"] if row else None


async def _count(tx: Transaction, keys: Sequence[Key]) -> dict[Key, int]:
    counted = {}
    for key in keys:
        row = await tx.first(_COUNT, scope=key[1], embedder=key[2])
        counted[key] = int(row["number"]) if row else 0
    return counted


async def _newer(tx: Transaction, after: Mapping[Key, int]) -> tuple[dict[Key, list[Row]], list[Key]]:
    rows: dict[Key, list[Row]] = {}
    behind = []
    left = READ_LIMIT
    for key, newest in after.items():
        if left > 0:
            rows[key] = await tx.all(_NEWER, scope=key[1], embedder=key[2], after=newest, limit=left)
            left -= len(rows[key])
        if left <= 0:
            behind.append(key)
    return rows, behind
