"""Texts are embedded soon, once, in the background, and never in anybody's way."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from longtable.embedding.worker import EmbeddingWorker
from longtable.kernel.logs import logger
from longtable.settings.options import Settings
from longtable.storage import leases
from longtable.storage.database import SYSTEM, Database
from longtable.vectors import queue
from tests.stores import Store
from tests.vectors.indexed_notes import IndexedNotes, at_work, until
from tests.vectors.synthetic import MadeUpModel


@pytest.fixture
def indexed(database: Database) -> IndexedNotes:
    return IndexedNotes(database)


async def test_a_text_is_found_by_meaning_soon_after_its_commit(indexed: IndexedNotes) -> None:
    async with at_work(indexed.indexer()) as indexer:
        await indexed.adds("n1", "bread and butter")
        await indexed.adds("n2", "nuts and bolts")
        indexer.wake()

        await until(lambda: _found(indexed, "butter", "n1"), within=2)
        await until(lambda: _is_done(indexed))

    assert await indexed.finds("bolts") == ["n2", "n1"]


async def test_what_waited_before_the_start_is_embedded_too(indexed: IndexedNotes) -> None:
    for number in range(70):
        await indexed.adds(f"n{number}", f"text number{number}")

    async with at_work(indexed.indexer()):
        await until(lambda: _is_done(indexed))

    assert (await indexed.finds("number33"))[0] == "n33"


async def test_a_changed_text_is_found_by_its_new_meaning_alone(indexed: IndexedNotes) -> None:
    async with at_work(indexed.indexer()) as indexer:
        await indexed.adds("n1", "bread")
        await until(lambda: _is_done(indexed))

        await indexed.removes("n1")
        gone = await indexed.finds("bread")
        await indexed.adds("n1", "circuses")
        indexer.wake()
        await until(lambda: _is_done(indexed))

    assert gone == []
    (vectors,) = await indexed.rows("SELECT COUNT(*) AS number FROM vectors")
    assert vectors["number"] == 1


async def test_a_text_that_changes_while_it_is_embedded_keeps_no_old_vector(indexed: IndexedNotes) -> None:
    class Slow(MadeUpModel):
        async def embed_documents(self, texts):  # type: ignore[no-untyped-def]  # as its parent
            if "bread" in texts:
                await indexed.removes("n1")
                await indexed.adds("n1", "circuses")
            return await super().embed_documents(texts)

    async def is_found() -> bool:
        # Not only that nothing waits: that is so for a moment while the text is being changed, too.
        return await _is_done(indexed) and await indexed.finds("circuses") == ["n1"]

    indexed.model = Slow()
    await indexed.adds("n1", "bread")

    async with at_work(indexed.indexer()):
        await until(is_found)

    (kept,) = await indexed.rows("SELECT COUNT(*) AS number FROM vectors")
    assert kept["number"] == 1


async def test_a_text_without_words_waits_no_longer_and_has_no_vectors(indexed: IndexedNotes) -> None:
    await indexed.adds("n1", "")

    async with at_work(indexed.indexer()):
        await until(lambda: _is_done(indexed))

    assert await indexed.rows("SELECT 1 AS one FROM vectors") == []


async def test_a_text_that_breaks_the_model_does_not_hold_up_the_others(indexed: IndexedNotes) -> None:
    await indexed.adds("n1", "bread")
    await indexed.adds("n2", "poison")
    await indexed.adds("n3", "butter")

    async with at_work(indexed.indexer()):
        await until(lambda: _waits_only(indexed, ["n2"]))

    assert await indexed.finds("butter") == ["n3", "n1"]


async def test_tenants_take_turns(indexed: IndexedNotes) -> None:
    for number in range(100):
        await indexed.adds(f"n{number}", f"great{number}", tenant="big")
    await indexed.adds("n1", "small", tenant="tiny")

    async with at_work(indexed.indexer()):
        await until(lambda: _is_done(indexed))

    assert isinstance(indexed.model, MadeUpModel)
    assert indexed.model.embedded.index("small") < 40


async def test_the_newest_texts_are_embedded_first(indexed: IndexedNotes) -> None:
    for number in range(40):
        await indexed.adds(f"n{number}", f"text number{number}")

    async with at_work(indexed.indexer()):
        await until(lambda: _is_done(indexed))

    assert isinstance(indexed.model, MadeUpModel)
    assert indexed.model.embedded[:16] == [f"text number{number}" for number in range(39, 23, -1)]


async def test_after_a_change_of_the_model_everything_is_embedded_anew(indexed: IndexedNotes) -> None:
    await indexed.adds("n1", "bread")
    async with at_work(indexed.indexer()):
        await until(lambda: _is_done(indexed))
    indexed.model = MadeUpModel(version="made-up@2")
    before = await indexed.finds("bread")

    async with at_work(indexed.indexer()):
        await until(lambda: _found(indexed, "bread", "n1"))

    assert before == []
    (vectors,) = await indexed.rows("SELECT COUNT(*) AS number FROM vectors")
    assert vectors["number"] == 1


async def test_a_model_that_cannot_tell_its_version_yet_is_asked_for_it(indexed: IndexedNotes) -> None:
    class Late(MadeUpModel):
        async def embed_documents(self, texts):  # type: ignore[no-untyped-def]  # as its parent
            self.version = "made-up@2"
            return await super().embed_documents(texts)

    await indexed.adds("n1", "bread")
    async with at_work(indexed.indexer()):
        await until(lambda: _is_done(indexed))
    indexed.model = Late(version=None, state="idle")

    async with at_work(indexed.indexer()):
        await until(lambda: _found(indexed, "bread", "n1"))


async def test_only_one_process_embeds_at_a_time(place: Store, indexed: IndexedNotes) -> None:
    other = IndexedNotes(await place.open(), notes=indexed.notes)
    for number in range(200):
        await indexed.adds(f"n{number}", f"text number{number}")

    async with at_work(indexed.indexer()), at_work(other.indexer()):
        await until(lambda: _is_done(indexed))

    assert isinstance(indexed.model, MadeUpModel)
    assert isinstance(other.model, MadeUpModel)
    assert len(indexed.model.embedded) + len(other.model.embedded) == 200
    assert not (indexed.model.embedded and other.model.embedded)


async def test_a_process_that_has_nothing_to_do_leaves_the_turn_to_others(indexed: IndexedNotes) -> None:
    await indexed.adds("n1", "bread")

    async with at_work(indexed.indexer()):
        await until(lambda: _is_done(indexed))

        await until(lambda: _turn_is_free(indexed), within=3)


async def test_the_turn_of_a_process_that_died_falls_to_another(indexed: IndexedNotes) -> None:
    long_ago = 1
    await indexed.database.write(SYSTEM, lambda tx: leases.claim(tx, queue.lease_of("the dead one"), long_ago))
    await indexed.adds("n1", "bread")

    async with at_work(indexed.indexer()):
        await until(lambda: _is_done(indexed))


async def test_without_a_model_texts_wait_and_nothing_is_counted(indexed: IndexedNotes) -> None:
    indexed.model = MadeUpModel(state="off", problem="It is switched off.")
    await indexed.adds("n1", "bread")

    indexer = indexed.indexer()

    assert await indexer.waiting() == 0
    assert await indexed.waiting() == ["n1"]


async def test_a_model_that_is_down_is_logged_once_however_much_is_written(
    indexed: IndexedNotes, tmp_path: Path
) -> None:
    indexed.model = EmbeddingWorker(Settings(embedding_model=tmp_path))

    # The library behind the log is loaded with its first line, which would undo what captures the lines.
    assert logger._structlog is not None
    with capture_logs() as lines:
        async with at_work(indexed.indexer()) as indexer:
            for number in range(5):
                await indexed.adds(f"n{number}", "bread")
                indexer.wake()
                await asyncio.sleep(0.05)
            await until(lambda: _has_logged(lines))

    assert [line["event"] for line in lines] == ["embedding_unavailable"]


async def test_writers_are_not_slowed_while_a_backlog_is_embedded(indexed: IndexedNotes) -> None:
    for number in range(100):
        await indexed.adds(f"n{number}", f"text number{number}")

    alone = await _seconds_to_add(indexed, "a")
    async with at_work(indexed.indexer()) as indexer:
        beside = await _seconds_to_add(indexed, "b")
        indexer.wake()
        await until(lambda: _is_done(indexed))

    assert beside < 5 * alone + 0.25


async def _seconds_to_add(indexed: IndexedNotes, prefix: str) -> float:
    """The median, so that one hiccup of the machine does not count."""
    taken = []
    for number in range(30):
        began = time.perf_counter()
        await indexed.adds(f"{prefix}{number}", f"more {prefix}{number}")
        taken.append(time.perf_counter() - began)
        await asyncio.sleep(0)
    return sorted(taken)[15]


async def _is_done(indexed: IndexedNotes) -> bool:
    return not await indexed.waiting()


async def _has_logged(lines: Sequence[Any]) -> bool:
    return bool(lines)


async def _turn_is_free(indexed: IndexedNotes) -> bool:
    return not await indexed.rows("SELECT holder FROM embedding_turns")


async def _waits_only(indexed: IndexedNotes, refs: list[str]) -> bool:
    return await indexed.waiting() == refs


async def _found(indexed: IndexedNotes, words: str, ref: str) -> bool:
    return (await indexed.finds(words))[:1] == [ref]
