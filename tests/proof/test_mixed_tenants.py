"""The same as in tests/spec, a million times, on a fresh table every ten thousand operations."""

from pathlib import Path

import pytest

from tests.mixed.crowd import mixed_table_and_server
from tests.stores import Store

pytestmark = pytest.mark.timeout(4 * 3600)
OPERATIONS = 1_000_000
ON_ONE_TABLE = 10_000


async def test_a_million_mixed_operations_show_no_foreign_byte(store: Store, tmp_path: Path) -> None:
    for seed in range(OPERATIONS // ON_ONE_TABLE):
        place = Store("sqlite", str(tmp_path / str(seed) / "longtable.db")) if store.kind == "sqlite" else store
        async with mixed_table_and_server(place, tmp_path) as mixed:
            await mixed.run(ON_ONE_TABLE, seed)

        assert (mixed.leaks, mixed.faults) == ([], [])
