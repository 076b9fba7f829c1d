"""Search by meaning at size: how long a hybrid search takes, whether it finds the nearest, and what vectors cost."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.growth_store import bytes_on_disk
from benchmarks.measure import Effort, Goal, Measure, Timings, percentile
from benchmarks.serve_longtable import settings_for
from benchmarks.vectors import BenchmarkVectors, Nearest10, vectors_of
from longtable.app import App, open_for_operator
from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Caller, Role, Surface
from longtable.storage.database import SYSTEM
from longtable.toolkit.dispatch import Invocation
from longtable.vectors.ports import TextEmbedder
from longtable.vectors.query import Candidates, VectorQuery
from longtable.vectors.scan import ScanEngine
from longtable.vectors.store import VectorStore

GOAL = Goal(100.0)
TENANTS = 20
CELLS_IN_A_PAD = 500
QUERIES = 60
EVERYTHING = Candidates(
    "SELECT document_id FROM documents WHERE tenant = :tenant",
    {},
    """SELECT document_id FROM documents NOT INDEXED
       WHERE tenant = :tenant AND document_id IN (SELECT value FROM json_each(:among))""",
)
WORDS = [
    *("harbour", "violin", "glacier", "ledger", "sourdough", "telescope", "beehive", "lantern", "orchard", "turbine"),
    *("mosaic", "compass", "quarry", "saddle", "anchor", "kettle", "meadow", "prism", "walnut", "ferry"),
]
VOCABULARY = [*WORDS, *(one + other for one in WORDS for other in WORDS)]
WEIGHTS = [1 / (rank + 10) for rank, _ in enumerate(VOCABULARY)]
"""Some words are in every sixth text, most in one of a hundred: nearly as in real ones."""

QUESTIONS = ["where do ships wait", "an instrument with strings", "ERR-42 in the ledger", "how to bake", "far stars"]


@dataclass(frozen=True, slots=True)
class Filled:
    """`disk_bytes` is what the vectors take, with their indexes."""

    cells: int
    embedding_ms: float
    disk_bytes: int


def measure_search(folder: Path, effort: Effort) -> list[Measure]:
    return asyncio.run(_measure(folder / "search" / "data", effort))


async def _measure(data_dir: Path, effort: Effort) -> list[Measure]:
    cells, real = (100_000, 2_000) if effort.name == "full" else (effort.part_of(4_000), effort.part_of(100))
    # Without jobs: no other process embeds what is filled in here.
    async with open_for_operator(settings_for(data_dir)) as app:
        worker = app.slices.meaning.worker
        filled = await _fill(app, worker, cells, real)
        group = f"Search, {cells:,} cells in {TENANTS} tenants"
        return [
            Measure(group, "embedding a text", filled.embedding_ms, "ms"),
            *[await _search(app, group, mode) for mode in ("keyword", "semantic", "hybrid")],
            *await _recall(app, group),
            Measure(group, "disk, vectors alone", filled.disk_bytes / 1e6, "MB"),
        ]


async def _fill(app: App, worker: TextEmbedder, cells: int, real: int) -> Filled:
    """Cells by the tools, and vectors made up from those of some real texts."""
    chance = random.Random(1)
    for tenant in range(TENANTS):
        for pad in range(max(1, cells // TENANTS // CELLS_IN_A_PAD)):
            some = [
                {"language": "md", "content": _text(chance), "validate": False}
                for _ in range(min(CELLS_IN_A_PAD, cells // TENANTS))
            ]
            await _call(app, f"tenant{tenant}", "scratch_create", {"scratch_id": f"pad{pad}", "cells": some})
    await app.slices.words.index_all()
    texts = [_text(chance) for _ in range(real)]
    await worker.embed_documents(texts[:1])
    began = time.perf_counter()
    vectors = [chunks[0].vector for chunks in await worker.embed_documents(texts)]
    took = (time.perf_counter() - began) * 1_000 / real
    assert worker.version is not None
    store = VectorStore(app.database)
    embedder = await store.register(worker.version)
    crowd = BenchmarkVectors(vectors)
    before = await app.database.read(SYSTEM, bytes_on_disk)
    for tenant in range(TENANTS):
        await app.database.write(SYSTEM, partial(crowd.embed, tenant=f"tenant{tenant}", embedder=embedder))
    return Filled(cells, took, await app.database.read(SYSTEM, bytes_on_disk) - before)


def _text(chance: random.Random) -> str:
    return " ".join(chance.choices(VOCABULARY, WEIGHTS, k=12))


async def _search(app: App, group: str, mode: str) -> Measure:
    async def once(number: int) -> None:
        question = f"{QUESTIONS[number % len(QUESTIONS)]} {VOCABULARY[7 * number % len(VOCABULARY)]}"
        arguments = {"query": question, "mode": mode, "limit": 10}
        await _call(app, f"tenant{number % TENANTS}", "scratch_search", arguments)

    taken = await _taken(once, warm=TENANTS)
    p95 = percentile(taken.latencies, 0.95)
    if mode == "hybrid":
        return Measure(group, "scratch_search, hybrid, p95", p95, "ms", goal=GOAL, cpu_ms=taken.cpu_ms)
    return Measure(group, f"scratch_search, {mode}", median(taken.latencies), "ms", p95=p95, cpu_ms=taken.cpu_ms)


async def _recall(app: App, group: str) -> list[Measure]:
    """Of the ten nearest, compared with every vector of the tenant."""
    engine = ScanEngine(app.database)
    embedder = await _embedder(app)
    shares = []
    for number in range(QUERIES):
        tenant = f"tenant{number % TENANTS}"
        vectors, documents, scope = await app.database.read(tenant, vectors_of)
        query = vectors[number % len(vectors)]
        found = await engine.find(VectorQuery(tenant, [scope], embedder, query.tobytes(), EVERYTHING, 10))
        truth = Nearest10(query[np.newaxis])
        truth.consider(vectors, documents)
        shares.append(len({near.document_id for near in found} & truth.of_query(0)) / min(10, len(documents)))
    return [
        Measure(group, "recall of the 10 nearest", sum(shares) / len(shares), "", goal=Goal(0.95, at_most=False)),
        Measure(group, "memory, all tenants in use", engine.bytes_used / 1e6, "MB"),
    ]


async def _taken(once: Callable[[int], Awaitable[None]], warm: int) -> Timings:
    for number in range(warm):
        await once(number)
    taken = Timings()
    with taken.counting():
        for number in range(QUERIES):
            began = time.perf_counter()
            await once(number)
            taken.latencies.append((time.perf_counter() - began) * 1_000)
    return taken


async def _call(app: App, tenant: str, name: str, arguments: dict[str, object]) -> None:
    caller = Caller(tenant, Role.LOCAL, "benchmark", "generic", Surface.HTTP)
    outcome = await app.dispatcher.call(Invocation(name, arguments, caller, CurrentSession(lasting=False)))
    if outcome.error is not None:
        raise RuntimeError(f"{name}: {outcome.error.message}")


async def _embedder(app: App) -> int:
    row = await app.database.read(SYSTEM, lambda tx: tx.first("SELECT MAX(embedder) AS embedder FROM embedders"))
    assert row is not None
    return int(row["embedder"])
