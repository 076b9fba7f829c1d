"""The worker: another process computes, is loaded at the first need, and comes back after a crash."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import uvloop
from structlog.testing import capture_logs

from longtable.embedding.embedder import Embedder
from longtable.embedding.files import model_files
from longtable.embedding.worker import EmbeddingWorker
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import SearchUnavailable, ShuttingDown
from longtable.kernel.logs import logger
from longtable.settings.options import Settings

LONG = "The planner splits the work into tasks and writes each of them to the table. " * 200


async def loaded(worker: EmbeddingWorker) -> EmbeddingWorker:
    await worker.embed_documents([""])
    return worker


async def test_the_first_query_begins_to_load_and_does_not_wait(worker: EmbeddingWorker) -> None:
    states = [worker.state]

    assert await worker.embed_query("how are agents told?") is None

    states.append(worker.state)
    await loaded(worker)
    assert [*states, worker.state] == ["idle", "loading", "ready"]
    assert worker.version == "all-MiniLM-L6-v2/int8@8199be6f699a"


async def test_a_query_has_the_vector_that_the_model_gives_it(worker: EmbeddingWorker, embedder: Embedder) -> None:
    await loaded(worker)

    vector = await worker.embed_query("how are agents told?")

    assert vector == embedder.embed(["how are agents told?"]).astype("<f4").tobytes()


async def test_documents_come_back_as_chunks_with_their_vectors(worker: EmbeddingWorker, embedder: Embedder) -> None:
    text = LONG[:5_000]

    short, long = await worker.embed_documents(["A short note.", text])

    assert [(chunk.first, chunk.last) for chunk in short] == [(0, 13)]
    assert [(chunk.first, chunk.last) for chunk in long] == [(one.start, one.end) for one in embedder.chunks(text)]
    for chunk in long:
        again = embedder.embed([text[chunk.first : chunk.last]])[0]
        assert np.frombuffer(chunk.vector, "<f4") @ again >= 0.9999


async def test_a_query_does_not_wait_for_documents(worker: EmbeddingWorker) -> None:
    await loaded(worker)
    documents = asyncio.create_task(worker.embed_documents([LONG[:5_000]]))
    await asyncio.sleep(0)

    assert await worker.embed_query("first, please") is not None

    assert not documents.done()
    await documents


async def test_a_query_asked_before_is_answered_without_the_model(worker: EmbeddingWorker) -> None:
    await loaded(worker)
    first = await worker.embed_query("asked twice")
    stop(worker)

    assert await worker.embed_query("asked twice") == first


@pytest.mark.slow
async def test_a_crash_is_made_good_for_whoever_waits(worker: EmbeddingWorker) -> None:
    await loaded(worker)
    crashed = worker.pid
    stop(worker)

    vector = await worker.embed_query("after the crash")

    assert vector is not None
    assert worker.state == "ready"
    assert worker.pid != crashed


@pytest.mark.slow
def test_a_crash_while_nobody_asks_is_made_good_on_the_loop_of_the_server() -> None:
    async def crashed_and_asked() -> bytes | None:
        worker = await loaded(EmbeddingWorker(Settings()))
        pid = worker.pid
        stop(worker)
        await asyncio.to_thread(wait_until_gone, pid)
        try:
            return await worker.embed_query("after the crash")
        finally:
            await worker.close()

    vector = uvloop.run(asyncio.wait_for(crashed_and_asked(), 30))

    assert vector is not None


@pytest.mark.slow
async def test_a_text_that_breaks_the_model_again_and_again_is_refused_alone(worker: EmbeddingWorker) -> None:
    await loaded(worker)
    documents = asyncio.create_task(worker.embed_documents([LONG]))

    with pytest.raises(SearchUnavailable, match="broke down on this text"):
        await asyncio.wait_for(stop_until_refused(worker, documents), 40)

    assert await worker.embed_documents(["Others go on."])


async def test_switched_off_it_says_how_to_switch_it_on() -> None:
    worker = EmbeddingWorker(Settings(enable_semantic_search=False))

    assert await worker.embed_query("anything") is None
    assert worker.state == "off"
    with pytest.raises(SearchUnavailable, match="enable_semantic_search"):
        await worker.embed_documents(["anything"])


async def test_without_a_model_it_fails_at_once_and_says_what_is_missing(tmp_path: Path) -> None:
    worker = EmbeddingWorker(Settings(embedding_model=tmp_path))

    assert await worker.embed_query("anything") is None
    assert worker.state == "failed"
    assert (worker.problem or "").startswith("model.onnx is missing")
    with pytest.raises(SearchUnavailable, match=r"model\.onnx is missing"):
        await worker.embed_documents(["anything"])


async def test_a_model_that_cannot_be_read_fails_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"no model")
    (tmp_path / "tokenizer.json").write_text("{}")
    worker = EmbeddingWorker(Settings(embedding_model=tmp_path))

    with pytest.raises(SearchUnavailable, match="cannot be used"):
        await worker.embed_documents(["anything"])

    assert worker.state == "failed"
    await worker.close()


async def test_a_model_that_is_down_is_logged_once_and_again_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longtable.embedding.worker._RETRY_SECONDS", 0.0)
    worker = EmbeddingWorker(Settings(embedding_model=tmp_path))

    # The library behind the log is loaded with its first line, which would undo what captures the lines.
    assert logger._structlog is not None
    with capture_logs() as lines:
        for _ in range(3):
            await worker.embed_query("anything")
        put_model(tmp_path)
        await loaded(worker)
        await worker.close()
        async with asyncio.timeout(5):
            while len(lines) < 2:  # noqa: ASYNC110 - lines are written by another thread
                await asyncio.sleep(0.01)

    assert [line["event"] for line in lines] == ["embedding_unavailable", "embedding_available"]


async def test_a_model_that_nobody_needs_for_a_while_gives_its_memory_back(embedder: Embedder) -> None:
    worker = await loaded(EmbeddingWorker(Settings(embedding_idle=SECOND // 5)))
    pid, occupied = worker.pid, worker.memory_bytes

    await asyncio.wait_for(asyncio.to_thread(wait_until_gone, pid), 10)
    async with asyncio.timeout(5):
        while worker.state != "idle":  # noqa: ASYNC110 - what is waited for sets no event
            await asyncio.sleep(0.01)
    without = worker.memory_bytes
    vector = await worker.embed_query("needed again")
    await worker.close()

    assert (occupied > 50_000_000, without) == (True, 0)
    assert vector is not None
    assert np.frombuffer(vector, "<f4") == pytest.approx(embedder.embed(["needed again"])[0], abs=1e-6)


async def test_another_model_is_taken_from_its_folder_and_has_another_version(tmp_path: Path) -> None:
    put_model(tmp_path)
    worker = EmbeddingWorker(Settings(embedding_model=tmp_path))
    before = worker.version

    assert len(await worker.embed_documents(["anything"])) == 1

    after = worker.version
    assert before is None
    assert after is not None
    assert after.startswith(f"{tmp_path.name}@")
    await worker.close()


async def test_at_the_end_the_process_ends_and_whoever_waits_is_told(worker: EmbeddingWorker) -> None:
    await loaded(worker)
    pid = worker.pid or 0
    waiting = [asyncio.create_task(worker.embed_documents([LONG])) for _ in range(3)]
    await worker.embed_query("let the others begin")

    await worker.close()

    ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(error) for error in ended] == [ShuttingDown] * 3
    assert worker.state == "off"
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


PARENT = """
import asyncio, os, sys
from longtable.embedding.worker import EmbeddingWorker
from longtable.settings.options import Settings

