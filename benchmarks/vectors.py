"""Vectors in bulk: real ones spread out, so that near ones are near and far ones far, as with real texts."""

import ast
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from longtable.storage.database import Transaction
from longtable.vectors.matrix import compact_rows, float_rows

DIMENSIONS = 384
_SPREAD = 0.6
Floats = NDArray[np.float32]


class BenchmarkVectors:
    """Each made-up vector lies between two real ones, with some noise."""

    def __init__(self, real: Sequence[bytes]) -> None:
        self._real = np.array([np.frombuffer(vector, "<f4") for vector in real])
        self._chance = np.random.default_rng(1)

    def make(self, count: int) -> Floats:
        one, other = (self._real[self._chance.integers(0, len(self._real), count)] for _ in range(2))
        share = self._chance.random((count, 1), dtype=np.float32)
        noise = self._chance.standard_normal((count, DIMENSIONS), dtype=np.float32) / DIMENSIONS**0.5
        vectors: Floats = share * one + (1 - share) * other + _SPREAD * noise
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    async def embed(self, tx: Transaction, tenant: str, embedder: int) -> Floats:
        """Gives every document of a tenant that waits a vector; in SYSTEM scope, on SQLite."""
        rows = await tx.all(
            """SELECT document_id, session_id FROM documents
               WHERE tenant = :tenant AND embedded IS NULL ORDER BY document_id""",
            tenant=tenant,
        )
        made = self.make(len(rows))
        await tx.execute_many(
            """INSERT INTO vectors (tenant, session_id, document_id, embedder, part, first, last, vector)
               VALUES (:tenant, :session_id, :document_id, :embedder, 0, 0, 60, :vector)""",
            [
                {"tenant": tenant, "embedder": embedder, "vector": vector.tobytes(), **row}
                for row, vector in zip(rows, compact_rows(made), strict=True)
            ],
        )
        await tx.execute(
            "UPDATE documents SET embedded = :embedder WHERE tenant = :tenant AND embedded IS NULL",
            embedder=embedder,
            tenant=tenant,
        )
        return made


class Nearest10:
    """The ten nearest to each query, among vectors that are shown a part at a time."""

    def __init__(self, queries: Floats) -> None:
        self.queries = queries
        self._scores = np.full((len(queries), 10), -2.0, np.float32)
        self._documents = np.zeros((len(queries), 10), np.int64)

    def consider(self, vectors: Floats, documents: NDArray[np.int64]) -> None:
        scores = np.hstack([self._scores, self.queries @ vectors.T])
        numbers = np.hstack([self._documents, np.broadcast_to(documents, (len(self.queries), len(documents)))])
        best = np.argpartition(-scores, 9, axis=1)[:, :10]
        self._scores, self._documents = np.take_along_axis(scores, best, 1), np.take_along_axis(numbers, best, 1)

    def of_query(self, place: int) -> set[int]:
        return {int(number) for number in self._documents[place]}


async def vectors_of(tx: Transaction) -> tuple[Floats, NDArray[np.int64], str]:
    """All of a tenant, their documents, and their scope."""
    rows = await tx.all("SELECT document_id, vector, session_id FROM vectors WHERE tenant = :tenant")
    documents = np.array([row["document_id"] for row in rows], np.int64)
    return float_rows([row["vector"] for row in rows]), documents, rows[0]["session_id"]


def real_texts(count: int) -> list[str]:
    """Paragraphs that people wrote: the documentation of Python's own library."""
    found: dict[str, None] = {}
    for text in _paragraphs(Path(sysconfig.get_path("stdlib"))):
        found[text] = None
        if len(found) == count:
            break
    return list(found)


def _paragraphs(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("*/*.py")) + sorted(folder.glob("*.py")):
        try:
            tree = ast.parse(path.read_text(errors="ignore"))
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                paragraphs = (" ".join(part.split()) for part in (ast.get_docstring(node) or "").split("\n\n"))
                yield from (part for part in paragraphs if 50 <= len(part) <= 300)
