"""The documents whose meaning is nearest to a query, among those that the caller may find."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from longtable.vectors.store import VectorStore


@dataclass(frozen=True, slots=True)
class Candidates:
    """SQL that yields the column `document_id` of the documents that may be found: every filter is in it, `:tenant`
    too. Names of parameters that begin with `near_` are taken."""

    sql: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Near:
    """`score` is the cosine of the best chunk of a document; it holds the characters from `first` up to `last`."""

    document_id: int
    score: float
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """One search: `scopes` are the sessions of the documents, or what stands for one."""

    tenant: str
    scopes: Sequence[str]
    embedder: int
    query: bytes
    candidates: Candidates
    limit: int


class Engine(Protocol):
    async def find(self, wanted: VectorQuery) -> list[Near]: ...


class Nearest:
    """`version` tells which model queries are embedded with: vectors of another one are not comparable."""

    def __init__(self, store: VectorStore, version: Callable[[], str | None]) -> None:
        self._store = store
        self._version = version
        self._engine = _engine(store)

    @property
    def problem(self) -> str | None:
        """Why the store keeps no vectors, with the remedy; known after the first search."""
        return self._store.problem

    async def available(self) -> bool:
        return await self._store.prepare()

    async def find(
        self, tenant: str, scopes: Sequence[str], query: bytes, candidates: Candidates, limit: int
    ) -> list[Near]:
        """At most `limit` documents, the nearest first. Nothing is found in a store that keeps no vectors."""
        version = self._version()
        if version is None or not scopes or not await self._store.prepare():
            return []
        embedder = await self._store.embedder(version)
        if embedder is None:
            return []
        return await self._engine.find(VectorQuery(tenant, scopes, embedder, query, candidates, limit))


def _engine(store: VectorStore) -> Engine:
    if store.database.dialect == "sqlite":
        # Imported here: a store has one engine, and the other one's module need not be there at all.
        from longtable.vectors.exact import ExactEngine

        return ExactEngine(store.database)
    from longtable.vectors.pgvector import PgvectorEngine

    return PgvectorEngine(store)
