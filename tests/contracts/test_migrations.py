"""How a store comes to its schema: each number once, all or nothing, never backwards."""

import asyncio
import shutil
from contextlib import closing
from pathlib import Path
from sqlite3 import connect
from typing import Any

import pytest

from longtable.kernel.errors import ConfigError, StoreUnavailable
from longtable.storage.database import SYSTEM, Transaction
from longtable.storage.migrate import MIGRATIONS, split_statements
from tests.stores import Store, count_of, counts

pytestmark = pytest.mark.anyio


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """The migrations of a later version: one for both engines, one with a part for each."""
    folder = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, folder)
    (folder / "8001_pets.sql").write_text("CREATE TABLE pets (name TEXT PRIMARY KEY); -- a pet; or two\n")
    (folder / "8002_cats.sql").write_text("INSERT INTO pets VALUES ('rex; the dog');")
    (folder / "8002_cats.sqlite.sql").write_text("INSERT INTO pets SELECT 'sqlite cat' FROM pets;")
    (folder / "8002_cats.postgres.sql").write_text("INSERT INTO pets SELECT 'postgres cat' FROM pets;")
    return folder


async def pets(tx: Transaction) -> list[Any]:
    return sorted(row["name"] for row in await tx.all("SELECT name FROM pets"))


async def test_a_later_version_brings_the_store_along(store: Store, newer: Path) -> None:
    first = await store.open()
    await first.write("acme", counts())
    await first.close()

    second = await store.open(migrations=newer)

    assert await second.read(SYSTEM, pets) == sorted(["rex; the dog", f"{second.dialect} cat"])
    assert await count_of(second, "acme") == 1


async def test_a_migration_is_applied_once(store: Store, newer: Path) -> None:
    await (await store.open(migrations=newer)).close()

    again = await store.open(migrations=newer)

    assert len(await again.read(SYSTEM, pets)) == 2


async def test_an_older_version_refuses_the_store(store: Store, newer: Path) -> None:
    await (await store.open(migrations=newer)).close()

    with pytest.raises(ConfigError, match="8002"):
        await store.open()


async def test_a_failing_migration_leaves_the_store_to_the_former_version(store: Store, newer: Path) -> None:
    first = await store.open()
    await first.write("acme", counts())
    await first.close()
    (newer / "8003_broken.sql").write_text("CREATE TABLE half (a TEXT); INSERT INTO nowhere VALUES (1);")

    with pytest.raises(StoreUnavailable, match="as it was before"):
        await store.open(migrations=newer)

    former = await store.open()
    assert await count_of(former, "acme") == 1
    with pytest.raises(StoreUnavailable):
        await former.read(SYSTEM, pets)


async def test_many_may_open_a_new_store_at_once(store: Store, newer: Path) -> None:
    opened = await asyncio.gather(*(store.open(migrations=newer) for _ in range(4)))

    assert len(await opened[0].read(SYSTEM, pets)) == 2


async def test_before_an_upgrade_the_embedded_store_is_copied(tmp_path: Path, newer: Path) -> None:
    place = Store("sqlite", str(tmp_path / "data" / "longtable.db"))
    first = await place.open()
    await first.write("acme", counts())
    await first.close()
    (newer / "8003_broken.sql").write_text("INSERT INTO nowhere VALUES (1);")

    with pytest.raises(StoreUnavailable) as failure:
        await place.open(migrations=newer)

    assert "backups" in failure.value.message
    [copy] = (tmp_path / "data" / "backups").iterdir()
    with closing(connect(copy)) as connection:
        assert connection.execute("SELECT value FROM counters").fetchall() == [(1,)]


async def test_a_new_embedded_store_needs_no_copy(tmp_path: Path) -> None:
    place = Store("sqlite", str(tmp_path / "data" / "longtable.db"))

    await (await place.open()).close()

    assert not (tmp_path / "data" / "backups").exists()


@pytest.mark.parametrize(
    ("script", "statements"),
    [
        ("SELECT 1; SELECT 2", ["SELECT 1;", "SELECT 2"]),
        ("-- one; two\nSELECT ';'; -- end;\n", ["-- one; two\nSELECT ';';"]),
        (
            "CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; DELETE FROM c; END;\nSELECT 1;",
            ["CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; DELETE FROM c; END;", "SELECT 1;"],
        ),
        ("/* nothing; here */", []),
    ],
)
def test_a_script_is_split_where_statements_end(script: str, statements: list[str]) -> None:
    assert list(split_statements(script)) == statements
