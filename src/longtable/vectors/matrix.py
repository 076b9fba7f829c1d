"""Vectors in memory and the best of them for a query. Imported in a thread, when a first search needs it.

Each vector has a code, one bit for the sign of each number. Codes are 32 times smaller than floats and are compared
twenty times faster; how many bits differ tells nearly which vectors are near. Scopes of few vectors keep the vectors
themselves, too, and are compared exactly."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from longtable.vectors.query import StoredVector, VectorMatch
from longtable.vectors.store import COMPACT_BYTES, DIMENSIONS

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]
Codes = NDArray[np.uint64]

_WORDS: Final = DIMENSIONS // 64
_CODES_AT_ONCE: Final = 65_536
_VECTORS_AT_ONCE: Final = 4_096
"""Rows whose intermediate results stay in the processor's cache."""
_COMPACT: Final = np.dtype([("scale", "<f4"), ("values", "i1", (DIMENSIONS,))])


@dataclass(frozen=True, slots=True)
class ExactRows:
    """The numbers of some vectors as bytes with a scale for each, and the characters of the text that each stands
    for."""

    vectors: NDArray[Any]
    places: NDArray[np.int32]

    def scores(self, query: Floats) -> Floats:
        scores = np.empty(len(self.vectors), np.float32)
        for start in range(0, len(scores), _VECTORS_AT_ONCE):
            block = self.vectors[start : start + _VECTORS_AT_ONCE]
            scores[start : start + len(block)] = (block["values"].astype(np.float32) @ query) * block["scale"]
        return scores


@dataclass(frozen=True, slots=True)
class VectorRows:
    """Some vectors: the codes as columns of 64 bits, the document and the number of each, and perhaps their values."""

    codes: Codes
    documents: Numbers
    ids: Numbers
    exact: ExactRows | None

    @property
    def nbytes(self) -> int:
        exact = self.exact.vectors.nbytes + self.exact.places.nbytes if self.exact else 0
        return self.codes.nbytes + self.documents.nbytes + self.ids.nbytes + exact


class ScopeVectors:
    """Grows at its end. Rows that were taken earlier do not change."""

    def __init__(self, exact_rows: int) -> None:
        """Up to `exact_rows` are kept with their values."""
        self._exact_rows = exact_rows
        self._buffer = _empty(0, exact=True)
        self._rows = 0
        self._first_rows = 0
        self.newest = 0

    @property
    def bytes_used(self) -> int:
        return self._buffer.nbytes

    @property
    def count(self) -> int:
        return self._rows

    @property
    def is_stale(self) -> bool:
        """Whether to read it again: after so many additions as many rows may have been deleted."""
        return self._rows > 2 * self._first_rows + 1_000

    def append(self, rows: Sequence[StoredVector]) -> None:
        count = self._rows + len(rows)
        if count > len(self._buffer.ids) or (self._buffer.exact and count > self._exact_rows):
            self._grow(count)
        _copy(read_rows(rows), self._buffer, self._rows)
        self._rows, self.newest = count, rows[-1][0]

    def rows(self) -> VectorRows:
        """All rows. The number at the first call is what `is_stale` compares with."""
        self._first_rows = self._first_rows or self._rows
        return _first(self._buffer, self._rows)

    def _grow(self, count: int) -> None:
        grown = _empty(count + count // 8, exact=count <= self._exact_rows)
        _copy(_first(self._buffer, self._rows), grown, 0)
        self._buffer = grown


@dataclass(frozen=True, slots=True)
class RankedMatches:
    """Matches, the nearest first. Few of many are looked at, so only these become objects."""

    documents: Numbers
    scores: Floats
    places: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.documents)

    def part(self, start: int, end: int) -> list[VectorMatch]:
        return self._matches(slice(start, end))

    def of(self, documents: Collection[int]) -> list[VectorMatch]:
        """The matches of some documents."""
        return self._matches(np.array([at for at, one in enumerate(self.documents.tolist()) if one in documents], int))

    def _matches(self, places: "slice | NDArray[np.intp]") -> list[VectorMatch]:
        documents, scores = self.documents[places].tolist(), self.scores[places].tolist()
        firsts, lasts = self.places[places].T.tolist()
        return [VectorMatch(*match) for match in zip(documents, scores, firsts, lasts, strict=True)]


class ExactMatches:
    """Compares every vector itself."""

    def __init__(self, query: bytes) -> None:
        self._query = np.frombuffer(query, dtype="<f4")
        self.is_complete = True
        self._scores: list[Floats] = []
        self._documents: list[Numbers] = []
        self._places: list[NDArray[np.int32]] = []

    def consider(self, rows: VectorRows) -> None:
        if rows.exact is None:
            # The scope grew since its vectors were counted.
            self.is_complete = False
            return
        self._scores.append(rows.exact.scores(self._query))
        self._documents.append(rows.documents)
        self._places.append(rows.exact.places)

    def best_first(self) -> RankedMatches:
        """Each document once, by its best chunk."""
        if not self._scores:
            return RankedMatches(np.empty(0, np.int64), np.empty(0, np.float32), np.empty((0, 2), np.int32))
        scores, documents = np.concatenate(self._scores), np.concatenate(self._documents)
        order = np.lexsort((documents, -scores))
        _, best = np.unique(documents[order], return_index=True)
        order = order[np.sort(best)]
        return RankedMatches(documents[order], scores[order], np.concatenate(self._places)[order])


