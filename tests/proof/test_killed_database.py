"""The same as in tests/e2e, a hundred kills: of the database and of the server, in turn."""

from pathlib import Path

import pytest

from tests.e2e.all_writes import check_kills_of_the_database
from tests.e2e.own_postgres import own_postgres
from tests.e2e.servers import Processes, place_of

pytestmark = pytest.mark.timeout(3600)


async def test_a_hundred_kills_of_database_and_server_lose_nothing_that_was_acknowledged(
    processes: Processes, tmp_path: Path
) -> None:
    async with own_postgres() as database:
        await check_kills_of_the_database(processes, database, place_of(database.store, tmp_path), kills=100)
