"""`longtable doctor` finds what is wrong and names what helps; on a healthy set-up it finds nothing."""

import json
import os
import re
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from longtable.storage.database import Transaction
from tests.e2e.servers import Processes
from tests.schemas import PostgresLogin
from tests.stores import Store

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


def write(path: Path, text: str, mode: int = 0o600) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def config(here: Installation, **options: Any) -> dict[str, str]:
    return {"config_file": str(write(here.home / "longtable.json", json.dumps(options)))}


def gateway(here: Installation) -> dict[str, str]:
    text = json.dumps({"mcpServers": {"echo": {"command": "cat"}, "docs": {"url": "https://docs.example.org/mcp"}}})
    return {"gateway_config": str(write(here.home / "gateway.json", text))}


def with_token(here: Installation) -> dict[str, str]:
    here.runs("token", "create", "--tenant", "acme", "--role", "owner")
    return {"auth": "tokens"}


def with_backup(here: Installation) -> dict[str, str]:
    (here.folder / "backups").mkdir(mode=0o700)
    here.runs("backup", str(here.folder / "backups" / f"scheduled-{time.time_ns() // 1000}.db"))
    return {"backup_every": "24h"}


def with_client(name: str, *flags: str) -> Callable[[Installation], dict[str, str]]:
    def connects(here: Installation) -> dict[str, str]:
        here.runs("connect", name, *flags)
        return {}

    return connects


def with_anchor(here: Installation) -> dict[str, str]:
    here.runs("audit", "verify")
    return {}


HEALTHY: list[Callable[[Installation], dict[str, str]]] = [
    lambda here: {},
    lambda here: {"backup_every": "24h"},
    lambda here: {"http_port": "0"},
    lambda here: {"http_host": "::1"},
    lambda here: {"http_socket_path": str(here.home / "table.sock")},
    lambda here: {"enable_semantic_search": "false", "enable_console": "false"},
    lambda here: {"durability": "fast", "workers": "2", "enable_metrics": "true"},
    lambda here: {"auth_tokens": "acme:some-token", "http_host": "0.0.0.0", "allowed_hosts": "table.example.org"},
    lambda here: config(here, max_notes=7),
    lambda here: config(here, auth_tokens=["acme:some-token"]),
    gateway,
    with_token,
    with_backup,
    with_anchor,
    with_client("cursor"),
    with_client("codex"),
    with_client("goose"),
    with_client("windsurf"),
    with_client("opencode"),
    with_client("gemini-cli", "--agent", "ada"),
]


def test_nothing_is_found_on_twenty_healthy_installations(here: Installation) -> None:
    assert here.problems() == []
    here.makes_store()

    found = [here.problems(**prepare(here)) for prepare in HEALTHY]

    assert len(HEALTHY) == 20
    assert found == [[]] * 20


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


CURSOR = ".cursor/mcp.json"
CODEX = ".codex/config.toml"
GOOSE = ".config/goose/config.yaml"


def in_home(path: str, text: str) -> Callable[[Installation], Any]:
    return lambda here: write(here.home / path, text)


def beside(name: str, text: str = "", mode: int = 0o600) -> Callable[[Installation], Any]:
    return lambda here: write(here.folder / name, text, mode)


def lose_the_end(here: Installation) -> None:
    here.runs("audit", "verify")
    anchors = here.folder / "longtable.db.anchor"
    anchors.write_text(
        re.sub(r'("seq": ?|\[)(\d+)', lambda found: f"{found[1]}{int(found[2]) + 9}", anchors.read_text())
    )


def take_the_lock(here: Installation) -> None:
    lock = here.folder / "longtable.db.lock"
    lock.unlink()
    lock.mkdir()


def lead_nowhere(here: Installation) -> None:
    here.store.unlink()
    here.store.symlink_to(here.home / "unmounted.db")


def open_the_backups(here: Installation) -> None:
    (here.folder / "backups").mkdir()
    (here.folder / "backups").chmod(0o755)


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
        (
            in_home(CURSOR, '{"mcpServers": {"longtable": {"command": "/gone/longtable", "args": []}}}'),
            "clients",
            "error",
            "longtable connect cursor",
        ),
        (
            in_home(CODEX, '[mcp_servers.longtable]\ncommand = "/gone/it"\n'),
            "clients",
            "error",
            "longtable connect codex",
        ),
        (
            in_home(CURSOR, '{"mcpServers": {"longtable": {"url": "http://127.0.0.1:9/mcp"}}}'),
            "clients",
            "warning",
            "longtable serve --http-port 9",
        ),
        (in_home(CURSOR, "{"), "clients", "warning", "Repair"),
        (in_home(CODEX, "[mcp_servers"), "clients", "warning", "Repair"),
        (in_home(GOOSE, "extensions: [\n"), "clients", "warning", "Repair"),
        (lead_nowhere, "store", "error", "remove the link"),
        (take_the_lock, "lock", "error", "Remove"),
        (lambda here: (here.folder / "longtable.db.lock").chmod(0o400), "lock", "error", "chmod u+w"),
        (beside("longtable.db.unfinished"), "leftovers", "warning", "longtable migrate"),
        (beside("backups"), "backups", "error", "Move it away"),
        (open_the_backups, "backups", "warning", "chmod 700"),
        (beside("upstream-tokens.key", "k" * 40, 0o644), "key", "warning", "chmod 600"),
        (beside("upstream-tokens.key", "short"), "key", "error", "Put the right one back"),
        (lose_the_end, "audit", "error", "--accept-shorter"),
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


