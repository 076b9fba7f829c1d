"""A server that dies while it embeds: when it is back, every text has its vectors, and no vector an older text."""

import asyncio
import json
import struct
from array import array
from pathlib import Path
from typing import Any

import pytest

from longtable.embedding.embedder import DIMENSIONS
from longtable.embedding.worker import EmbeddingWorker
from longtable.settings.options import Settings
from tests.e2e.crashes import rows_of
from tests.e2e.servers import Processes, Server, place_of
from tests.e2e.wire import Wire, wire_to
from tests.schemas import PostgresLogin, administer
from tests.stores import Store
from tests.vectors.conftest import WITH_VECTORS
from tests.vectors.indexed_notes import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

SESSION = (("X-Session-ID", "embedding_crash"), ("X-Caller-Agent", "ann"))
TEXTS = 200
WORDS = ("harbour", "violin", "glacier", "tax return", "sourdough", "telescope", "beehive")
SAID = {
    "sqlite": "vector",
    "postgresql": "CAST(vector AS TEXT)",
}


@pytest.fixture
async def place(store: Store, login: PostgresLogin | None) -> Store:
    if login is not None:
        await administer(login.admin_url, WITH_VECTORS)
    return store


async def test_a_kill_amid_embedding_leaves_nothing_unembedded_and_nothing_stale(
    processes: Processes, place: Store, tmp_path: Path
) -> None:
    options = {**place_of(place, tmp_path), "enable_semantic_search": "true"}
    server = processes.serve(options)
    await _open_session(server)
    async with wire_to(server.address, *SESSION) as wire:
        await _write(wire, "first")
        await until(lambda: _count(place, "SELECT COUNT(*) FROM vectors", at_least=20), within=60)
        await _write(wire, "second", only=10)
    server.kill()
    left = await _count(place, "SELECT COUNT(*) FROM documents WHERE embedded IS NULL")

    processes.serve(options)
    await until(lambda: _is_done(place), within=90)

    assert left > 0
    await _check_vectors(place)


async def test_reindex_makes_words_and_vectors_anew(processes: Processes, place: Store, tmp_path: Path) -> None:
    options = {**place_of(place, tmp_path), "enable_semantic_search": "true"}
    server = processes.serve(options)
    await _open_session(server)
    async with wire_to(server.address, *SESSION) as wire:
        await _write(wire, "first", only=12)
    server.stop()

    ran = await asyncio.to_thread(processes.run, "reindex", "--all", "--json", options=options)

    assert json.loads(ran.stdout) == {"ok": True, "tenants": 1, "texts": 12, "degraded": None}, ran.stderr
    assert await _is_done(place)
    await _check_vectors(place)


async def _open_session(server: Server) -> None:
    async with wire_to(server.address) as wire:
        await wire.calls("create_session", session_id="embedding_crash")


async def _write(wire: Wire, when: str, only: int = TEXTS) -> None:
    for number in range(only):
        word = WORDS[(number + len(when)) % len(WORDS)]
        content = f"The {when} word about number {number} is {word}."
        await wire.calls("write_draft_section", section_id=f"s{number}", content=content)


async def _is_done(place: Store) -> bool:
    return not await _count(place, "SELECT COUNT(*) FROM documents WHERE embedded IS NULL")


async def _count(place: Store, sql: str, at_least: int = 0) -> int:
    """Zero if there are fewer than `at_least`."""
    async with rows_of(place) as rows:
        ((number,),) = await rows(sql)
    return int(number) if number >= at_least else 0


async def _check_vectors(place: Store) -> None:
    """One vector for each section, and that of the text which stands there now."""
    async with rows_of(place) as rows:
        texts: dict[str, str] = dict(
            await rows(
                """SELECT sections.section_id, sections.title || '
' || content FROM sections JOIN section_versions
                       ON section_versions.section_id = sections.section_id
                       AND section_versions.version = sections.version"""
            )
        )
        kept = await rows(
            f"""SELECT ref, {SAID[place.kind]} FROM vectors LEFT JOIN documents
                    ON documents.document_id = vectors.document_id"""
        )
    assert sorted(ref for ref, _ in kept) == sorted(texts)
    worker = EmbeddingWorker(Settings())
    made = await worker.embed_documents([texts[ref] for ref, _ in kept])
    await worker.close()
    for (ref, vector), chunks in zip(kept, made, strict=True):
        assert _cosine(_floats(vector), _floats(chunks[0].vector)) > 0.999, ref


def _floats(vector: Any) -> list[float]:
    """As the model makes them, as SQLite keeps them (a scale, and a byte for each), or as PostgreSQL shows them."""
    if not isinstance(vector, bytes):
        return [float(value) for value in json.loads(vector)]
    if len(vector) % DIMENSIONS == 0:
        return list(array("f", vector))
    (scale,) = struct.unpack_from("<f", vector)
    return [scale * value for value in array("b", vector[4:])]


def _cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
