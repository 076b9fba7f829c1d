"""A search by vector: query, candidates and matches."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

StoredVector = tuple[int, int, int, int, bytes]
"""A row of SQLite: the number of a vector, its document, the first and the last character, and its values."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """SQL that yields the column `document_id` of the documents that may be found: every filter is in it, `:tenant`
    too. Names of parameters that begin with `near_` are taken. `chosen_sql` yields those that are in the JSON list
    `:among`; its cost grows with that list, not with all documents. `also` are documents that may be found and whose
    matches are wanted besides the nearest ones, however far they are."""

    sql: str
    parameters: Mapping[str, Any]
    chosen_sql: str
    also: Sequence[int] = ()

    def within(self, documents: Sequence[int]) -> "Candidates":
        """Those of some documents that may be found."""
        parameters = {**self.parameters, "among": json.dumps(list(documents))}
        return Candidates(self.chosen_sql, parameters, self.chosen_sql)


@dataclass(frozen=True, slots=True)
class VectorMatch:
    """`score` is the cosine of the best chunk of a document; it holds the characters from `first` up to `last`."""

    document_id: int
    score: float
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """One search for the nearest candidates: `scopes` are the sessions of the documents, or what takes their place."""

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

    async def find(self, search: VectorQuery) -> list[VectorMatch]:
        """The nearest first, then those of `also` that are not among them, in any order."""
