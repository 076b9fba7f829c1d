"""Many writers share a commit: together they get far more done than one alone, and nothing is less durable."""

import asyncio
from pathlib import Path

import pytest

from benchmarks.commits import WRITERS, NoHooks, commits_per_second
from longtable.storage.sqlite import SqliteDatabase

GATE = 3.0
ROUNDS = 3
SECONDS = 0.7


@pytest.mark.slow
def test_64_writers_commit_at_least_three_times_as_much_as_one(tmp_path: Path) -> None:
    gains = asyncio.run(_gains(tmp_path / "data" / "longtable.db"))

    assert max(gains) >= GATE


async def _gains(path: Path) -> list[float]:
    database = await SqliteDatabase.open(path, NoHooks(), synchronous="FULL")
    try:
        gains = []
        for _ in range(ROUNDS):
            alone = await commits_per_second(database, 1, SECONDS)
            together = await commits_per_second(database, WRITERS, SECONDS)
            gains.append(together / alone)
        return gains
    finally:
        await database.close()
