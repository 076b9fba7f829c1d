"""The same as in tests/spec, two hundred thousand pieces on each store."""

import random
from pathlib import Path

import pytest

from tests.mixed.crowd import mixed_table
from tests.mixed.fuzz import Fuzz
from tests.stores import Store

pytestmark = pytest.mark.timeout(3600)


async def test_two_hundred_thousand_pieces_of_rubbish_are_answered_in_our_words(store: Store, tmp_path: Path) -> None:
    for seed in range(20):
        place = Store("sqlite", str(tmp_path / str(seed) / "longtable.db")) if store.kind == "sqlite" else store
        async with mixed_table(place, tmp_path) as mixed:
            await mixed.run(400, seed)
            fuzz = Fuzz(mixed, random.Random(seed))
            await fuzz.run(10_000)

        assert (fuzz.wrong, fuzz.slow) == ([], [])
