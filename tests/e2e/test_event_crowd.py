"""A crowd at two servers of one store: every reader hears each event once and in order, whatever breaks meanwhile."""

from pathlib import Path

import pytest

from tests.e2e.event_crowd import Size, check_that_no_reader_misses_anything
from tests.e2e.servers import Processes, place_of
from tests.stores import Store

pytestmark = pytest.mark.slow
SIZE = Size(writers=10, readers=10, each=40, sessions=2)


async def test_ten_readers_miss_nothing_of_ten_writers_though_connections_break_and_servers_restart(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    await check_that_no_reader_misses_anything(processes, place_of(store, tmp_path), SIZE)
