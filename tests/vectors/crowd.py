"""Many vectors that lie about as real ones do: in clusters, along few directions, with some noise."""

import numpy as np
from numpy.typing import NDArray

from longtable.storage.database import SYSTEM, Database
from longtable.vectors.pgvector import PgvectorEngine
from longtable.vectors.query import VectorMatch, VectorQuery
from longtable.vectors.scan import ScanEngine
from tests.vectors.synthetic import MODEL, StoredVectors, candidates, in_bulk

Floats = NDArray[np.float32]
_AT_ONCE = 2_000
_QUERIES = 40


class Crowd:
    def __init__(self, stored: StoredVectors) -> None:
        self._stored = stored
        self._chance = np.random.default_rng(1)
        self._centres = self._directions(200)
        self._basis = self._directions(40)
        self._vectors: list[Floats] = []
        self._documents: list[int] = []

    def make(self, count: int) -> Floats:
        centres = self._centres[self._chance.integers(0, len(self._centres), count)]
        along = self._chance.standard_normal((count, len(self._basis))) @ self._basis / len(self._basis) ** 0.5
        noise = self._chance.standard_normal((count, 384)) / 384**0.5
        made = 0.6 * centres + along + 0.2 * noise
        return _normalised(made)

    async def gather(self, tenant: str, scope: str, count: int) -> None:
        async with in_bulk(self._stored):
            for _ in range(0, count, _AT_ONCE):
                made = self.make(min(count, _AT_ONCE))
                self._documents += await self._stored.put(tenant, scope, [row.tobytes() for row in made])
                self._vectors.append(made)
        if self._stored.database.dialect == "postgres":
            await self._stored.database.write(SYSTEM, lambda tx: tx.execute("ANALYZE vectors"))

    def nearest(self, query: Floats, count: int, every: int = 1) -> set[int]:
        """By comparing with each of them, or with those whose number `every` divides."""
        order = np.argsort(-(np.vstack(self._vectors) @ query))
        return set([self._documents[place] for place in order if self._documents[place] % every == 0][:count])

    async def recall(self, engine: "ScanEngine | AlongIndex", tenant: str, scope: str, every: int = 1) -> float:
        """Which share of the ten nearest is found, of all or of those whose number `every` divides."""
        only = candidates("document_id % :every = 0", every=every)
        embedder = await self._stored.store.register(MODEL)
        shares = []
        for query in self.make(_QUERIES):
            vector_query = VectorQuery(tenant, [scope], embedder, query.tobytes(), only, 10)
            found = {near.document_id for near in await engine.find(vector_query)}
            shares.append(len(found & self.nearest(query, 10, every)) / 10)
        return float(np.mean(shares))

    def _directions(self, count: int) -> Floats:
        return _normalised(self._chance.standard_normal((count, 384)))


class AlongIndex:
    """The way through pgvector's index, whatever the number of candidates."""

    def __init__(self, stored: StoredVectors) -> None:
        self._database: Database = stored.database
        self._engine = PgvectorEngine(stored.store)

    async def find(self, wanted: VectorQuery) -> list[VectorMatch]:
        return await self._database.read(wanted.tenant, lambda tx: self._engine.along_index(tx, wanted))


def _normalised(vectors: NDArray[np.float64]) -> Floats:
    normalised: Floats = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype("<f4")
    return normalised
