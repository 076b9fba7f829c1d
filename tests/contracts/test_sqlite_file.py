"""What the embedded store does with a file before it is its own."""
# ruff: noqa: ASYNC240  these tests are about files, and nobody waits meanwhile

import asyncio
import sqlite3
import stat
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from longtable.kernel.errors import ConfigError
from longtable.storage.sqlite import SqliteDatabase
from tests.stores import RecordingHooks, count_of, counts

pytestmark = pytest.mark.anyio


@pytest.fixture
async def file(tmp_path: Path) -> Path:
    """The file of a store with something in it, closed."""
    path = tmp_path / "longtable.db"
    database = await SqliteDatabase.open(path, RecordingHooks())
    for _ in range(5):
        await database.write("acme", counts())
    await database.close()
    return path


def with_bad_header(path: Path) -> None:
    path.write_bytes(b"Once upon a time" + path.read_bytes()[16:])


def with_text(path: Path) -> None:
    path.write_text("notes of mine\n" * 20)


def with_a_few_bytes(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:60])


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-8192])


def with_damaged_pages(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for page in range(2, len(content) // 4096):
        content[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    path.write_bytes(content)


def of_another_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")


def of_a_newer_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 9999")


@pytest.mark.parametrize(
    ("spoil", "remedy"),
    [
        (with_bad_header, "backups"),
        (with_text, "another file"),
        (with_a_few_bytes, "backups"),
        (truncated, "backups"),
        (with_damaged_pages, "backups"),
        (of_another_program, "another file"),
        (of_a_newer_version, "newer Longtable"),
    ],
)
async def test_a_file_that_will_not_do_is_refused_and_left_as_it_is(
    file: Path, spoil: Callable[[Path], None], remedy: str
) -> None:
    spoil(file)
    before = file.read_bytes()

    with pytest.raises(ConfigError) as refusal:
        await SqliteDatabase.open(file, RecordingHooks())

    assert remedy in refusal.value.message
    assert str(file) in refusal.value.message
    assert file.read_bytes() == before


async def test_beside_a_file_of_another_program_nothing_is_put(tmp_path: Path) -> None:
    file = tmp_path / "recipes.db"
    file.touch()
    of_another_program(file)

    with pytest.raises(ConfigError):
        await SqliteDatabase.open(file, RecordingHooks())

    assert list(tmp_path.iterdir()) == [file]


async def test_a_newer_schema_that_is_only_in_the_log_is_refused_too(file: Path) -> None:
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("PRAGMA user_version = 9999")
    before = file.read_bytes()

    with pytest.raises(ConfigError, match="9999"):
        await SqliteDatabase.open(file, RecordingHooks())

    assert file.read_bytes() == before
    other.close()


async def test_an_empty_file_becomes_a_new_store(tmp_path: Path) -> None:
    file = tmp_path / "longtable.db"
    file.touch()

    database = await SqliteDatabase.open(file, RecordingHooks())

    assert await database.write("acme", counts()) == 1
    await database.close()


async def test_a_new_store_is_closed_to_other_users(tmp_path: Path) -> None:
    file = tmp_path / "new" / "longtable.db"

    database = await SqliteDatabase.open(file, RecordingHooks())

    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()} == {0o600}
    await database.close()


async def test_pages_that_a_dying_process_left_in_the_log_are_not_missed(file: Path) -> None:
    database = await SqliteDatabase.open(file, RecordingHooks())
    before = file.read_bytes()
    for number in range(100):
        await database.write("acme", counts(name=f"{number}" * 100))
    log = file.with_name(file.name + "-wal")
    logged = log.read_bytes()
    await database.close()
    # As after a kill in the middle of a checkpoint: page one is new, the pages it counts are only in the log.
    file.write_bytes(file.read_bytes()[:4096] + before[4096:])
    log.write_bytes(logged)

    reopened = await SqliteDatabase.open(file, RecordingHooks())

    assert await count_of(reopened, "acme", "99" * 100) == 1
    await reopened.close()


async def test_a_backup_is_a_whole_store(file: Path, tmp_path: Path) -> None:
    database = await SqliteDatabase.open(file, RecordingHooks())
    copy = tmp_path / "copies" / "longtable.db"

    await database.backup(copy)
    await database.write("acme", counts())
    await database.close()

    assert [path.name for path in copy.parent.iterdir()] == ["longtable.db"]
    restored = await SqliteDatabase.open(copy, RecordingHooks())
    assert await count_of(restored, "acme") == 5
    assert copy.with_name(copy.name + "-wal").exists()
    await restored.close()


CHECKPOINT = """
import fcntl, sys
file = open(sys.argv[1], "r+b")
fcntl.lockf(file, fcntl.LOCK_EX, 1, 121)
print("held", flush=True)
sys.stdin.read()
"""
"""Holds the byte by which SQLite knows that a process runs a checkpoint."""


async def test_traces_are_erased_though_another_process_runs_a_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "longtable.db"
    database = await SqliteDatabase.open(path, RecordingHooks())
    await database.write("acme", counts())
    command = (sys.executable, "-c", CHECKPOINT, str(path.with_name("longtable.db-shm")))
    other = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    assert other.stdin is not None
    assert other.stdout is not None
    await other.stdout.readline()

    erasing = asyncio.create_task(database.erase_traces())
    waited, _ = await asyncio.wait({erasing}, timeout=0.2)
    other.stdin.close()
    await other.wait()

    assert not waited
    assert await erasing
    assert path.with_name("longtable.db-wal").stat().st_size == 0
    await database.close()


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file, not a folder")

    with pytest.raises(ConfigError, match="data"):
        await SqliteDatabase.open(tmp_path / "data" / "longtable.db", RecordingHooks())
