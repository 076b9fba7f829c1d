"""The nearest are found: of few vectors all but those that rounding swaps, of many nearly all, on both stores."""

import pytest

from longtable.storage.database import Database
from longtable.vectors.scan import ScanEngine, ScanLimits
from tests.vectors.crowd import AlongIndex, Crowd
from tests.vectors.synthetic import StoredVectors

BY_CODES = ScanLimits(exact_rows=100, keep=1_600, compared=200)
"""As if two thousand were many: of so few a quarter of `keep` is kept, and half of `compared` are compared."""

pytestmark = pytest.mark.slow


async def test_of_the_ten_nearest_nearly_all_are_found(database: Database) -> None:
    stored = StoredVectors(database)
    crowd = Crowd(stored)
    await crowd.gather("acme", "s", 2_000)

    if database.dialect == "sqlite":
        assert await crowd.recall(ScanEngine(database), "acme", "s") >= 0.98
        assert await crowd.recall(ScanEngine(database, BY_CODES), "acme", "s") >= 0.95
    else:
        assert await crowd.recall(AlongIndex(stored), "acme", "s") >= 0.95


async def test_of_those_that_a_filter_leaves_nearly_all_of_the_nearest_are_found(database: Database) -> None:
    stored = StoredVectors(database)
    crowd = Crowd(stored)
    await crowd.gather("acme", "s", 2_000)
    by_index = ScanEngine(database, BY_CODES) if database.dialect == "sqlite" else AlongIndex(stored)

    assert await crowd.recall(by_index, "acme", "s", every=25) >= 0.95
