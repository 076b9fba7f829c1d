"""`longtable doctor` where the data folder, or what lies in it, cannot be opened."""

import sys
from pathlib import Path

import pytest

from tests.e2e.program import Program


def problems(data_dir: Path) -> dict[str, tuple[str, str]]:
    found = Program(data_dir).run("doctor", "--json").json["findings"]
    return {each["check"]: (each["severity"], each["remedy"]) for each in found if each["severity"] == "error"}


def test_a_folder_that_cannot_be_opened_is_found(tmp_path: Path) -> None:
    assert list(problems(tmp_path / ("x" * 300))) == ["data folder"]


def test_a_folder_that_cannot_be_made_is_found(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("a file")

    assert list(problems(place / "data")) == ["data folder"]


@pytest.mark.skipif(sys.platform != "linux", reason="needs a folder whose mode nobody can change")
def test_what_cannot_be_repaired_keeps_nothing_else_from_being_repaired(tmp_path: Path) -> None:
    program = Program(tmp_path / "data")
    program.does("sessions", "create", "--session-id", "review")
    (program.data_dir / "backups").symlink_to("/proc/sys/kernel")
    key = program.data_dir / "upstream-tokens.key"
    key.write_bytes(b"k" * 32)
    key.chmod(0o644)

    ended = program.run("doctor", "--fix")

    assert key.stat().st_mode & 0o777 == 0o600
    assert "fixed    Others on this machine can open" in ended.out
    assert "not fixed: Others on this machine can open" in ended.err
    assert "Operation not permitted" in ended.err


def test_a_store_that_cannot_be_opened_is_not_taken_for_a_damaged_one(tmp_path: Path) -> None:
    program = Program(tmp_path / "data")
    program.does("sessions", "create", "--session-id", "review")
    program.store.with_name("longtable.db-wal").mkdir()

    found = problems(program.data_dir)

    assert list(found) == ["store"]
    assert "Restore" not in found["store"][1]
