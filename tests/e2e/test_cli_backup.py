"""`longtable backup` and `restore`: a copy made while agents write holds a prefix of what was acknowledged."""

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.backups import check_backups_under_load, runs
from tests.e2e.servers import Options, Processes

pytestmark = pytest.mark.slow


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    made = Processes(tmp_path)
    yield made
    made.end()


@pytest.fixture
def data(tmp_path: Path) -> Options:
    return {"data_dir": str(tmp_path / "data")}


async def test_backups_under_load_restore_to_a_prefix_of_what_was_acknowledged(
    processes: Processes, data: Options, tmp_path: Path
) -> None:
    await check_backups_under_load(processes, data, tmp_path, backups=20, writers=16)


def test_a_restored_store_serves_and_its_audit_log_holds(processes: Processes, data: Options, tmp_path: Path) -> None:
    runs(processes, "sessions", "create", "--session-id", "review", options=data)
    made = runs(processes, "backup", "copy.backup", options=data)
    other = {"data_dir": str(tmp_path / "other")}

    restored = runs(processes, "restore", made["file"], options=other)
    verified = runs(processes, "audit", "verify", options=other)
    listed = runs(processes, "sessions", "list", options=other)

    assert restored["events"] == made["events"]
    assert restored["audit_records"] == sum(each["records"] for each in verified["tenants"])
    assert [each["session_id"] for each in listed["sessions"]] == ["review"]
    assert (tmp_path / "copy.backup").stat().st_mode & 0o777 == 0o600


def test_nothing_that_is_there_is_overwritten(processes: Processes, data: Options, tmp_path: Path) -> None:
    runs(processes, "sessions", "create", "--session-id", "review", options=data)
    (tmp_path / "mine").write_text("precious")

    refused = runs(processes, "backup", "mine", options=data, code=1)
    runs(processes, "backup", "copy", options=data)
    again = runs(processes, "backup", "copy", "--overwrite", options=data)
    not_empty = runs(processes, "restore", "copy", options=data, code=1)

    assert "is there already" in refused["error"]["error"]
    assert (tmp_path / "mine").read_text() == "precious"
    assert again["bytes"] > 0
    assert "There is a store already" in not_empty["error"]["error"]


@pytest.mark.parametrize("kind", ["absent", "rubbish", "foreign", "damaged", "newer"])
def test_a_bad_backup_is_refused_and_leaves_nothing_behind(
    processes: Processes, data: Options, tmp_path: Path, kind: str
) -> None:
    runs(processes, "sessions", "create", "--session-id", "review", options=data)
    runs(processes, "backup", "copy", options=data)
    copy = tmp_path / "copy"
    if kind == "absent":
        copy.unlink()
    elif kind == "rubbish":
        copy.write_bytes(b"rubbish" * 1000)
    elif kind == "damaged":
        whole = bytearray(copy.read_bytes())
        whole[8192:40960] = bytes(32768)
        copy.write_bytes(whole)
    else:
        with sqlite3.connect(copy) as store:
            store.execute("PRAGMA application_id = 7" if kind == "foreign" else "PRAGMA user_version = 9999")
        store.close()
    other = tmp_path / "other"

    refused = runs(processes, "restore", "copy", options={"data_dir": str(other)}, code=1)

    assert str(copy.name) in refused["error"]["error"]
    assert not other.exists() or list(other.iterdir()) == []


async def test_scheduled_backups_are_made_and_old_ones_go(processes: Processes, data: Options, tmp_path: Path) -> None:
    server = processes.serve({**data, "backup_every": "1s", "backup_keep": "2"})
    folder = tmp_path / "data" / "backups"
    seen: set[str] = set()
    async with asyncio.timeout(60):
        while len(seen) < 4:
            seen |= {path.name for path in folder.glob("scheduled-*.db")}
            await asyncio.sleep(0.05)
    server.stop()

    kept = sorted(path.name for path in folder.glob("scheduled-*.db"))
    assert len(kept) in (2, 3)
    assert kept[-1] == max(seen | set(kept))


def test_a_store_that_is_no_file_names_what_copies_it(processes: Processes) -> None:
    refused = processes.run("restore", "copy", options={"store": "postgresql://nobody@127.0.0.1:9/none"})

    assert refused.returncode == 1
    assert "pg_dump" in refused.stderr


@pytest.fixture
def secret(tmp_path: Path) -> str:
    file = tmp_path / "passphrase"
    file.write_text("correct horse battery staple\n")
    file.chmod(0o600)
    return str(file)


def test_an_encrypted_backup_shows_nothing_and_is_restored_with_its_passphrase(
    processes: Processes, data: Options, tmp_path: Path, secret: str
) -> None:
    runs(processes, "sessions", "create", "--session-id", "review", "--purpose", "the heron", options=data)
    made = runs(processes, "backup", "copy", "--passphrase-file", secret, options=data)
    with_variable = {"data_dir": str(tmp_path / "other"), "backup_passphrase": "correct horse battery staple"}

    restored = runs(processes, "restore", "copy", options=with_variable)
    listed = runs(processes, "sessions", "list", options={"data_dir": str(tmp_path / "other")})

    whole = (tmp_path / "copy").read_bytes()
    assert made["encrypted"] is True
    assert made["bytes"] == len(whole)
    assert b"SQLite" not in whole
    assert b"heron" not in whole
    assert restored["events"] == made["events"]
    assert [each["session_id"] for each in listed["sessions"]] == ["review"]
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o600
    assert [each.name for folder in ("data", "other") for each in (tmp_path / folder).glob("*part*")] == []


@pytest.mark.parametrize("kind", ["none", "another", "changed", "cut off", "not the passphrase's file"])
def test_an_encrypted_backup_is_refused_without_its_passphrase_or_when_it_was_changed(
    processes: Processes, data: Options, tmp_path: Path, secret: str, kind: str
) -> None:
    runs(processes, "sessions", "create", "--session-id", "review", options=data)
    runs(processes, "backup", "copy", "--passphrase-file", secret, options=data)
    copy, other = tmp_path / "copy", tmp_path / "other"
    given = ["--passphrase-file", secret]
    if kind == "none":
        given = []
    elif kind == "another":
        Path(secret).write_text("incorrect horse")
    elif kind == "changed":
        whole = bytearray(copy.read_bytes())
        whole[len(whole) // 2] ^= 1
        copy.write_bytes(whole)
    elif kind == "cut off":
        copy.write_bytes(copy.read_bytes()[: 37 + 3 * (2**16 + 16)])
    else:
        Path(secret).chmod(0o644)

    refused = runs(processes, "restore", "copy", *given, options={"data_dir": str(other)}, code=1)

    assert refused["error"]["code"] == "CONFIG_ERROR"
    assert not other.exists()