class NearestCodes:
    """The vectors whose codes are nearest to the query, if `only` is given among these documents: first the `keep`
    whose codes differ least from that of the query, of these the nearest to the query itself."""

    def __init__(self, query: bytes, keep: int, only: Numbers | None = None) -> None:
        self._query = np.frombuffer(query, dtype="<f4")
        self._code = _codes(self._query[np.newaxis])[:, 0]
        self._keep = keep
        self._only = only
        self._distances: list[NDArray[np.uint16]] = []
        self._codes: list[Codes] = []
        self._ids: list[Numbers] = []

    def consider(self, rows: VectorRows) -> None:
        distances = self._compare(rows.codes)
        if self._only is None:
            nearest = _smallest(distances, self._keep)
        else:
            chosen = np.flatnonzero(np.isin(rows.documents, self._only))
            nearest = chosen[_smallest(distances[chosen], self._keep)]
        self._distances.append(distances[nearest])
        self._codes.append(rows.codes[:, nearest])
        self._ids.append(rows.ids[nearest])

    def ids(self, count: int) -> str:
        """The numbers of the nearest vectors, as a list in JSON."""
        if not self._ids:
            return "[]"
        kept = _smallest(np.concatenate(self._distances), self._keep)
        codes, ids = np.concatenate(self._codes, axis=1)[:, kept], np.concatenate(self._ids)[kept]
        signs = np.unpackbits(np.ascontiguousarray(codes.T).view(np.uint8), axis=1)
        nearest = np.argsort(-(signs.astype(np.float32) @ self._query), kind="stable")[:count]
        return json.dumps(ids[nearest].tolist())

    def _compare(self, codes: Codes) -> NDArray[np.uint16]:
        distances = np.empty(codes.shape[1], np.uint16)
        for start in range(0, len(distances), _CODES_AT_ONCE):
            block = distances[start : start + _CODES_AT_ONCE]
            block[:] = 0
            for column, word in zip(codes, self._code, strict=True):
                block += np.bitwise_count(column[start : start + len(block)] ^ word)
        return distances


def read_rows(rows: Sequence[StoredVector]) -> VectorRows:
    ids, documents, firsts, lasts, blobs = zip(*rows, strict=True)
    vectors = _vectors(blobs)
    exact = ExactRows(vectors, np.array([firsts, lasts], np.int32).T)
    return VectorRows(_codes(vectors["values"]), np.array(documents, np.int64), np.array(ids, np.int64), exact)


def compact_rows(vectors: Floats) -> NDArray[Any]:
    """Vectors as they are stored."""
    rows = np.empty(len(vectors), _COMPACT)
    largest = np.abs(vectors).max(axis=1)
    rows["scale"] = np.where(largest > 0, largest / 127, 1.0)
    rows["values"] = np.rint(vectors / rows["scale"][:, np.newaxis])
    return rows


def float_rows(blobs: Sequence[bytes]) -> Floats:
    """Vectors as they were before they were stored."""
    vectors = _vectors(blobs)
    floats: Floats = vectors["values"].astype(np.float32) * vectors["scale"][:, np.newaxis]
    return floats


def documents_in(ids: str | None) -> Numbers:
    return np.fromstring(ids, dtype=np.int64, sep=",") if ids else np.empty(0, np.int64)


def _vectors(blobs: Sequence[bytes]) -> NDArray[Any]:
    """As bytes with a scale. Earlier versions stored floats."""
    joined = b"".join(blobs)
    if len(joined) == len(blobs) * COMPACT_BYTES and all(len(blob) == COMPACT_BYTES for blob in blobs):
        return np.frombuffer(joined, _COMPACT)
    vectors = np.empty(len(blobs), _COMPACT)
    for place, blob in enumerate(blobs):
        if len(blob) == COMPACT_BYTES:
            vectors[place] = np.frombuffer(blob, _COMPACT)[0]
        else:
            vectors[place] = compact_rows(np.frombuffer(blob, "<f4")[np.newaxis])[0]
    return vectors


def _codes(values: NDArray[Any]) -> Codes:
    """A column of 64 bits for each 64 numbers, so that one instruction compares many vectors."""
    return np.packbits(values > 0, axis=1).view("<u8").T


def _smallest(distances: NDArray[np.uint16], count: int) -> Numbers:
    """Places of the `count` smallest; of equal ones the first. By counting, as there are few different distances."""
    if len(distances) <= count:
        return np.arange(len(distances))
    bound = int(np.searchsorted(np.cumsum(np.bincount(distances)), count))
    below = np.flatnonzero(distances < bound)
    return np.concatenate([below, np.flatnonzero(distances == bound)[: count - len(below)]])


def _empty(count: int, exact: bool) -> VectorRows:
    kept = ExactRows(np.empty(count, _COMPACT), np.empty((count, 2), np.int32)) if exact else None
    return VectorRows(np.empty((_WORDS, count), "<u8"), np.empty(count, np.int64), np.empty(count, np.int64), kept)


def _first(rows: VectorRows, count: int) -> VectorRows:
    exact = ExactRows(rows.exact.vectors[:count], rows.exact.places[:count]) if rows.exact else None
    return VectorRows(rows.codes[:, :count], rows.documents[:count], rows.ids[:count], exact)


def _copy(source: VectorRows, target: VectorRows, at: int) -> None:
    end = at + len(source.ids)
    target.codes[:, at:end] = source.codes
    target.documents[at:end] = source.documents
    target.ids[at:end] = source.ids
    if source.exact and target.exact:
        target.exact.vectors[at:end] = source.exact.vectors
        target.exact.places[at:end] = source.exact.places
