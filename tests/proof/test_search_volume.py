"""Search by meaning with many vectors: what is nearest is found, and nobody is held up."""

import pytest

from longtable.storage.database import Database
from longtable.vectors.nearest import Nearest
from longtable.vectors.pgvector import FEW
from tests.schemas import PostgresLogin, administer
from tests.stores import Store
from tests.vectors.conftest import WITH_VECTORS
from tests.vectors.crowd import Crowd
from tests.vectors.indexed_notes import gaps
from tests.vectors.synthetic import EVERYTHING, MODEL, StoredVectors

MANY = FEW + 10_000
"""More than are compared one by one on PostgreSQL."""


@pytest.fixture
async def database(store: Store, login: PostgresLogin | None) -> Database:
    if login is not None:
        await administer(login.admin_url, WITH_VECTORS)
    return await store.open()


async def test_among_many_vectors_the_nearest_are_found_and_the_loop_goes_on(database: Database) -> None:
    stored = StoredVectors(database)
    mine, theirs = Crowd(stored), Crowd(stored)
    await theirs.gather("rival", "s", 10_000)
    await mine.gather("acme", "s", MANY)
    nearest = Nearest(stored.store, lambda: MODEL)
    queries = mine.make(40)

    with gaps() as longest:
        found = [await nearest.find("acme", ["s"], query.tobytes(), EVERYTHING, 10) for query in queries]

    expected = [mine.nearest(query, 10) for query in queries]
    hits = sum(len({near.document_id for near in one} & those) for one, those in zip(found, expected, strict=True))
    assert {len(one) for one in found} == {10}
    assert hits / 400 >= 0.95
    assert longest[0] < 0.25
