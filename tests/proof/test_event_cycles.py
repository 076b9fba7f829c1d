"""The same as in tests/e2e, in the full number."""

from pathlib import Path

import pytest

from tests.e2e.event_cycles import check_that_a_server_keeps_no_connection, check_that_the_feed_keeps_nothing
from tests.e2e.servers import Processes, place_of
from tests.stores import Store
from tests.table import open_table

pytestmark = pytest.mark.timeout(1200)


async def test_ten_thousand_listeners_that_came_and_went_leave_no_task_file_or_subscription(
    store: Store, tmp_path: Path
) -> None:
    async with open_table(store, tmp_path) as table:
        await check_that_the_feed_keeps_nothing(table, 10_000)


async def test_a_thousand_streams_that_came_and_went_leave_no_connection_in_the_server(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    server = processes.serve(place_of(store, tmp_path))

    await check_that_a_server_keeps_no_connection(server, 1_000)
