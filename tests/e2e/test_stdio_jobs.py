"""Who does the periodic jobs where a stdio process and a server work on one store."""

import asyncio
from pathlib import Path

import pytest

from longtable.storage.database import SYSTEM, Database, Transaction
from longtable.storage.leases import BESIDE
from tests.e2e.servers import Processes, place_of
from tests.stores import Store

pytestmark = pytest.mark.slow
WITHIN = 40.0


async def test_a_stdio_process_gives_the_jobs_up_to_a_server(
    processes: Processes, replicated: Store, tmp_path: Path
) -> None:
    place = place_of(replicated, tmp_path)
    database = await replicated.open()
    stdio = processes.stdio(place)
    await stdio.opens()
    await until_held(database, by_a_server=False)

    processes.serve(place)

    await until_held(database, by_a_server=True)
    assert stdio.tracebacks == []


async def until_held(database: Database, *, by_a_server: bool) -> None:
    async with asyncio.timeout(WITHIN):
        while (holder := await database.read(SYSTEM, holder_of_jobs)) is None or by_a_server == is_beside(holder):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def holder_of_jobs(tx: Transaction) -> str | None:
    row = await tx.first("SELECT holder FROM embedding_turns WHERE turn = 'jobs'")
    return None if row is None else str(row["holder"])


def is_beside(holder: str) -> bool:
    return holder.startswith(BESIDE)
