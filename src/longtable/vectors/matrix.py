"""Vectors in memory and the best of them for a query. Imported in a thread, when a first search needs it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longtable.storage.database import Row
from longtable.vectors.store import DIMENSIONS

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]

_FEW = 4
"""With fewer than every fourth row a candidate, it is faster to copy those rows before multiplying."""


@dataclass(frozen=True, slots=True)
class VectorRows:
    """Some vectors, one in a row: of which document, and which of its characters."""

    vectors: Floats
    documents: Numbers
    places: NDArray[np.int32]


class Matrix:
    """Grows at its end. A part that was taken earlier does not change."""

    def __init__(self) -> None:
        self._buffer = _empty(0)
        self._rows = 0
        self._first_rows = 0
        self.newest = 0

    @property
    def bytes_used(self) -> int:
        return self._buffer.vectors.nbytes + self._buffer.documents.nbytes + self._buffer.places.nbytes

    @property
    def is_stale(self) -> bool:
        """So much was added that as much may have been deleted: it is time to read it again."""
        return self._rows > 2 * self._first_rows + 1_000

    def append(self, rows: Sequence[Row]) -> None:
        added = _part(rows)
        count = self._rows + len(rows)
        if count > len(self._buffer.documents):
            self._grow(count)
        self._buffer.vectors[self._rows : count] = added.vectors
        self._buffer.documents[self._rows : count] = added.documents
        self._buffer.places[self._rows : count] = added.places
        self._rows, self.newest = count, rows[-1]["vector_id"]

    def part(self) -> VectorRows:
        """All there is. What is there after the first filling counts as fresh."""
        self._first_rows = self._first_rows or self._rows
        buffer = self._buffer
        return VectorRows(buffer.vectors[: self._rows], buffer.documents[: self._rows], buffer.places[: self._rows])

    def _grow(self, count: int) -> None:
        grown = _empty(count + count // 8)
        grown.vectors[: self._rows] = self._buffer.vectors[: self._rows]
        grown.documents[: self._rows] = self._buffer.documents[: self._rows]
        grown.places[: self._rows] = self._buffer.places[: self._rows]
        self._buffer = grown


class TopMatches:
    """The best chunk of each document that is a candidate."""

    def __init__(self, query: bytes, ids: str, limit: int) -> None:
        self._query = np.frombuffer(query, dtype="<f4")
        self._candidates = np.fromstring(ids, dtype=np.int64, sep=",")
        self._limit = limit
        self._found: list[tuple[int, float, int, int]] = []

    def consider_rows(self, rows: Sequence[Row]) -> None:
        self.consider(_part(rows))

    def consider(self, part: VectorRows) -> None:
        places = np.flatnonzero(np.isin(part.documents, self._candidates))
        if not len(places):
            return
        if len(places) * _FEW < len(part.documents):
            scores = part.vectors[places] @ self._query
        else:
            scores = (part.vectors @ self._query)[places]
        self._collect(part, places, scores)

    def documents(self) -> list[tuple[int, float, int, int]]:
        best: dict[int, tuple[int, float, int, int]] = {}
        for found in sorted(self._found, key=lambda found: (-found[1], found[0])):
            best.setdefault(found[0], found)
        return list(best.values())[: self._limit]

    def _collect(self, part: VectorRows, places: NDArray[Any], scores: Floats) -> None:
        """Enough chunks to cover `limit` documents, if there are that many."""
        count = self._limit
        while True:
            count = min(count * 4, len(scores))
            chosen = np.argpartition(-scores, count - 1)[:count]
            if count == len(scores) or len(np.unique(part.documents[places[chosen]])) >= self._limit:
                break
        for choice in chosen:
            row = places[choice]
            first, last = part.places[row]
            self._found.append((int(part.documents[row]), float(scores[choice]), int(first), int(last)))


def _empty(rows: int) -> VectorRows:
    return VectorRows(np.empty((rows, DIMENSIONS), np.float32), np.empty(rows, np.int64), np.empty((rows, 2), np.int32))


def _part(rows: Sequence[Row]) -> VectorRows:
    vectors = np.frombuffer(b"".join(row["vector"] for row in rows), dtype="<f4").reshape(-1, DIMENSIONS)
    documents = np.fromiter((row["document_id"] for row in rows), np.int64, len(rows))
    places = np.array([(row["first"], row["last"]) for row in rows], np.int32)
    return VectorRows(vectors, documents, places)
