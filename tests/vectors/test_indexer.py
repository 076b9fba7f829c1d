"""Texts are embedded soon, once, in the background, and never in anybody's way."""

import asyncio
import time

import pytest

from longtable.storage.database import SYSTEM, Database
from longtable.vectors import queue
from tests.stores import Store
from tests.vectors.desk import Desk, at_work, until
from tests.vectors.synthetic import MadeUpModel


@pytest.fixture
def desk(database: Database) -> Desk:
    return Desk(database)


async def test_a_text_is_found_by_meaning_soon_after_its_commit(desk: Desk) -> None:
    async with at_work(desk.indexer()) as indexer:
        await desk.adds("n1", "bread and butter")
        await desk.adds("n2", "nuts and bolts")
        indexer.wake()

        await until(lambda: _found(desk, "butter", "n1"), within=2)

    assert await desk.finds("bolts") == ["n2", "n1"]


async def test_what_waited_before_the_start_is_embedded_too(desk: Desk) -> None:
    for number in range(70):
        await desk.adds(f"n{number}", f"text number{number}")

    async with at_work(desk.indexer()):
        await until(lambda: _is_done(desk))

    assert (await desk.finds("number33"))[0] == "n33"


async def test_a_changed_text_is_found_by_its_new_meaning_alone(desk: Desk) -> None:
    async with at_work(desk.indexer()) as indexer:
        await desk.adds("n1", "bread")
        await until(lambda: _is_done(desk))

        await desk.removes("n1")
        gone = await desk.finds("bread")
        await desk.adds("n1", "circuses")
        indexer.wake()
        await until(lambda: _is_done(desk))

    assert gone == []
    (vectors,) = await desk.rows("SELECT COUNT(*) AS number FROM vectors")
    assert vectors["number"] == 1


async def test_a_text_that_changes_while_it_is_embedded_keeps_no_old_vector(desk: Desk) -> None:
    class Slow(MadeUpModel):
        async def embed_documents(self, texts):  # type: ignore[no-untyped-def]  # as its parent
            if "bread" in texts:
                await desk.removes("n1")
                await desk.adds("n1", "circuses")
            return await super().embed_documents(texts)

    async def is_found() -> bool:
        # Not only that nothing waits: that is so for a moment while the text is being changed, too.
        return await _is_done(desk) and await desk.finds("circuses") == ["n1"]

    desk.model = Slow()
    await desk.adds("n1", "bread")

    async with at_work(desk.indexer()):
        await until(is_found)

    (kept,) = await desk.rows("SELECT COUNT(*) AS number FROM vectors")
    assert kept["number"] == 1


async def test_a_text_without_words_waits_no_longer_and_has_no_vectors(desk: Desk) -> None:
    await desk.adds("n1", "")

    async with at_work(desk.indexer()):
        await until(lambda: _is_done(desk))

    assert await desk.rows("SELECT 1 AS one FROM vectors") == []


async def test_a_text_that_breaks_the_model_does_not_hold_up_the_others(desk: Desk) -> None:
    await desk.adds("n1", "bread")
    await desk.adds("n2", "poison")
    await desk.adds("n3", "butter")

    async with at_work(desk.indexer()):
        await until(lambda: _waits_only(desk, ["n2"]))

    assert await desk.finds("butter") == ["n3", "n1"]


async def test_tenants_take_turns(desk: Desk) -> None:
    for number in range(100):
        await desk.adds(f"n{number}", f"great{number}", tenant="big")
    await desk.adds("n1", "small", tenant="tiny")

    async with at_work(desk.indexer()):
        await until(lambda: _is_done(desk))

    assert isinstance(desk.model, MadeUpModel)
    assert desk.model.embedded.index("small") < 40
    assert desk.model.embedded[0] == "great0"