def secrets_for_all(here: Installation) -> dict[str, str]:
    return {"config_file": str(write(here.home / "open.json", json.dumps({"auth_tokens": ["acme:t"]}), 0o644))}


@pytest.mark.parametrize(
    ("options", "check", "severity", "remedy"),
    [
        (lambda here: {"max_notes": "many"}, "configuration", "error", "longtable config"),
        (lambda here: {"sse_path": "/mcp"}, "configuration", "error", "longtable config"),
        (lambda here: {"auth": "jwt"}, "configuration", "error", "longtable config"),
        (
            lambda here: {"config_file": str(write(here.home / "c.json", "{"))},
            "configuration",
            "error",
            "longtable config",
        ),
        (lambda here: config(here, max_noats=7), "configuration", "error", "longtable config"),
        (secrets_for_all, "configuration", "warning", "chmod 600"),
        (lambda here: {"max_noats": "7"}, "configuration", "warning", "correct its name"),
        (lambda here: {"http_socket_path": str(here.home / "no" / "t.sock")}, "port", "error", "mkdir -p"),
        (lambda here: {"http_socket_path": str(write(here.home / "file", ""))}, "port", "error", "Move it away"),
        (lambda here: {"http_host": "192.0.2.1"}, "port", "error", "--auth tokens"),
        (lambda here: {"http_host": "192.0.2.1", "auth_tokens": "a:t"}, "port", "error", "address of this machine"),
        (lambda here: {"auth": "tokens"}, "tokens", "warning", "longtable token create"),
        (lambda here: {"auth_token_file": str(write(here.home / "t.json", "{"))}, "tokens", "error", "Repair the file"),
        (lambda here: {"auth_tokens": "*:secret"}, "tokens", "error", "or auth_tokens"),
        (
            lambda here: {"embedding_model": str(here.home / "none")},
            "model",
            "warning",
            "--enable-semantic-search false",
        ),
        (lambda here: {"gateway_config": str(here.home / "none.json")}, "upstreams", "error", "Repair the file"),
    ],
)
def test_mistakes_in_the_configuration_are_found(
    here: Installation, options: Callable[[Installation], dict[str, str]], check: str, severity: str, remedy: str
) -> None:
    [(found_check, found_severity, found_remedy)] = here.problems(**options(here))

    assert (found_check, found_severity) == (check, severity)
    assert remedy in found_remedy


async def test_what_is_wrong_with_a_server_store_is_found(
    here: Installation, replicated: Store, postgres: PostgresLogin
) -> None:
    by_keyword = {"enable_semantic_search": "false"}
    sound = here.problems(store=replicated.address, **by_keyword)
    database = await replicated.open()
    await database.write("*", partial(_set_schema, number=9999))
    newer = here.problems(store=replicated.address, **by_keyword)
    await database.write("*", partial(_forget_schema, number=9999))
    superuser = here.problems(store=postgres.admin_url, **by_keyword)

    assert sound == []
    assert [each[:2] for each in newer] == [("store", "error")]
    assert [each[:2] for each in superuser] == [("store", "warning")]


async def _set_schema(tx: Transaction, number: int) -> None:
    await tx.execute("INSERT INTO schema_migrations (number, name) VALUES (:number, 'future')", number=number)


async def _forget_schema(tx: Transaction, number: int) -> None:
    await tx.execute("DELETE FROM schema_migrations WHERE number = :number", number=number)


def test_a_server_that_cannot_be_reached_is_found(here: Installation) -> None:
    found = here.problems(store="postgresql://nobody@127.0.0.1:9/none")

    assert [each[:2] for each in found] == [("store", "error")]


def test_a_damaged_backup_is_found(here: Installation) -> None:
    here.makes_store()
    (here.folder / "backups").mkdir(mode=0o700)
    write(here.folder / "backups" / f"scheduled-{time.time_ns() // 1000}.db", "rubbish" * 99)

    assert [each[:2] for each in here.problems(backup_every="1h")] == [("backups", "error")]


def test_late_backups_are_found(here: Installation) -> None:
    here.makes_store()
    (here.folder / "backups").mkdir(mode=0o700)
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
