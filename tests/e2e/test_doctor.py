"""`longtable doctor` finds what is wrong and names what helps; on a healthy set-up it finds nothing."""

import json
import os
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.servers import Processes

pytestmark = pytest.mark.slow


@dataclass
class Installation:
    """A data folder with a store in it, and a user's home."""

    processes: Processes
    folder: Path
    home: Path

    @property
    def store(self) -> Path:
        return self.folder / "longtable.db"

    def makes_store(self) -> None:
        self.runs("sessions", "create", "--session-id", "review")

    def runs(self, *words: str, code: int | None = 0, **options: str) -> Any:
        done = self.processes.run(
            *words, "--json", options={"data_dir": str(self.folder), "http_port": "8799", **options}
        )
        assert code is None or done.returncode == code, done.stderr + done.stdout
        return json.loads(done.stdout or done.stderr)

    def problems(self, *words: str, **options: str) -> list[tuple[str, str, str]]:
        found = self.runs("doctor", *words, code=None, **options)["findings"]
        return [(each["check"], each["severity"], each["remedy"]) for each in found if each["severity"] != "ok"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installation]:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    processes = Processes(tmp_path)
    yield Installation(processes, tmp_path / "data", home)
    processes.end()


def test_a_new_and_a_used_installation_are_healthy(here: Installation) -> None:
    before = here.problems()
    here.makes_store()
    here.runs("connect", "cursor")
    with_everything = here.problems(backup_every="24h")

    assert (before, with_everything) == ([], [])


def damage(here: Installation) -> None:
    whole = bytearray(here.store.read_bytes())
    whole[8192:40960] = bytes(32768)
    here.store.write_bytes(whole)


def execute(here: Installation, statement: str) -> None:
    with sqlite3.connect(here.store) as store:
        store.execute(statement)
    store.close()


def leave_a_log_alone(here: Installation) -> None:
    here.store.unlink()
    here.store.with_name("longtable.db-wal").write_bytes(b"x" * 100)


def come_from_the_future(here: Installation) -> None:
    later = time.time() + 86_400
    os.utime(here.store, (later, later))


def leave_a_part(here: Installation) -> None:
    part = here.folder / "copy.db.part-77"
    part.write_bytes(b"x")
    os.utime(part, (1, 1))


def name_a_lost_program(here: Installation) -> None:
    file = here.home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text('{"mcpServers": {"longtable": {"command": "/gone/longtable", "args": []}}}')


def spoil_a_clients_file(here: Installation) -> None:
    file = here.home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text("{")


@pytest.mark.parametrize(
    ("plant", "check", "severity", "remedy"),
    [
        (lambda here: here.store.write_bytes(b"rubbish" * 99), "store", "error", "longtable restore"),
        (damage, "store", "error", "longtable restore"),
        (lambda here: execute(here, "PRAGMA application_id = 7"), "store", "error", "--data-dir"),
        (lambda here: execute(here, "PRAGMA user_version = 9999"), "store", "error", "newer Longtable"),
        (leave_a_log_alone, "store", "error", "Put longtable.db back"),
        (lambda here: here.store.chmod(0o400), "store", "error", "chmod u+w"),
        (lambda here: here.store.chmod(0o644), "store", "warning", "chmod 600"),
        (lambda here: here.folder.chmod(0o755), "data folder", "warning", "chmod 700"),
        (come_from_the_future, "clock", "error", "Set the clock"),
        (leave_a_part, "leftovers", "warning", "Delete them"),
        (name_a_lost_program, "clients", "error", "longtable connect cursor"),
        (spoil_a_clients_file, "clients", "warning", "Repair"),
    ],
)
def test_what_is_wrong_is_found_with_its_remedy(
    here: Installation, plant: Callable[[Installation], Any], check: str, severity: str, remedy: str
) -> None:
    here.makes_store()
    plant(here)

    [(found_check, found_severity, found_remedy)] = here.problems()

    assert (found_check, found_severity) == (check, severity)
    assert remedy in found_remedy


def test_a_folder_that_is_none_is_found(here: Installation) -> None:
    here.folder.write_text("a file")

    assert ("data folder", "error") in {each[:2] for each in here.problems()}


def test_a_port_that_another_program_has_is_found_and_one_of_ours_is_fine(here: Installation) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = here.problems(http_port=str(other.getsockname()[1]))
    server = here.processes.serve({"data_dir": str(here.folder)})
    ours = here.problems(http_port=str(server.port))

    assert [each[:2] for each in taken] == [("port", "error")]
    assert ours == []


def test_an_open_door_is_found(here: Installation) -> None:
    [(check, severity, remedy)] = here.problems(http_host="192.0.2.1")

    assert (check, severity) == ("port", "error")
    assert "--auth tokens" in remedy


@pytest.mark.parametrize(
    ("text", "remedy"),
    [('{"mcpServers": {', "Repair the file"), ('{"mcpServers": {"a": {"command": "no-such-program"}}}', "Install it")],
)
def test_mistakes_in_the_gateway_file_are_found(here: Installation, text: str, remedy: str) -> None:
    file = here.home / "gateway.json"
    file.write_text(text)
    file.chmod(0o600)

    [(check, severity, found)] = here.problems(gateway_config=str(file))

    assert (check, severity) == ("upstreams", "error")
    assert remedy in found


def test_a_mistake_in_the_configuration_is_found(here: Installation) -> None:
    assert [each[:2] for each in here.problems(max_notes="many")] == [("configuration", "error")]


def test_a_server_that_cannot_be_reached_is_found(here: Installation) -> None:
    found = here.problems(store="postgresql://nobody@127.0.0.1:9/none")

    assert [each[:2] for each in found] == [("store", "error")]


def test_late_backups_are_found(here: Installation) -> None:
    here.makes_store()
    (here.folder / "backups").mkdir()
    (here.folder / "backups" / "scheduled-1700000000000000.db").write_bytes(b"")

    assert [each[:2] for each in here.problems(backup_every="1h")] == [("backups", "warning")]


def test_fix_repairs_what_is_harmless_and_the_exit_code_tells_of_errors(here: Installation) -> None:
    here.makes_store()
    here.store.chmod(0o644)
    here.folder.chmod(0o755)
    leave_a_part(here)

    fixed = here.runs("doctor", "--fix")
    after = here.problems()
    here.store.write_bytes(b"rubbish" * 99)
    here.runs("doctor", code=1)

    assert len(fixed["fixed"]) == 3
    assert after == []
    assert here.store.stat().st_mode & 0o777 == 0o600
