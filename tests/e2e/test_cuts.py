"""Connections that are cut at every point of a request: nothing that was said is missed, nothing is written twice."""

from pathlib import Path

import pytest

from tests.e2e.cut_off import check_cuts
from tests.e2e.servers import Processes, place_of
from tests.stores import Store

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


async def test_a_hundred_cuts_lose_nothing_and_double_nothing(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    await check_cuts([processes.serve(place_of(store, tmp_path))], cuts=100, seed=13)
