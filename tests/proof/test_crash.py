"""The same as in tests/e2e, often enough to meet rare moments."""

from pathlib import Path

import pytest

from tests.e2e.crashes import check_rounds
from tests.e2e.servers import Processes, place_of
from tests.stores import Store

pytestmark = pytest.mark.timeout(1200)
ROUNDS = 30


async def test_thirty_kills_lose_nothing_that_was_acknowledged(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    await check_rounds(processes, store, place_of(store, tmp_path), ROUNDS)
