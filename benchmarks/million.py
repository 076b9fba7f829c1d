"""A million vectors in the embedded store: how long a search takes, what it finds, and what it keeps in memory."""

import asyncio
import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.growth_store import bytes_on_disk
from benchmarks.measure import Effort, Goal, Measure, Timings
from benchmarks.serve_longtable import settings_for
from benchmarks.vectors import BenchmarkVectors, Nearest10, real_texts
from longtable.app import App, open_for_operator
from longtable.storage.database import SYSTEM, Transaction
from longtable.vectors.query import Candidates, VectorQuery
from longtable.vectors.scan import ScanEngine
from longtable.vectors.store import VectorStore

MILLION = 1_000_000
REAL = 3_000
QUERIES = 100
_AT_ONCE = 20_000
_TENANT, _SCOPE = "acme", "sess_large"
EVERYTHING = Candidates(
    "SELECT document_id FROM documents WHERE tenant = :tenant",
    {},
    """SELECT document_id FROM documents NOT INDEXED
       WHERE tenant = :tenant AND document_id IN (SELECT value FROM json_each(:among))""",
)
_DOCUMENTS = """
INSERT INTO documents (tenant, kind, session_id, ref)
WITH RECURSIVE numbers(number) AS (SELECT :first UNION ALL SELECT number + 1 FROM numbers WHERE number < :last)
SELECT :tenant, 'note', :scope, 'n' || number FROM numbers"""


def measure_vectors(folder: Path, effort: Effort) -> list[Measure]:
    return asyncio.run(_measure(folder / "vectors" / "data", effort))


async def _measure(data_dir: Path, effort: Effort) -> list[Measure]:
    count = MILLION if effort.name == "full" else effort.part_of(100_000)
    real, queries = (REAL, QUERIES) if effort.name == "full" else (effort.part_of(400), effort.part_of(50))
    # Without jobs: no other process embeds what is filled in here.
    async with open_for_operator(settings_for(data_dir)) as app:
        worker = app.slices.meaning.worker
        vectors = [chunks[0].vector for chunks in await worker.embed_documents(real_texts(real + queries))]
        assert worker.version is not None
        embedder = await VectorStore(app.database).register(worker.version)
        truth = Nearest10(np.array([np.frombuffer(vector, "<f4") for vector in vectors[:queries]]))
        await _fill(app, BenchmarkVectors(vectors[queries:]), embedder, truth, count)
        return await _searches(app, f"Vectors, {count:,} in a session", embedder, truth)


async def _fill(app: App, crowd: BenchmarkVectors, embedder: int, truth: Nearest10, count: int) -> None:
    for start in range(0, count, _AT_ONCE):
        last = min(start + _AT_ONCE, count)

        async def body(tx: Transaction, first: int = start + 1, last: int = last) -> None:
            await tx.execute(_DOCUMENTS, tenant=_TENANT, scope=_SCOPE, first=first, last=last)
            rows = await tx.all(
                "SELECT document_id FROM documents WHERE tenant = :tenant AND embedded IS NULL ORDER BY document_id",
                tenant=_TENANT,
            )
            made = await crowd.embed(tx, _TENANT, embedder)
            truth.consider(made, np.array([row["document_id"] for row in rows], np.int64))

        await app.database.write(SYSTEM, body)


async def _searches(app: App, group: str, embedder: int, truth: Nearest10) -> list[Measure]:
    engine, before = ScanEngine(app.database), _memory()
    searches = [VectorQuery(_TENANT, [_SCOPE], embedder, query.tobytes(), EVERYTHING, 10) for query in truth.queries]
    began = time.perf_counter()
    await engine.find(searches[0])
    loaded = time.perf_counter() - began
    taken, shares = Timings(), []
    for place, search in enumerate(searches):
        began = time.perf_counter()
        with taken.counting():
            found = {match.document_id for match in await engine.find(search)}
        taken.latencies.append((time.perf_counter() - began) * 1_000)
        shares.append(len(found & truth.of_query(place)) / 10)
    disk = await app.database.read(SYSTEM, bytes_on_disk)
    return [
        *taken.rows(group, "a search", Goal(150.0)),
        Measure(group, "recall of the 10 nearest", _mean(shares), "", goal=Goal(0.95, at_most=False)),
        Measure(group, "memory of the vectors", (_memory() - before) / 1e6, "MB", goal=Goal(600.0)),
        Measure(group, "the first search, which reads them", loaded * 1_000, "ms"),
        Measure(group, "disk, all of the store", disk / 1e6, "MB"),
    ]


def _mean(shares: Sequence[float]) -> float:
    return sum(shares) / len(shares)


def _memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
