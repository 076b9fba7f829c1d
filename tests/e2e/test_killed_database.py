"""The database dies in the middle of its work, and so does the server: whatever was acknowledged is there."""

import asyncio
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from tests.e2e.all_writes import check_kills_of_the_database
from tests.e2e.crashes import SESSION, WRITERS, Acknowledged, rows_of
from tests.e2e.own_postgres import own_postgres
from tests.e2e.servers import Processes, place_of, until
from tests.e2e.wire import wire_to
from tests.stores import STORES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(180),
    pytest.mark.skipif("postgresql" not in STORES, reason="is about PostgreSQL"),
]


async def test_what_was_acknowledged_outlives_the_database_and_the_server(processes: Processes, tmp_path: Path) -> None:
    async with own_postgres() as database:
        history = await check_kills_of_the_database(processes, database, place_of(database.store, tmp_path), kills=2)

    tools = Counter(call.tool for call in history.results)
    assert len(tools) >= 15


async def test_a_database_that_answers_before_it_has_written_loses_notes(processes: Processes, tmp_path: Path) -> None:
    """The control: the same kill finds what a careless database forgets."""
    promised = Acknowledged()
    async with own_postgres() as database:
        await database.set(synchronous_commit="off", wal_writer_delay="10s", wal_writer_flush_after="0")
        server = processes.serve(place_of(database.store, tmp_path))
        async with wire_to(server.address) as wire:
            await wire.calls("create_session", session_id=SESSION)
        lost: set[str] = set()
        # What the database writes by itself at that moment is not lost: a kill may miss.
        for attempt in range(1, 7):
            writers = [asyncio.create_task(promised.write(server.address, n, attempt)) for n in range(WRITERS)]
            await until(partial(_has, promised, len(promised.notes) + 100))
            await asyncio.to_thread(database.kill)
            await asyncio.gather(*writers, return_exceptions=True)
            await asyncio.to_thread(database.start)
            async with rows_of(database.store) as rows:
                kept = {f"n{number}" for (number,) in await rows("SELECT number FROM notes")}
            if lost := promised.notes.keys() - kept:
                break

    assert lost


def _has(promised: Acknowledged, notes: int) -> bool:
    return len(promised.notes) >= notes
