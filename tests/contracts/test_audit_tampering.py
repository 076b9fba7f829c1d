"""A thousand ways to change the audit log behind the program's back: each is found, and the first bad record named."""

import random
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from longtable.log.verify import verify_chain
from longtable.storage.database import Database
from longtable.storage.sqlite import SqliteDatabase
from tests.mixed.crowd import mixed_table
from tests.stores import RecordingHooks, Store

pytestmark = pytest.mark.slow
VARIANTS = 1_000
TENANT = "acme"


@pytest.fixture
async def file(tmp_path: Path) -> Path:
    """A store in which three tenants have done all kinds of things."""
    path = tmp_path / "data" / "longtable.db"
    async with mixed_table(Store("sqlite", str(path)), tmp_path) as mixed:
        await mixed.run(1_000, seed=3)
    return path


@pytest.fixture
async def database(file: Path) -> AsyncIterator[Database]:
    opened = await SqliteDatabase.open(file, RecordingHooks())
    yield opened
    await opened.close()


class Tamperer:
    """Edits the log of one tenant, and knows how to put it back. Each way answers the first record that is wrong."""

    def __init__(self, connection: sqlite3.Connection, chance: random.Random) -> None:
        self._connection = connection
        self._chance = chance
        connection.execute("CREATE TEMP TABLE untouched AS SELECT * FROM audit WHERE tenant = ?", (TENANT,))
        self.columns: list[str] = [
            row[1] for row in connection.execute("PRAGMA table_info(audit)") if row[1] != "tenant"
        ]
        self.numbers: list[int] = [seq for (seq,) in connection.execute("SELECT seq FROM temp.untouched ORDER BY seq")]

    def put_back(self) -> None:
        self._do("DELETE FROM audit WHERE tenant = :tenant")
        self._do("INSERT INTO audit SELECT * FROM temp.untouched WHERE tenant = :tenant")

    def edit(self) -> int:
        column = self._chance.choice([name for name in self.columns if name != "seq"])
        seq = self._chance.choice(self.numbers)
        before = self._one(f"SELECT {column} FROM audit WHERE tenant = :tenant AND seq = :seq", seq=seq)
        self._do(
            f"UPDATE audit SET {column} = :value WHERE tenant = :tenant AND seq = :seq",
            value=_other(column, before),
            seq=seq,
        )
        return seq

    def drop(self) -> int:
        seq = self._chance.choice(self.numbers)
        self._do("DELETE FROM audit WHERE tenant = :tenant AND seq = :seq", seq=seq)
        return seq

    def cut_off(self) -> int:
        seq = self._chance.choice(self.numbers)
        self._do("DELETE FROM audit WHERE tenant = :tenant AND seq >= :seq", seq=seq)
        return seq

    def swap(self) -> int:
        first, second = sorted(self._chance.sample(self.numbers, 2))
        for old, new in ((first, -1), (second, first), (-1, second)):
            self._renumber(old, new)
        return first

    def slip_in(self) -> int:
        """A copy of another record, in the place of one; that one and all after it are moved on."""
        seq = self._chance.choice(self.numbers)
        self._do("UPDATE audit SET seq = -(seq + 1) WHERE tenant = :tenant AND seq >= :seq", seq=seq)
        self._do("UPDATE audit SET seq = -seq WHERE tenant = :tenant AND seq < 0")
        columns = ", ".join(name for name in self.columns if name != "seq")
        other = self._chance.choice(self.numbers)
        self._do(
            f"INSERT INTO audit (tenant, seq, {columns}) SELECT tenant, :seq, {columns} FROM temp.untouched"
            " WHERE tenant = :tenant AND seq = :other",
            seq=seq,
            other=other,
        )
        # A copy of the very record that stood there is wrong only in what comes after it.
        return seq + 1 if other == seq else seq

    def _renumber(self, old: int, new: int) -> None:
        self._do("UPDATE audit SET seq = :new WHERE tenant = :tenant AND seq = :old", old=old, new=new)

    def _one(self, sql: str, **values: Any) -> Any:
        return self._connection.execute(sql, {"tenant": TENANT, **values}).fetchone()[0]

    def _do(self, sql: str, **values: Any) -> None:
        with self._connection:
            self._connection.execute(sql, {"tenant": TENANT, **values})


WAYS: list[Callable[[Tamperer], int]] = [
    Tamperer.edit,
    Tamperer.edit,
    Tamperer.edit,
    Tamperer.drop,
    Tamperer.cut_off,
    Tamperer.swap,
    Tamperer.slip_in,
]


async def test_a_thousand_changes_of_the_log_are_found_and_the_first_bad_record_is_named(
    database: Database, file: Path
) -> None:
    chance = random.Random(20)
    unseen: list[str] = []
    done: Counter[str] = Counter()
    with closing(sqlite3.connect(file)) as connection:
        tamperer = Tamperer(connection, chance)
        assert len(tamperer.numbers) > 100
        assert (await verify_chain(database, TENANT)).holds
        for number in range(VARIANTS):
            way = WAYS[number % len(WAYS)]
            seq = way(tamperer)
            found = await verify_chain(database, TENANT)
            if found.holds or found.broken_at != seq or not found.problem:
                unseen.append(f"{way.__name__} at {seq}: {found}")
            done[way.__name__] += 1
            tamperer.put_back()
        assert (await verify_chain(database, TENANT)).holds

    assert unseen == []
    assert sum(done.values()) == VARIANTS


def _other(column: str, value: Any) -> Any:
    """Something else of the same kind. Metadata are JSON: a space more would mean the same."""
    if column == "metadata":
        return '{"edited":true}'
    match value:
        case None:
            return "x"
        case int():
            return value + 1
        case bytes():
            return value + b"x"
        case _:
            return f"{value} "
