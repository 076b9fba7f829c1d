"""Search in the embedded store: every vector of the scopes is compared, by codes kept in memory within a budget."""

import asyncio
import json
import math
import os
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

from longtable.storage.database import Database, Transaction
from longtable.vectors.query import Candidates, StoredVector, VectorMatch, VectorQuery
from longtable.vectors.store import COMPACT_BYTES, DIMENSIONS

if TYPE_CHECKING:
    from longtable.vectors.matrix import ExactMatches, NearestCodes, RankedMatches, ScopeVectors, VectorRows

CODE_BYTES: Final = DIMENSIONS // 8 + 16
"""Memory for each vector of a large scope: its code, its number and its document's."""
_EXACT_BYTES: Final = COMPACT_BYTES + 8
READ_LIMIT: Final = 4_000
"""Vectors that are read at once: 1.5 MB, some ten milliseconds of a reader thread."""
_WIDER: Final = 8
_SURE_WITH_HALF: Final = 100_000
"""Of so many vectors half of those that are compared else hold the ten nearest as surely."""
_CHECKED_FIRST: Final = 1.25
"""Documents, for each wanted one, that are asked for first whether the caller may find them."""

# One string instead of a row for each: 50,000 rows would cost more than the search itself.
_CANDIDATES: Final = "SELECT group_concat(document_id) AS ids FROM ({candidates}) WHERE :tenant <> ''"
_SCOPE: Final = "tenant = :tenant AND session_id = :scope AND embedder = :embedder"
_COLUMNS: Final = "vector_id, document_id, first, last, vector"
_COUNT: Final = f"SELECT COUNT(*) AS number FROM vectors WHERE {_SCOPE}"
_NEWER: Final = f"""
SELECT {_COLUMNS} FROM vectors WHERE {_SCOPE} AND vector_id > :after ORDER BY vector_id LIMIT :limit"""
# By number, and by document: SQLite would go through all vectors of the tenant.
_CHOSEN: Final = f"""
SELECT {_COLUMNS} FROM vectors NOT INDEXED
WHERE tenant = :tenant AND vector_id IN (SELECT value FROM json_each(:ids)) ORDER BY vector_id"""
_OF_DOCUMENTS: Final = f"""
SELECT {_COLUMNS} FROM vectors INDEXED BY vectors_by_document
WHERE tenant = :tenant AND embedder = :embedder AND document_id IN (SELECT value FROM json_each(:documents))"""

Key = tuple[str, str, int]
"""Tenant, scope and embedder."""


