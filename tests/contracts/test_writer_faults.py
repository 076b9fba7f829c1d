"""An exception in the middle of a write to PostgreSQL: who waits is told the truth, and the next one gets through."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from longtable.kernel.background import BackgroundTask, BackgroundTasks
from longtable.kernel.errors import OutcomeUnknown, StoreUnavailable
from longtable.storage.database import Database
from tests.faults import FailsWhereItWaits
from tests.stores import Store, count_of, counts

PLACES = 8
"""More than a write waits: for its connection, its beginning, its statements and its commit."""


@pytest.mark.parametrize("waits", range(PLACES))
async def test_who_writes_hears_what_became_of_it(
    replicated: Store, monkeypatch: pytest.MonkeyPatch, waits: int
) -> None:
    database = await replicated.open()
    assert await database.write("acme", counts()) == 1
    fail_once(monkeypatch, waits)

    async with asyncio.timeout(40):
        answer = await answered(database)
        stored = await count_of(database, "acme")
        after = await database.write("acme", counts())

    assert answer in ("refused", "unknown") or stored == 2
    assert answer != "refused" or stored == 1
    assert after == stored + 1


async def answered(database: Database) -> str | int:
    try:
        return await database.write("acme", counts())
    except StoreUnavailable:
        return "refused"
    except OutcomeUnknown:
        return "unknown"


def fail_once(monkeypatch: pytest.MonkeyPatch, waits: int) -> None:
    start = BackgroundTasks.start
    left = [waits]

    def failing(
        tasks: BackgroundTasks, name: str, run: Callable[[], Awaitable[None]], *, about: str = ""
    ) -> BackgroundTask:
        async def faulty() -> None:
            await (FailsWhereItWaits(run(), left.pop()) if left else run())

        return start(tasks, name, faulty if name == "store_writer" else run, about=about)

    monkeypatch.setattr(BackgroundTasks, "start", failing)
