"""Three hundred files that are damaged or of another program: each is refused with a remedy, and left as it is."""
# ruff: noqa: ASYNC240  these tests are about files, and nobody waits meanwhile

import gzip
import io
import json
import random
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from longtable.kernel.errors import ConfigError
from longtable.storage.sqlite import SqliteDatabase
from tests.stores import RecordingHooks, Store
from tests.table import open_table

PAGE = 4096
FILES = 300


@pytest.fixture
async def store(tmp_path: Path) -> bytes:
    """A store that was in use, and has no log beside it."""
    file = tmp_path / "whole" / "longtable.db"
    async with open_table(Store("sqlite", str(file)), tmp_path) as table:
        agent = table.agent("ann", await table.session("sess_one"))
        for number in range(40):
            await agent.adds_note(f"note {number} " + "otter heron " * 30, tags=["birds"])
            await agent.calls("add_message", content=f"message {number}")
    return file.read_bytes()


def shortened(store: bytes, chance: random.Random) -> bytes:
    return store[: chance.randrange(1, len(store) - PAGE)]


def with_rubbish_in_a_page(store: bytes, chance: random.Random) -> bytes:
    return _with_page(store, chance.choice(_trees(store)), chance.randbytes(PAGE))


def with_an_empty_page(store: bytes, chance: random.Random) -> bytes:
    return _with_page(store, chance.choice(_trees(store)), bytes(PAGE))


def with_a_page_of_another_kind(store: bytes, chance: random.Random) -> bytes:
    """The first byte of a page says what it is."""
    page = chance.choice(_trees(store))
    allowed = (0x02, 0x05, 0x0A, 0x0D)
    kind = chance.choice([byte for byte in range(256) if byte not in allowed])
    return _with_page(store, page, bytes([kind]) + store[page * PAGE + 1 : (page + 1) * PAGE])


def with_a_spoilt_header(store: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(16)
    return store[:place] + bytes([store[place] ^ (1 << chance.randrange(8))]) + store[place + 1 :]


def with_another_mark(store: bytes, chance: random.Random) -> bytes:
    """The number that says which program a file belongs to."""
    return store[:68] + chance.randbytes(4) + store[72:]


def with_a_newer_schema(store: bytes, chance: random.Random) -> bytes:
    return store[:60] + chance.randrange(1_000, 2**31).to_bytes(4, "big") + store[64:]


def of_another_program(store: bytes, chance: random.Random) -> bytes:
    with closing(sqlite3.connect(":memory:")) as other:
        for number in range(chance.randrange(1, 5)):
            other.execute(f"CREATE TABLE notes{number or ''} (name TEXT, value{chance.randrange(100)} TEXT)")
        other.execute(f"PRAGMA user_version = {chance.randrange(40)}")
        other.execute("INSERT INTO notes VALUES ('a', 'b')")
        other.commit()
        return other.serialize()


def no_database(store: bytes, chance: random.Random) -> bytes:
    text = json.dumps({"notes": [chance.randrange(1_000) for _ in range(100)]}).encode()
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("notes.json", text)
    return chance.choice([text, gzip.compress(store), zipped.getvalue(), chance.randbytes(9_000), b"\0" * 8_192])


DAMAGES: list[Callable[[bytes, random.Random], bytes]] = [
    shortened,
    with_rubbish_in_a_page,
    with_an_empty_page,
    with_a_page_of_another_kind,
    with_a_spoilt_header,
    with_another_mark,
    with_a_newer_schema,
    of_another_program,
    no_database,
]


async def test_three_hundred_files_that_will_not_do_are_refused_and_left_as_they_are(
    store: bytes, tmp_path: Path
) -> None:
    accepted = []
    for number in range(FILES):
        damage = DAMAGES[number % len(DAMAGES)]
        file = tmp_path / str(number) / "longtable.db"
        file.parent.mkdir()
        file.write_bytes(damage(store, random.Random(number)))
        if not await _is_refused(file):
            accepted.append(f"{number}: {damage.__name__}")

    assert accepted == []


async def test_the_whole_one_is_accepted(store: bytes, tmp_path: Path) -> None:
    """The control: it is not that everything is refused."""
    file = tmp_path / "longtable.db"
    file.write_bytes(store)

    assert not await _is_refused(file)


async def _is_refused(file: Path) -> bool:
    """And as it was. Only what SQLite and we need to read it may lie beside it."""
    before = (file.read_bytes(), file.stat().st_mtime_ns)
    try:
        database = await SqliteDatabase.open(file, RecordingHooks())
    except ConfigError as error:
        unchanged = (file.read_bytes(), file.stat().st_mtime_ns) == before
        beside = {other.name.removeprefix(file.name) for other in file.parent.iterdir()}
        return unchanged and beside <= {"", "-wal", "-shm", ".lock"} and str(file) in error.message
    await database.close()
    return False


def _with_page(store: bytes, page: int, content: bytes) -> bytes:
    return store[: page * PAGE] + content + store[(page + 1) * PAGE :]


def _trees(store: bytes) -> list[int]:
    """The pages at which a table or an index begins, after the first, counted from 0."""
    with closing(sqlite3.connect(":memory:")) as copy:
        # As a file without a log: in memory there is none.
        copy.deserialize(store[:18] + b"\1\1" + store[20:])
        roots = [root for (root,) in copy.execute("SELECT rootpage FROM sqlite_master WHERE rootpage > 1")]
    return [root - 1 for root in roots]
