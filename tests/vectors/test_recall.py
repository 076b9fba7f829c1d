"""The nearest are found: all of them by the embedded store, nearly all along PostgreSQL's index."""

import pytest

from longtable.storage.database import Database
from longtable.vectors.exact import ExactEngine
from tests.vectors.crowd import AlongIndex, Crowd
from tests.vectors.synthetic import Shelf

pytestmark = pytest.mark.slow


async def test_of_the_ten_nearest_nearly_all_are_found(database: Database) -> None:
    shelf = Shelf(database)
    crowd = Crowd(shelf)
    await crowd.gather("acme", "s", 2_000)

    if database.dialect == "sqlite":
        assert await crowd.recall(ExactEngine(database), "acme", "s") == 1.0
    else:
        assert await crowd.recall(AlongIndex(shelf), "acme", "s") >= 0.95
