"""The same as in tests/e2e, often enough to meet rare moments: two hundred kills, a hundred on each store."""

from pathlib import Path

import pytest

from tests.e2e.all_writes import check_kills
from tests.e2e.servers import Processes, place_of
from tests.stores import Store

pytestmark = pytest.mark.timeout(3600)


async def test_a_hundred_kills_lose_nothing_of_any_tool_that_writes(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    await check_kills(processes, place_of(store, tmp_path), kills=100)
