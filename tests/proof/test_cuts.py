"""The same as in tests/e2e, often enough to meet rare moments, and by two servers on one store."""

from pathlib import Path

import pytest

from tests.e2e.cut_off import check_cuts
from tests.e2e.servers import Processes, place_of
from tests.stores import Store

pytestmark = pytest.mark.timeout(1800)
CUTS = 1_000


@pytest.mark.parametrize("servers", [1, 2])
async def test_two_thousand_cuts_lose_nothing_and_double_nothing(
    processes: Processes, store: Store, tmp_path: Path, servers: int
) -> None:
    opened = [processes.serve(place_of(store, tmp_path)) for _ in range(servers)]

    await check_cuts(opened, CUTS, seed=servers)
