"""The nearest texts: those of the caller, all of them, at once."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from longtable.fulltext import index
from longtable.fulltext.index import SearchDocument
from longtable.storage.database import SYSTEM, Database
from longtable.storage.sqlite import SqliteDatabase
from longtable.vectors.nearest import Nearest
from longtable.vectors.query import VectorQuery
from longtable.vectors.scan import ScanEngine, ScanLimits
from longtable.vectors.store import VectorStore
from tests.stores import RecordingHooks, Store
from tests.vectors.synthetic import EVERYTHING, MODEL, StoredVectors, candidates, in_bulk, vector

QUERY = vector("the query")


@pytest.fixture
def stored(database: Database) -> StoredVectors:
    return StoredVectors(database)


@pytest.fixture
def nearest(stored: StoredVectors) -> Nearest:
    return Nearest(stored.store, lambda: MODEL)


def around(count: int, spread: float, name: str = "v") -> list[bytes]:
    return [vector(f"{name}{place}", QUERY, spread) for place in range(count)]


async def test_the_nearest_come_first_with_their_cosine(stored: StoredVectors, nearest: Nearest) -> None:
    far, same, near = await stored.put("acme", "s", [vector("elsewhere"), QUERY, vector("a", QUERY, 0.5)])

    found = await nearest.find("acme", ["s"], QUERY, EVERYTHING, 3)

    assert [one.document_id for one in found] == [same, near, far]
    assert found[0].score == pytest.approx(1.0, abs=0.002)
    assert found[1].score == pytest.approx(0.894, abs=0.02)


async def test_a_document_is_found_once_by_its_best_part(stored: StoredVectors, nearest: Nearest) -> None:
    parts = [vector("x"), vector("b", QUERY, 0.4), vector("y"), vector("c", QUERY, 0.6)]
    (long,) = await stored.put_parts("acme", "s", [parts])

    (found,) = await nearest.find("acme", ["s"], QUERY, EVERYTHING, 10)

    assert (found.document_id, found.first, found.last) == (long, 10, 20)


async def test_other_scopes_are_not_looked_through(stored: StoredVectors, nearest: Nearest) -> None:
    await stored.put("acme", "secret", around(20, 0.1))
    mine = await stored.put("acme", "s", around(3, 1.0))
    also = await stored.put("acme", "t", around(3, 1.0, "t"))

    one = await nearest.find("acme", ["s"], QUERY, EVERYTHING, 10)
    both = await nearest.find("acme", ["s", "t", "empty"], QUERY, EVERYTHING, 10)

    assert {found.document_id for found in one} == set(mine)
    assert {found.document_id for found in both} == {*mine, *also}


async def test_a_filter_that_leaves_little_still_fills_the_limit(stored: StoredVectors, nearest: Nearest) -> None:
    near = await stored.put("acme", "s", around(200, 0.1))
    far = await stored.put("acme", "t", around(5, 3.0))
    only = candidates("document_id >= :low OR document_id = :one", low=min(far), one=near[0])

    found = await nearest.find("acme", ["s", "t"], QUERY, only, 5)

    assert len(found) == 5
    assert found[0].document_id == near[0]
    assert {one.document_id for one in found} <= {near[0], *far}


@pytest.mark.slow
async def test_ten_thousand_better_matches_of_others_do_not_crowd_out_ones_own(
    stored: StoredVectors, nearest: Nearest
) -> None:
    better = around(100, 0.2)
    async with in_bulk(stored):
        for tenant in range(100):
            await stored.put(f"rival{tenant}", "s", better)
    mine = await stored.put("acme", "s", around(30, 2.0))

    found = await nearest.find("acme", ["s"], QUERY, EVERYTHING, 20)

    assert len(found) == 20
    assert {one.document_id for one in found} <= set(mine)


async def test_a_text_that_was_removed_is_gone_at_once(
    database: Database, stored: StoredVectors, nearest: Nearest
) -> None:
    removed, kept = SearchDocument("cell", "s", "a", "bread and water"), SearchDocument("cell", "s", "b", "circuses")
    await stored.add("acme", removed, QUERY)
    second = await stored.add("acme", kept, vector("elsewhere"))
    await nearest.find("acme", ["s"], QUERY, EVERYTHING, 10)

    await database.write("acme", lambda tx: index.remove(tx, removed))

    found = await nearest.find("acme", ["s"], QUERY, EVERYTHING, 10)
    left = await database.read(SYSTEM, lambda tx: tx.all("SELECT document_id FROM vectors"))
    assert [one.document_id for one in found] == [second]
    assert [one["document_id"] for one in left] == [second]


async def test_a_changed_text_is_not_found_by_what_it_meant_before(
    database: Database, stored: StoredVectors, nearest: Nearest
) -> None:
    before, after = SearchDocument("cell", "s", "a", "bread and water"), SearchDocument("cell", "s", "a", "circuses")
    first = await stored.add("acme", before, QUERY)
    await nearest.find("acme", ["s"], QUERY, EVERYTHING, 10)

    await database.write("acme", lambda tx: index.remove(tx, before))
    waiting = await nearest.find("acme", ["s"], QUERY, EVERYTHING, 10)
    second = await stored.add("acme", after, vector("elsewhere"))

    (found,) = await nearest.find("acme", ["s"], QUERY, EVERYTHING, 10)
    assert waiting == []
    assert found.document_id == second > first
    assert found.score < 0.5


async def test_what_another_process_has_written_is_found_by_the_next_search(
    place: Store, stored: StoredVectors, nearest: Nearest
) -> None:
    first = await stored.put("acme", "s", around(1, 0.2))
    await nearest.find("acme", ["s"], QUERY, EVERYTHING, 10)
    other = StoredVectors(await place.open())

    second = await other.put("acme", "s", [QUERY], version=MODEL)

    found = await nearest.find("acme", ["s"], QUERY, EVERYTHING, 10)
    assert [one.document_id for one in found] == [*second, *first]


async def test_vectors_of_another_model_are_not_compared(stored: StoredVectors, nearest: Nearest) -> None:
    await stored.put("acme", "s", [QUERY], version="older@1")
    mine = await stored.put("acme", "s", [vector("elsewhere")])

    found = await nearest.find("acme", ["s"], QUERY, EVERYTHING, 10)

    assert [one.document_id for one in found] == mine


async def test_nothing_is_found_before_a_model_is_known(stored: StoredVectors) -> None:
    await stored.put("acme", "s", [QUERY])

    nearest = Nearest(stored.store, lambda: None)

    assert await nearest.find("acme", ["s"], QUERY, EVERYTHING, 10) == []


@pytest.mark.parametrize("budget", [1, 40_000, 200_000])
async def test_what_exceeds_the_memory_budget_is_searched_all_the_same(tmp_path: Path, budget: int) -> None:
    database = await SqliteDatabase.open(tmp_path / "longtable.db", RecordingHooks())
    stored = StoredVectors(database)
    numbers = {scope: await stored.put("acme", scope, around(40, 1.0, scope)) for scope in "abcd"}
    embedder = await stored.store.register(MODEL)
    everything = VectorQuery("acme", list(numbers), embedder, QUERY, EVERYTHING, 20)
    small, large = ScanEngine(database, ScanLimits(budget)), ScanEngine(database)

    found = [await small.find(everything) for _ in range(2)]

    assert found == [await large.find(everything)] * 2
    assert small.bytes_used <= budget
    await database.close()


@pytest.fixture
async def embedded(tmp_path: Path) -> AsyncIterator[StoredVectors]:
    database = await SqliteDatabase.open(tmp_path / "longtable.db", RecordingHooks())
    yield StoredVectors(database)
    await database.close()


BY_CODES = ScanLimits(exact_rows=50, keep=40, compared=10)
"""As if fifty vectors were many."""


@pytest.mark.parametrize("budget", [1, ScanLimits().budget])
async def test_among_many_the_nearest_are_found_by_their_codes_with_the_exact_cosine(
    embedded: StoredVectors, budget: int
) -> None:
    await embedded.put("acme", "s", [vector(f"far{place}") for place in range(300)])
    near = await embedded.put("acme", "s", around(5, 0.5))
    everything = VectorQuery("acme", ["s"], await embedded.store.register(MODEL), QUERY, EVERYTHING, 5)

    by_codes = await ScanEngine(embedded.database, replace(BY_CODES, budget=budget)).find(everything)

    exactly = await ScanEngine(embedded.database).find(everything)
    assert [match.document_id for match in by_codes] == [match.document_id for match in exactly]
    assert [match.score for match in by_codes] == pytest.approx([match.score for match in exactly])
    assert {match.document_id for match in by_codes} == set(near)


async def test_among_many_what_the_caller_may_not_find_takes_no_place(embedded: StoredVectors) -> None:
    hidden = await embedded.put("acme", "s", around(300, 0.1))
    mine = await embedded.put("acme", "s", around(7, 3.0, "mine"))
    only = candidates("document_id >= :mine", mine=mine[0])
    search = VectorQuery("acme", ["s"], await embedded.store.register(MODEL), QUERY, only, 10)

    found = await ScanEngine(embedded.database, BY_CODES).find(search)

    assert {match.document_id for match in found} == set(mine)
    assert not {match.document_id for match in found} & set(hidden)


@pytest.mark.parametrize("limits", [BY_CODES, ScanLimits()])
async def test_documents_that_were_asked_for_are_found_besides_the_nearest(
    embedded: StoredVectors, limits: ScanLimits
) -> None:
    near = await embedded.put("acme", "s", around(100, 0.1))
    far = await embedded.put("acme", "s", around(3, 2.0, "far"))
    also = replace(EVERYTHING, also=[*far[:2], near[0]])
    search = VectorQuery("acme", ["s"], await embedded.store.register(MODEL), QUERY, also, 10)

    found = [match.document_id for match in await ScanEngine(embedded.database, limits).find(search)]

    assert set(found[:10]) <= set(near)
    assert set(found[10:]) - {near[0]} == set(far[:2])
    assert near[0] in found
    assert len(found) == len(set(found))


async def test_vectors_that_an_earlier_version_stored_as_floats_are_found(embedded: StoredVectors) -> None:
    (older,) = await embedded.put("acme", "s", [QUERY])
    await embedded.database.write(SYSTEM, lambda tx: tx.execute("UPDATE vectors SET vector = :floats", floats=QUERY))
    newer = await embedded.add("acme", SearchDocument("cell", "s", "a", "bread"), vector("near", QUERY, 0.5))
    search = VectorQuery("acme", ["s"], await embedded.store.register(MODEL), QUERY, EVERYTHING, 10)

    found = await ScanEngine(embedded.database).find(search)

    sizes = await embedded.database.read(SYSTEM, lambda tx: tx.all("SELECT length(vector) AS size FROM vectors"))
    assert [row["size"] for row in sizes] == [1536, 388]
    assert [(match.document_id, round(match.score, 2)) for match in found] == [(older, 1.0), (newer, 0.89)]


async def test_the_memory_of_scopes_that_nobody_searches_is_freed(embedded: StoredVectors) -> None:
    await embedded.put("acme", "s", around(40, 1.0))
    engine = ScanEngine(embedded.database, ScanLimits(unused_seconds=0.05))
    await engine.find(VectorQuery("acme", ["s"], await embedded.store.register(MODEL), QUERY, EVERYTHING, 5))
    used = engine.bytes_used

    async with asyncio.timeout(5):
        while engine.bytes_used:  # noqa: ASYNC110 - what is waited for sets no event
            await asyncio.sleep(0.01)

    assert used > 40 * 388


async def test_all_who_come_while_a_new_store_is_prepared_may_keep_vectors_in_it(database: Database) -> None:
    new = VectorStore(database)

    prepared = await asyncio.gather(*(new.prepare() for _ in range(20)))

    assert all(prepared)
