"""`longtable export` and `import` as a person types them, beside a server that works and in spite of a kill."""

import asyncio
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.program import Program
from tests.e2e.servers import Options, Processes
from tests.spec.transfer.generated import GeneratedExport

pytestmark = pytest.mark.slow


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    made = Processes(tmp_path)
    yield made
    made.end()


def many(sessions: int) -> GeneratedExport:
    export = GeneratedExport(sessions)
    for number in range(sessions):
        export.add_session(f"session-{number}")
    return export


def ids_in(path: Path) -> list[str]:
    lines = (json.loads(line) for line in path.read_bytes().splitlines())
    return [line["id"] for line in lines if line.get("type") == "session"]


async def test_an_export_beside_writers_is_of_one_moment(processes: Processes, tmp_path: Path) -> None:
    data: Options = {"data_dir": str(tmp_path / "data")}
    server = processes.serve(data)
    writers = [server.agent(f"agent-{number}", "sess_one") for number in range(3)]
    first = server.agent("first")
    await first.calls("create_session", session_id="sess_one")
    await writers[0].calls("add_note", content="the first note")
    is_over = asyncio.Event()

    async def writes(number: int) -> None:
        while not is_over.is_set():
            await writers[number].calls("add_note", content="a note")
            await writers[number].calls("add_message", content="a message")

    writing = [asyncio.create_task(writes(number)) for number in range(3)]
    files = [tmp_path / f"{number}.jsonl" for number in range(3)]
    for file in files:
        done = await asyncio.to_thread(processes.run, "export", str(file), "--json", options=data)
        assert done.returncode == 0, done.stderr
    is_over.set()
    await asyncio.gather(*writing)
    for agent in (first, *writers):
        await agent.client.aclose()
    server.stop()

    for file in files:
        lines = [json.loads(line) for line in file.read_bytes().splitlines()]
        things = sum(line.get("type") in ("note", "message") for line in lines)
        told = sum(line.get("kind") in ("scratchpad/note_added", "message/added") for line in lines)
        assert things == told > 0
    other = Program(tmp_path / "other")
    other.does("import", str(files[-1]))
    other.does("export", str(tmp_path / "again.jsonl"))
    assert (tmp_path / "again.jsonl").read_bytes() == files[-1].read_bytes()


def test_an_import_that_is_killed_leaves_whole_sessions_and_goes_on(program: Program, tmp_path: Path) -> None:
    export = many(60)
    file = tmp_path / "all.jsonl"
    file.write_bytes(export.encoded("tenant"))
    program.does("sessions", "create", "--session-id", "first")

    running = subprocess.Popen(
        [".venv/bin/longtable", "import", str(file)], env=program.environment(), stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    while len(program.rows("SELECT 1 FROM sessions")) < 4 and time.monotonic() < deadline:
        time.sleep(0.005)
    running.send_signal(signal.SIGKILL)
    running.wait()

    program.does("export", str(tmp_path / "half.jsonl"), "--tenant", "default")
    half = set(ids_in(tmp_path / "half.jsonl")) - {"first"}
    assert 0 < len(half) <= 60
    whole = units(file)
    assert all(unit == whole[id] for id, unit in units(tmp_path / "half.jsonl").items() if id in half)
    told = program.does("import", str(file), "--on-conflict", "skip")
    assert set(told["skipped"]) == half
    assert len(told["sessions"]) == 60 - len(half)


def units(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The lines of each session."""
    found: dict[str, list[dict[str, Any]]] = {}
    lines: list[dict[str, Any]] = []
    for raw in path.read_bytes().splitlines()[1:-1]:
        line = json.loads(raw)
        if line["type"] == "session":
            lines = found.setdefault(line["id"], [])
        lines.append(line)
    return found


def test_a_folder_to_read_is_made_whole_or_not_at_all(program: Program, tmp_path: Path) -> None:
    program.does("sessions", "create", "--session-id", "first", "--purpose", "Read me")

    told = program.does("export", str(tmp_path / "table"), "--format", "markdown")

    assert told["sessions"] == 1
    assert "- [Read me](default/sessions/first/README.md)" in (tmp_path / "table" / "index.md").read_text()
    assert program.refuses("export", str(tmp_path / "table"), "--format", "markdown") == (1, "CONFIG_ERROR")
    assert program.refuses("export", str(tmp_path / "x"), "--format", "markdown", "--session", "no")[0] == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "table"]


def test_commands_say_what_they_have_done(program: Program, tmp_path: Path) -> None:
    (tmp_path / "heron.md").write_text("# Heron\n\nIt waits by the river.\n")

    imported = program.run("import", str(tmp_path / "heron.md"), "--session", "birds")
    exported = program.run("export", str(tmp_path / "birds"), "--session", "birds")

    assert imported.out == "Imported 2 records: 1 session, 0 scratchpads, 0 memory entries.\n", imported.err
    assert exported.out.endswith("has 1 session, 0 scratchpads and 2 records.\n"), exported.err


def test_an_import_is_told_the_limits_of_the_server_whose_file_it_is(program: Program, tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text("x" * 70_000)

    refused = program.run("import", str(tmp_path / "long.md"))
    told = program.does("import", str(tmp_path / "long.md"), "--max-note-bytes", "100000")

    assert (refused.status, "larger than a note may be" in refused.err) == (1, True)
    assert told["records"] == 2


def test_a_folder_with_a_name_that_is_no_text_is_refused_by_it(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / os.fsdecode(b"caf\xe9.md")).write_text("text")

    ended = program.run("import", str(folder))

    assert (ended.status, "VALIDATION_ERROR" in ended.err, "caf?.md" in ended.err) == (1, True, True), ended.err


def test_commands_refuse_what_they_cannot_do(program: Program, tmp_path: Path) -> None:
    program.does("sessions", "create", "--session-id", "first")
    there, broken = tmp_path / "there", tmp_path / "broken"
    there.write_text("mine")
    broken.write_text('{"format":"longtable","version":1,"scope":"all"}\n{"type":"note"')

    assert program.refuses("export", str(there)) == (1, "CONFIG_ERROR")
    assert program.refuses("export", str(tmp_path / "no" / "folder")) == (1, "CONFIG_ERROR")
    assert program.refuses("export", str(tmp_path / "x"), "--session", "nobody") == (1, "SESSION_NOT_FOUND")
    assert program.refuses("export", str(tmp_path / "x"), "--notebook", "nobody") == (1, "NOT_FOUND")
    assert program.refuses("export", str(tmp_path / "x"), "--session", "a", "--notebook", "b")[0] == 2
    assert program.refuses("import", str(tmp_path / "absent")) == (1, "CONFIG_ERROR")
    ended = program.run("import", str(broken))
    assert (ended.status, "Line 2: the file ends in the middle" in ended.err) == (1, True)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["broken", "there"]
    assert there.read_text() == "mine"
