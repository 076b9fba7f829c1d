"""Vectors in bulk: real ones spread out, so that near ones are near and far ones far, as with real texts."""

import os
import time
from collections.abc import Sequence

from longtable.storage.database import Transaction

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from longtable.vectors.matrix import TopMatches, VectorRows

DIMENSIONS = 384
_SPREAD = 0.6
Row = tuple[int, bytes, str]
"""The number of a document, its vector and its scope."""


class Crowd:
    """Each made-up vector lies between two real ones, with some noise."""

    def __init__(self, real: Sequence[bytes]) -> None:
        self._real = np.array([np.frombuffer(vector, "<f4") for vector in real])
        self._chance = np.random.default_rng(1)

    def make(self, count: int) -> list[bytes]:
        one, other = (self._real[self._chance.integers(0, len(self._real), count)] for _ in range(2))
        share = self._chance.random((count, 1), dtype=np.float32)
        noise = self._chance.standard_normal((count, DIMENSIONS), dtype=np.float32) / DIMENSIONS**0.5
        vectors = share * one + (1 - share) * other + _SPREAD * noise
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return [row.astype("<f4").tobytes() for row in vectors]

    async def embed(self, tx: Transaction, tenant: str, embedder: int) -> None:
        """Gives every document of a tenant that waits a vector; in SYSTEM scope, on SQLite."""
        rows = await tx.all(
            "SELECT document_id, session_id FROM documents WHERE tenant = :tenant AND embedded IS NULL", tenant=tenant
        )
        await tx.execute_many(
            """INSERT INTO vectors (tenant, session_id, document_id, embedder, part, first, last, vector)
               VALUES (:tenant, :session_id, :document_id, :embedder, 0, 0, 60, :vector)""",
            [
                {"tenant": tenant, "embedder": embedder, "vector": vector, **row}
                for row, vector in zip(rows, self.make(len(rows)), strict=True)
            ],
        )
        await tx.execute(
            "UPDATE documents SET embedded = :embedder WHERE tenant = :tenant AND embedded IS NULL",
            embedder=embedder,
            tenant=tenant,
        )

    @staticmethod
    def nearest(query: bytes, rows: Sequence[Row], count: int) -> set[int]:
        vectors = np.array([np.frombuffer(vector, "<f4") for _, vector, _ in rows])
        best = np.argsort(-(vectors @ np.frombuffer(query, "<f4")), kind="stable")[:count]
        return {rows[place][0] for place in best}

    @staticmethod
    def scan_milliseconds(count: int) -> float:
        """To compare a query with so many vectors in memory, the best of a few times."""
        chance = np.random.default_rng(2)
        vectors = chance.standard_normal((count, DIMENSIONS), dtype=np.float32)
        part = VectorRows(vectors, np.arange(count), np.zeros((count, 2), np.int32))
        ids = ",".join(map(str, range(count)))
        query = vectors[0].tobytes()
        taken = []
        for _ in range(5):
            began = time.perf_counter()
            best = TopMatches(query, ids, 10)
            best.consider(part)
            best.documents()
            taken.append((time.perf_counter() - began) * 1_000)
        return min(taken)


async def rows_of(tx: Transaction) -> list[Row]:
    rows = await tx.all("SELECT document_id, vector, session_id FROM vectors WHERE tenant = :tenant")
    return [(row["document_id"], row["vector"], row["session_id"]) for row in rows]
