"""The documents whose meaning is nearest to a query, among those that the caller may find."""

from collections.abc import Callable, Sequence

from longtable.vectors.pgvector import PgvectorEngine
from longtable.vectors.query import Candidates, Engine, VectorMatch, VectorQuery
from longtable.vectors.scan import ScanEngine
from longtable.vectors.store import VectorStore


class Nearest:
    """`version` is the model that queries are embedded with: vectors of another one are not comparable."""

    def __init__(self, store: VectorStore, version: Callable[[], str | None]) -> None:
        self._store = store
        self._version = version
        self._engine: Engine = (
            ScanEngine(store.database) if store.database.dialect == "sqlite" else PgvectorEngine(store)
        )

    @property
    def problem(self) -> str | None:
        """Why the store keeps no vectors, with the remedy; known after the first search."""
        return self._store.problem

    @property
    def bytes_used(self) -> int:
        """Memory of the vectors that this process keeps for searches."""
        return self._engine.bytes_used

    async def available(self) -> bool:
        return await self._store.prepare()

    async def find(
        self, tenant: str, scopes: Sequence[str], query: bytes, candidates: Candidates, limit: int
    ) -> list[VectorMatch]:
        """The `limit` nearest documents first, then the others that were asked for. Nothing is found in a store that
        keeps no vectors."""
        version = self._version()
        if version is None or not scopes or not await self._store.prepare():
            return []
        embedder = await self._store.embedder(version)
        if embedder is None:
            return []
        return await self._engine.find(VectorQuery(tenant, scopes, embedder, query, candidates, limit))
