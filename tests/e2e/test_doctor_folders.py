"""`longtable doctor` where the data folder, or what lies in it, cannot be opened."""

from pathlib import Path

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


def test_a_store_that_cannot_be_opened_is_not_taken_for_a_damaged_one(tmp_path: Path) -> None:
    program = Program(tmp_path / "data")
    program.does("sessions", "create", "--session-id", "review")
    program.store.with_name("longtable.db-wal").mkdir()

    found = problems(program.data_dir)

    assert list(found) == ["store"]
    assert "Restore" not in found["store"][1]
