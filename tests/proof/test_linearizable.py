"""The same as in tests/e2e, a hundred thousand operations on each store."""

from pathlib import Path

import pytest

from tests.e2e.linearizable import recorded
from tests.e2e.servers import Processes, place_of
from tests.histories.versions import anomalies
from tests.stores import Store

pytestmark = pytest.mark.timeout(3600)


async def test_a_hundred_thousand_operations_have_one_order(processes: Processes, store: Store, tmp_path: Path) -> None:
    history = await recorded(processes, place_of(store, tmp_path), operations=100_000, kills=20)

    assert anomalies(history) == []
