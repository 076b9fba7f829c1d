"""A search by vector: query, candidates and matches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Candidates:
    """SQL that yields the column `document_id` of the documents that may be found: every filter is in it, `:tenant`
    too. Names of parameters that begin with `near_` are taken."""

    sql: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class VectorMatch:
    """`score` is the cosine of the best chunk of a document; it holds the characters from `first` up to `last`."""

    document_id: int
    score: float
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """One search: `scopes` are the sessions of the documents, or what takes their place."""

    tenant: str
    scopes: Sequence[str]
    embedder: int
    query: bytes
    candidates: Candidates
    limit: int


class Engine(Protocol):
    @property
    def bytes_used(self) -> int:
        """Memory of the vectors that it keeps in this process."""

    async def find(self, search: VectorQuery) -> list[VectorMatch]: ...
