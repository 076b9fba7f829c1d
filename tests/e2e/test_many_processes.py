"""One table, many processes: what eight local clients and a server write at once is all there."""

from pathlib import Path

import pytest

from tests.e2e.crowd import check_that_nothing_is_lost
from tests.e2e.servers import Processes, place_of
from tests.stores import Store

pytestmark = pytest.mark.slow
EACH = 150


async def test_what_nine_processes_write_at_once_is_all_kept_numbered_and_seen_by_each(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    await check_that_nothing_is_lost(processes, place_of(store, tmp_path), EACH)
