"""`longtable bench` measures this machine without the repository."""

from pathlib import Path

import pytest

from tests.e2e.program import Program

pytestmark = pytest.mark.slow


def test_it_measures_writes_reads_and_the_floor_below_them(tmp_path: Path) -> None:
    told = Program(tmp_path / "data").does("bench", "--seconds", "0.2", "--writers", "4")

    measured = {each["what"]: each for each in told["measurements"]}
    assert list(measured) == [
        "commit of SQLite, no server",
        "GET /health",
        "add_note, one writer",
        "add_note, 4 writers",
        "read_notes, 50 of them",
    ]
    for each in told["measurements"]:
        assert each["calls"] > 0
        assert 0 < each["p50_ms"] <= each["p95_ms"]
        assert each["per_second"] > 0
    assert not (tmp_path / "data").exists()
