"""The same as in tests/e2e, in the full number."""

from pathlib import Path

import pytest

from tests.e2e.event_crowd import Size, check_that_no_reader_misses_anything
from tests.e2e.servers import Processes, place_of
from tests.stores import Store

pytestmark = pytest.mark.timeout(1200)
SIZE = Size(writers=100, readers=100, each=20, sessions=10)


async def test_a_hundred_readers_miss_nothing_of_a_hundred_writers_though_servers_restart(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    await check_that_no_reader_misses_anything(processes, place_of(store, tmp_path), SIZE)
