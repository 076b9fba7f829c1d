"""Mistakes on the command line: each is named, nothing is changed, and no secret is repeated. In this process: a
start of the program for each of them would cost more than it shows."""

import contextlib
import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from longtable.cli.commands import run as run_program

pytestmark = pytest.mark.slow

SECRET = "s3cr3t-of-mine"
AGENT = ["--tenant", "acme", "--role", "agent", "--agent", "ann", "--session", "plans"]


@dataclass(frozen=True)
class ParsedCommandLine:
    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.out)
        return body


Run = Callable[..., ParsedCommandLine]


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LONGTABLE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path / "data"


@pytest.fixture
def run(data_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*words: str) -> ParsedCommandLine:
        monkeypatch.setattr("sys.argv", ["longtable", *words])
        with pytest.raises(SystemExit) as ended:
            run_program()
        written = capsys.readouterr()
        return ParsedCommandLine(int(ended.value.code or 0), written.out, written.err)

    return run


def rows(data_dir: Path, sql: str) -> list[tuple[Any, ...]]:
    with contextlib.closing(sqlite3.connect(data_dir / "longtable.db")) as connection:
        return list(connection.execute(sql))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["tokne"], "Did you mean 'token'?"),
        (["token", "creat"], "Did you mean 'create'?"),
        (["token"], "Missing command."),
        (["serve", "--http-prot", "1"], "--http-prot"),
        (["token", "list", f"--zzz={SECRET}"], "--zzz"),
        (["token", "list", f"alice:{SECRET}"], "1 unexpected argument(s) that belong to no flag"),
        (["serve", "--auth-token", "a:1", f"b:{SECRET}"], "1 unexpected argument(s) that belong to no flag"),
        (["token", "revoke"], "token_id"),
    ],
)
def test_what_is_not_understood_exits_with_2_and_repeats_no_secret(
    run: Run, data_dir: Path, words: list[str], expected: str
) -> None:
    ended = run(*words)

    assert ended.status == 2
    assert ended.out == ""
    assert ended.err.startswith("longtable: INVALID_ARGUMENT: ")
    assert expected.lower() in ended.err.lower()
    assert SECRET not in ended.err
    assert not data_dir.exists()


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["serve", "--http-port", "high"], "http_port"),
        (["serve", "--http-host", "0.0.0.0"], "http_host"),
        (["config", "--session-ttl", ""], "session_ttl"),
        (["token", "list", "--store", "mysql://x"], "store"),
        (["token", "list", "--config-file", "/"], "config_file"),
    ],
)
def test_a_wrong_option_exits_with_1_and_is_named(run: Run, data_dir: Path, words: list[str], option: str) -> None:
    ended = run(*words)

    assert ended.status == 1
    assert ended.out == ""
    assert ended.err.startswith(f"longtable: CONFIG_ERROR: {option}: ")
    assert ended.err.count("\n") == 1
    assert not data_dir.exists()


@pytest.mark.parametrize(
    "words",
    [
        ["token", "list"],
        ["token", "revoke", "token_1"],
        ["sessions", "list"],
        ["sessions", "close", "abc"],
        ["trash", "list"],
        ["trash", "restore", "abc"],
        ["audit", "verify"],
        ["audit", "export"],
        ["console"],
    ],
    ids=" ".join,
)
def test_a_mistyped_folder_is_refused_and_not_filled(run: Run, data_dir: Path, words: list[str]) -> None:
    ended = run(*words, "--json")

    assert ended.status == 1
    assert ended.json["error"]["code"] == "CONFIG_ERROR"
    assert ended.json["error"]["details"]["option"] == "data_dir"
    assert not data_dir.exists()


def test_config_tells_each_value_and_where_it_comes_from(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"http_port": 1111, "max_notes": 7}))
    monkeypatch.setenv("LONGTABLE_AGENT", "ann")
    monkeypatch.setenv("LONGTABLE_AGNET", "x")
    flags = ["--config-file", str(file), "--http-port", "2222", "--auth-token", f"alice:{SECRET}"]

    ended = run("config", "--json", *flags)

    shown = {option["name"]: (option["value"], option["source"]) for option in ended.json["options"]}
    assert ended.status == 0
    assert shown["http_port"] == (2222, "flag")
    assert shown["max_notes"] == (7, "file")
    assert shown["agent"] == ("ann", "environment")
    assert shown["http_path"] == ("/mcp", "default")
    assert shown["auth"] == ("tokens", "default")
    assert SECRET not in ended.out
    assert any("LONGTABLE_AGNET" in notice for notice in ended.json["notices"])