async def test_after_a_change_of_the_model_everything_is_embedded_anew(desk: Desk) -> None:
    await desk.adds("n1", "bread")
    async with at_work(desk.indexer()):
        await until(lambda: _is_done(desk))
    desk.model = MadeUpModel(version="made-up@2")
    before = await desk.finds("bread")

    async with at_work(desk.indexer()):
        await until(lambda: _found(desk, "bread", "n1"))

    assert before == []
    (vectors,) = await desk.rows("SELECT COUNT(*) AS number FROM vectors")
    assert vectors["number"] == 1


async def test_a_model_that_cannot_tell_its_version_yet_is_asked_for_it(desk: Desk) -> None:
    class Late(MadeUpModel):
        async def embed_documents(self, texts):  # type: ignore[no-untyped-def]  # as its parent
            self.version = "made-up@2"
            return await super().embed_documents(texts)

    await desk.adds("n1", "bread")
    async with at_work(desk.indexer()):
        await until(lambda: _is_done(desk))
    desk.model = Late(version=None, state="idle")

    async with at_work(desk.indexer()):
        await until(lambda: _found(desk, "bread", "n1"))


async def test_only_one_process_embeds_at_a_time(place: Store, desk: Desk) -> None:
    other = Desk(await place.open(), notes=desk.notes)
    for number in range(200):
        await desk.adds(f"n{number}", f"text number{number}")

    async with at_work(desk.indexer()), at_work(other.indexer()):
        await until(lambda: _is_done(desk))

    assert isinstance(desk.model, MadeUpModel)
    assert isinstance(other.model, MadeUpModel)
    assert len(desk.model.embedded) + len(other.model.embedded) == 200
    assert not (desk.model.embedded and other.model.embedded)


async def test_a_process_that_has_nothing_to_do_leaves_the_turn_to_others(desk: Desk) -> None:
    await desk.adds("n1", "bread")

    async with at_work(desk.indexer()):
        await until(lambda: _is_done(desk))

        await until(lambda: _turn_is_free(desk), within=3)


async def test_the_turn_of_a_process_that_died_falls_to_another(desk: Desk) -> None:
    long_ago = 1
    await desk.database.write(SYSTEM, lambda tx: queue.claim(tx, "the dead one", long_ago))
    await desk.adds("n1", "bread")

    async with at_work(desk.indexer()):
        await until(lambda: _is_done(desk))


async def test_without_a_model_texts_wait_and_nothing_is_counted(desk: Desk) -> None:
    desk.model = MadeUpModel(state="off", problem="It is switched off.")
    await desk.adds("n1", "bread")

    indexer = desk.indexer()

    assert await indexer.waiting() == 0
    assert await desk.waiting() == ["n1"]


async def test_writers_are_not_slowed_while_a_backlog_is_embedded(desk: Desk) -> None:
    for number in range(100):
        await desk.adds(f"n{number}", f"text number{number}")

    alone = await _seconds_to_add(desk, "a")
    async with at_work(desk.indexer()) as indexer:
        beside = await _seconds_to_add(desk, "b")
        indexer.wake()
        await until(lambda: _is_done(desk))

    assert beside < 5 * alone + 0.25


async def _seconds_to_add(desk: Desk, prefix: str) -> float:
    """The median, so that one hiccup of the machine does not count."""
    taken = []
    for number in range(30):
        began = time.perf_counter()
        await desk.adds(f"{prefix}{number}", f"more {prefix}{number}")
        taken.append(time.perf_counter() - began)
        await asyncio.sleep(0)
    return sorted(taken)[15]


async def _is_done(desk: Desk) -> bool:
    return not await desk.waiting()


async def _turn_is_free(desk: Desk) -> bool:
    return not await desk.rows("SELECT holder FROM embedding_turns")


async def _waits_only(desk: Desk, refs: list[str]) -> bool:
    return await desk.waiting() == refs


async def _found(desk: Desk, words: str, ref: str) -> bool:
    return (await desk.finds(words))[:1] == [ref]