@dataclass(frozen=True, slots=True)
class ScanLimits:
    budget: int = 256 * 1024 * 1024
    """Memory for the vectors of all scopes that were searched last, in bytes."""
    unused_seconds: float = 600.0
    """After this, what no search has used is freed."""
    exact_rows: int = 6_000
    """Up to so many vectors, of all scopes of a search together, are compared exactly; more, by their codes."""
    keep: int = 8_000
    """Nearest by code, of which the nearest to the query are read from the store and compared exactly."""
    compared: int = 600
    """How many; decision 0038 has measured what that finds."""

    def kept_of(self, vectors: int) -> int:
        """Of less than a million vectors a smaller number holds the nearest as surely."""
        return min(self.keep, max(self.keep // 8, vectors // 50))

    def compared_of(self, vectors: int) -> int:
        return self.compared if vectors > _SURE_WITH_HALF else self.compared // 2


@dataclass(frozen=True, slots=True)
class _Matches:
    """What one search has found: the nearest candidates, and of `also` those that are not among them."""

    nearest: list[VectorMatch]
    also: list[VectorMatch]

    @property
    def all(self) -> list[VectorMatch]:
        return [*self.nearest, *self.also]


class ScanEngine:
    """Every search first reads what was committed since the last one, by any process. What was deleted stays in memory
    for a while and is never found: its row is gone, and no two documents ever have the same number."""

    def __init__(self, database: Database, limits: ScanLimits | None = None) -> None:
        self._database = database
        self._limits = limits or ScanLimits()
        self._cache: OrderedDict[Key, ScopeVectors] = OrderedDict()
        self._used_at: dict[Key, float] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """Of tenants: one search of a tenant reads, so that nothing is read twice. Gone when nobody holds one."""
        self._release: asyncio.TimerHandle | None = None
        self._numpy_part: ModuleType | None = None
        """Once it is loaded."""

    @property
    def bytes_used(self) -> int:
        return sum(vectors.bytes_used for vectors in self._cache.values())

    async def find(self, search: VectorQuery) -> list[VectorMatch]:
        if self._numpy_part is None:
            self._numpy_part = await asyncio.to_thread(_numpy_part)
        numpy_part = self._numpy_part
        sizes = await self._sizes([(search.tenant, scope, search.embedder) for scope in search.scopes])
        total = sum(sizes.values())
        if total <= self._limits.exact_rows:
            exact = numpy_part.ExactMatches(search.query)
            await self._consider(sizes, exact)
            if exact.is_complete:
                best = await self._database.read(search.tenant, lambda tx: _permitted(tx, search, exact.best_first()))
                return best.all
        keep, compared = self._limits.kept_of(total), self._limits.compared_of(total)
        for wider in (1, _WIDER):
            codes = numpy_part.NearestCodes(search.query, wider * keep)
            found = await self._nearest(search, sizes, codes, wider * compared)
            if len(found.nearest) == search.limit:
                return found.all
        # Few of the nearest may be found by this caller: these few first, then the nearest of them.
        ids = await self._database.read(search.tenant, lambda tx: _candidates(tx, search))
        only = await asyncio.to_thread(numpy_part.documents_in, ids)
        codes = numpy_part.NearestCodes(search.query, self._limits.keep, only)
        return (await self._nearest(search, sizes, codes, compared)).all

    async def _nearest(
        self, search: VectorQuery, sizes: Mapping[Key, int], codes: "NearestCodes", compared: int
    ) -> _Matches:
        await self._consider(sizes, codes)
        count = max(compared, 3 * search.limit)

        async def body(tx: Transaction) -> _Matches:
            rows = await _chosen(tx, search, codes.ids(count))
            return await _permitted(tx, search, _ranked(search.query, rows))

        return await self._database.read(search.tenant, body)

    async def _consider(self, sizes: Mapping[Key, int], matches: "ExactMatches | NearestCodes") -> None:
        sized = {key: self._bytes(size) for key, size in sizes.items()}
        for keys in _groups(sized, self._limits.budget):
            if sized[keys[0]] > self._limits.budget:
                await self._stream(keys[0], matches)
            else:
                await asyncio.to_thread(_consider, matches, await self._read(keys))

    async def _read(self, keys: Sequence[Key]) -> "list[VectorRows]":
        lock = self._locks.setdefault(keys[0][0], asyncio.Lock())
        async with lock:
            parts = await self._refresh(keys)
        while self.bytes_used > self._limits.budget:
            self._forget(next(iter(self._cache)))
        if self._release is None:
            loop = asyncio.get_running_loop()
            self._release = loop.call_later(self._limits.unused_seconds, self._release_unused)
        return parts

    async def _stream(self, key: Key, matches: "ExactMatches | NearestCodes") -> None:
        """Larger than the budget: read again for each search."""
        self._forget(key)
        after = 0
        while True:
            rows, _ = await self._newer({key: after})
            if not rows[key]:
                return
            await asyncio.to_thread(_consider_rows, matches, rows[key])
            after = rows[key][-1][0]

    async def _sizes(self, keys: Sequence[Key]) -> dict[Key, int]:
        """How many vectors each scope has; empty scopes are left out."""
        sizes: dict[Key, int] = {}
        unknown = []
        for key in keys:
            vectors = self._cache.get(key)
            if vectors is None or vectors.is_stale:
                self._forget(key)
                unknown.append(key)
            else:
                sizes[key] = vectors.count
        if unknown:
            sizes |= await self._database.read(keys[0][0], lambda tx: _count(tx, unknown))
        return {key: size for key, size in sizes.items() if size or key in self._cache}

    async def _refresh(self, keys: Sequence[Key]) -> "list[VectorRows]":
        # Looked up before anything is awaited: another search may evict them.
        known = {key: self._cache[key] for key in keys if key in self._cache}
        known |= {key: _numpy_part().ScopeVectors(self._limits.exact_rows) for key in keys if key not in known}
        behind: Sequence[Key] = keys
        while behind:
            rows, behind = await self._newer({key: known[key].newest for key in behind})
            if any(rows.values()):
                await asyncio.to_thread(_append, known, rows)
        now = time.monotonic()
        for key, vectors in known.items():
            self._cache[key] = vectors
            self._cache.move_to_end(key)
            self._used_at[key] = now
        return [vectors.rows() for vectors in known.values()]

    async def _newer(self, after: Mapping[Key, int]) -> tuple[dict[Key, list[StoredVector]], list[Key]]:
        """The next newer vectors of some scopes, and the scopes that may have more."""
        tenant = next(iter(after))[0]
        return await self._database.read(tenant, lambda tx: _newer(tx, after))

    def _bytes(self, rows: int) -> int:
        """What so many vectors of a scope take in memory, with room to grow."""
        return rows * (CODE_BYTES + (_EXACT_BYTES if rows <= self._limits.exact_rows else 0)) * 9 // 8

    def _forget(self, key: Key) -> None:
        self._cache.pop(key, None)
        self._used_at.pop(key, None)

    def _release_unused(self) -> None:
        pause = self._limits.unused_seconds
        before = time.monotonic() - pause
        for key in [key for key, used in self._used_at.items() if used <= before]:
            self._forget(key)
        self._release = None
        if self._cache:
            self._release = asyncio.get_running_loop().call_later(pause / 2, self._release_unused)


def _groups(sizes: Mapping[Key, int], budget: int) -> Iterator[list[Key]]:
    """Scopes that fit into the budget together, and alone each one that exceeds it."""
    group: list[Key] = []
    used = 0
    for key, size in sorted(sizes.items(), key=lambda item: item[1]):
        if group and used + size > budget:
            yield group
            group, used = [], 0
        group.append(key)
        used += size
    if group:
        yield group


def _in_turn(matches: "RankedMatches", first: int) -> Iterator[list[VectorMatch]]:
    """A few at first, then more and more at once."""
    start = 0
    while start < len(matches):
        yield matches.part(start, start + first)
        start, first = start + first, 4 * first


def _numpy_part() -> ModuleType:
    """First called in a thread. numpy takes a tenth of a second to load, and a process without searches does without
    it. On a busy machine more than one thread makes a product seven times slower, so that is set first."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from longtable.vectors import matrix

    return matrix


def _ranked(query: bytes, rows: Sequence[StoredVector]) -> "RankedMatches":
    numpy_part = _numpy_part()
    exact = numpy_part.ExactMatches(query)
    if rows:
        exact.consider(numpy_part.read_rows(rows))
    ranked: RankedMatches = exact.best_first()
    return ranked


def _append(known: "Mapping[Key, ScopeVectors]", rows: Mapping[Key, list[StoredVector]]) -> None:
    for key, newer in rows.items():
        if newer:
            known[key].append(newer)


def _consider(matches: "ExactMatches | NearestCodes", parts: "Sequence[VectorRows]") -> None:
    for part in parts:
        matches.consider(part)


def _consider_rows(matches: "ExactMatches | NearestCodes", rows: Sequence[StoredVector]) -> None:
    matches.consider(_numpy_part().read_rows(rows))


async def _chosen(tx: Transaction, search: VectorQuery, ids: str) -> list[StoredVector]:
    rows: list[StoredVector] = await tx.tuples(_CHOSEN, ids=ids)
    if search.candidates.also:
        documents = json.dumps(list(search.candidates.also))
        rows += await tx.tuples(_OF_DOCUMENTS, embedder=search.embedder, documents=documents)
    return rows


async def _permitted(tx: Transaction, search: VectorQuery, matches: "RankedMatches") -> _Matches:
    """The first of `matches` that are candidates: nothing else takes a place among them."""
    found: list[VectorMatch] = []
    for some in _in_turn(matches, math.ceil(_CHECKED_FIRST * search.limit)):
        permitted = await _documents(tx, search.candidates.within([match.document_id for match in some]))
        found += [match for match in some if match.document_id in permitted]
        if len(found) >= search.limit:
            break
    nearest = found[: search.limit]
    others = set(search.candidates.also) - {match.document_id for match in nearest}
    return _Matches(nearest, matches.of(others) if others else [])


async def _documents(tx: Transaction, candidates: Candidates) -> set[int]:
    return {document for (document,) in await tx.tuples(candidates.sql, **candidates.parameters)}


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


async def _newer(tx: Transaction, after: Mapping[Key, int]) -> tuple[dict[Key, list[StoredVector]], list[Key]]:
    rows: dict[Key, list[StoredVector]] = {}
    behind = []
    left = READ_LIMIT
    for key, newest in after.items():
        if left > 0:
            rows[key] = await tx.tuples(_NEWER, scope=key[1], embedder=key[2], after=newest, limit=left)
            left -= len(rows[key])
        if left <= 0:
            behind.append(key)
    return rows, behind