async def main():
    worker = EmbeddingWorker(Settings())
    await worker.embed_documents(["A text."])
    heavy = {"numpy", "onnxruntime", "tokenizers"} & set(sys.modules)
    os.write(1, f"{sorted(heavy)}".encode())
    os.kill(os.getpid(), 9)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_the_server_never_loads_the_libraries_and_its_death_ends_the_process() -> None:
    """Whoever reads to the end of this pipe has seen both end: the child holds the other end of standard error too."""
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    said, errors = parent.communicate(timeout=20)

    assert parent.returncode == -signal.SIGKILL, errors
    assert said == "[]"


def put_model(folder: Path) -> None:
    files = model_files(None)
    assert files.model is not None
    (folder / "model.onnx").symlink_to(files.model)
    (folder / "tokenizer.json").symlink_to(files.tokenizer)


def stop(worker: EmbeddingWorker) -> None:
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)


def wait_until_gone(pid: int | None) -> None:
    assert pid is not None
    with contextlib.suppress(ProcessLookupError):
        while True:
            os.kill(pid, 0)
            time.sleep(0.01)


async def stop_until_refused(worker: EmbeddingWorker, documents: "asyncio.Task[object]") -> object:
    """As a text would that ends every process that reads it."""
    stopped = None
    while not documents.done():
        if worker.pid not in (None, stopped):
            stopped = worker.pid
            stop(worker)
        await asyncio.sleep(0.01)
    return await documents