def test_config_for_people_is_a_table_that_nothing_cuts_off(run: Run, data_dir: Path) -> None:
    ended = run("config", "--http-host", "0.0.0.0")

    assert ended.status == 0
    assert f"data_dir {data_dir} environment" in " ".join(ended.out.split())
    assert "'longtable serve' will refuse this." in ended.err
    assert not data_dir.exists()


@pytest.mark.parametrize(
    ("changed", "flag"),
    [
        ({"--role": "wizard"}, "--role"),
        ({"--role": "local"}, "--role"),
        ({"--role": ""}, "--role"),
        ({"--tenant": ""}, "--tenant"),
        ({"--tenant": "*"}, "--tenant"),
        ({"--tenant": "x" * 101}, "--tenant"),
        ({"--tenant": "a\nb"}, "--tenant"),
        ({"--agent": None}, "--agent"),
        ({"--agent": ""}, "--agent"),
        ({"--agent": "human:bob"}, "--agent"),
        ({"--agent-type": "x" * 101}, "--agent-type"),
        ({"--session": None}, "--session"),
        ({"--name": ""}, "--name"),
        ({"--name": "human:bob"}, "--name"),
        ({"--expires": "0"}, "--expires"),
        ({"--expires": "soon"}, "--expires"),
        ({"--expires": "-1d"}, "--expires"),
        ({"--expires": ""}, "--expires"),
        ({"--expires": "36501d"}, "--expires"),
    ],
    ids=str,
)
def test_a_bad_flag_of_a_token_is_named_and_nothing_is_made(
    run: Run, data_dir: Path, changed: dict[str, Any], flag: str
) -> None:
    given = {**dict(zip(AGENT[::2], AGENT[1::2], strict=True)), **changed}
    words = [f"{name}={value}" for name, value in given.items() if value is not None]

    ended = run("token", "create", *words)

    assert ended.status == 2
    assert ended.out == ""
    assert flag in ended.err
    assert not data_dir.exists()


def test_a_session_id_that_cannot_be_one_is_refused(run: Run, data_dir: Path) -> None:
    ended = run("token", "create", *AGENT[:-1], "no spaces", "--json")

    assert ended.status == 1
    assert ended.json["error"]["code"] == "INVALID_SESSION_ID"
    assert not data_dir.exists()


@pytest.mark.parametrize(
    ("words", "status", "named"),
    [
        (["create", "--tenant", "*"], 2, "--tenant"),
        (["create", "--ttl", "0"], 2, "--ttl"),
        (["create", "--ttl", "later"], 2, "--ttl"),
        (["create", "--metadata", "[1]"], 2, "--metadata"),
        (["create", "--metadata", "{"], 2, "--metadata"),
        (["create", "--session-id", "a b"], 1, "session_id"),
        (["list", "--limit", "0"], 2, "--limit"),
        (["list", "--limit", "501"], 2, "--limit"),
        (["list", "--limit", "many"], 2, "--limit"),
        (["list", "--status", "asleep"], 2, "--status"),
        (["list", "--cursor", "x"], 2, "--cursor"),
        (["extend", "plans"], 2, "--ttl"),
        (["show", "no such"], 1, "session_id: must have 3 to 64 letters"),
        (["close", "nowhere"], 1, "There is no such session."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_bad_flag_of_sessions_is_named(run: Run, data_dir: Path, words: list[str], status: int, named: str) -> None:
    assert run("sessions", "create", "--session-id", "plans").status == 0

    ended = run("sessions", *words)

    assert ended.status == status
    assert ended.out == ""
    assert named in ended.err
    assert ended.err.count("\n") == 1
    assert rows(data_dir, "SELECT session_id FROM sessions") == [("plans",)]


@pytest.mark.parametrize(
    ("text", "mode", "status", "expected"),
    [
        ("1234567\n", 0o600, 2, "at least 8 characters"),
        ("        \n", 0o600, 2, "at least 8 characters"),
        ("", 0o600, 2, "at least 8 characters"),
        (SECRET, 0o640, 1, "--from-file: others may read"),
        (SECRET, 0o604, 1, "--from-file: others may read"),
        (None, 0o600, 1, "--from-file"),
    ],
    ids=["short", "blank", "empty", "group reads", "others read", "no file"],
)
def test_a_file_that_will_not_do_is_refused(
    run: Run, data_dir: Path, tmp_path: Path, *, text: str | None, mode: int, status: int, expected: str
) -> None:
    path = tmp_path / "given.txt"
    if text is not None:
        path.write_text(text)
        path.chmod(mode)

    ended = run("human-secret", "set", "--from-file", str(path))

    assert ended.status == status
    assert ended.out == ""
    assert expected in ended.err
    assert SECRET not in ended.err
    assert rows(data_dir, "SELECT * FROM facts WHERE name = 'human_secret'") == []
