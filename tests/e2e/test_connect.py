"""`longtable connect`: a client's file gets our entry and nothing else changes, or the command says why not."""

import json
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from longtable.client_setup import jsonc_text
from longtable.client_setup.clients import CLIENTS
from longtable.kernel.user_folders import UserFolders
from tests.e2e.servers import Processes

pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path: Path) -> Path:
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture
def processes(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Processes]:
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    made = Processes(tmp_path)
    yield made
    made.end()


def file_of(client: str, home: Path) -> Path:
    return CLIENTS[client].path(UserFolders(home, home, None, "linux"))


def connect(processes: Processes, *words: str, code: int = 0) -> Any:
    done = processes.run("connect", *words, options={})
    assert done.returncode == code, done.stderr + done.stdout
    return done


def read(client: str, path: Path) -> Any:
    text = path.read_text()
    kind = CLIENTS[client].text.__name__.rpartition(".")[2]
    if kind == "toml_text":
        return tomllib.loads(text)
    return yaml.safe_load(text) if kind == "yaml_text" else jsonc_text.load(text)


def entry_in(client: str, path: Path) -> Any:
    found = read(client, path)
    for key in CLIENTS[client].keys:
        found = found[key]
    return found


OTHERS = {
    "jsonc_text": """{
\t// What I like.
\t"theme": "dark", /* really */
\t"KEY": {
\t\t"files": {
\t\t\t"command": "npx",
\t\t\t"args": ["-y", "server-filesystem"], // the good one
\t\t},
\t},
\t"last": [1, 2.50, null,],
}
""",
    "toml_text": """# Mine.
model = "large"   # the large one

[mcp_servers.files]
command = "npx"
args = ["-y", "server-filesystem"]

# Below: profiles.
[profiles.work]
model = "small"
""",
    "yaml_text": """# Mine.
GOOSE_MODEL: large   # the large one
extensions:
  files:   # the good one
    type: stdio
    cmd: npx
    args: ["-y", server-filesystem]
other: [1, 2]
""",
}


def sample(client: str) -> str:
    known = CLIENTS[client]
    return OTHERS[known.text.__name__.rpartition(".")[2]].replace("KEY", known.keys[0])


def write(path: Path, text: str) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path.read_bytes()


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_without_a_file_gets_one_and_undo_removes_it(processes: Processes, home: Path, client: str) -> None:
    path = file_of(client, home)

    shown = connect(processes, client, "--agent", "ada").stdout
    words = json.dumps(entry_in(client, path))
    again = connect(processes, client, "--agent", "ada").stdout
    connect(processes, client, "--undo")

    assert "is connected. Start it again" in shown
    assert '"--project", "default", "--tools", "agent", "--agent", "ada"' in words
    assert "is connected already" in again
    assert not path.exists()


@pytest.mark.parametrize("client", CLIENTS)
def test_other_entries_comments_and_order_stay_and_undo_restores_every_byte(
    processes: Processes, home: Path, client: str
) -> None:
    path = file_of(client, home)
    before = write(path, sample(client))
    path.chmod(0o640)

    connect(processes, client)
    after, mode = path.read_text(), path.stat().st_mode & 0o777
    entry = entry_in(client, path)
    connect(processes, client, "--undo")

    kept = [
        line
        for line in before.decode().splitlines()
        if line.rstrip(",") in {each.rstrip(",") for each in after.splitlines()}
    ]
    assert kept == before.decode().splitlines()
    assert (entry["args"] if "args" in entry else entry["command"][1:])[:2] == ["--project", "default"]
    assert mode == 0o640
    assert path.read_bytes() == before
    assert list(path.parent.glob("*longtable-backup")) == []


@pytest.mark.parametrize("client", CLIENTS)
def test_undo_after_somebody_else_changed_the_file_takes_only_our_entry(
    processes: Processes, home: Path, client: str
) -> None:
    path = file_of(client, home)
    write(path, sample(client))
    connect(processes, client)
    path.write_text(path.read_text().replace("server-filesystem", "server-everything"))

    connect(processes, client, "--undo")

    changed = sample(client).replace("server-filesystem", "server-everything")
    other = path.with_name("other")
    other.write_text(changed)
    assert read(client, path) == read(client, other)
    assert "the good one" in path.read_text() or client == "codex"


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("text", ["", "\n\n"])
def test_an_empty_file_is_filled_and_empty_again(processes: Processes, home: Path, client: str, text: str) -> None:
    path = file_of(client, home)
    before = write(path, text)

    connect(processes, client)
    entry = entry_in(client, path)
    connect(processes, client, "--undo")

    assert entry
    assert path.read_bytes() == before


@pytest.mark.parametrize("client", CLIENTS)
def test_a_malformed_file_is_refused_by_its_line_and_left_alone(processes: Processes, home: Path, client: str) -> None:
    path = file_of(client, home)
    before = write(path, '{\n  "a": [1, 2\n')

    refused = connect(processes, client, code=1)

    assert str(path) in refused.stderr
    assert "line" in refused.stderr
    assert "Nothing was changed. --print shows what to paste." in refused.stderr
    assert path.read_bytes() == before


@pytest.mark.parametrize("client", CLIENTS)
def test_a_read_only_file_is_refused_and_left_alone(processes: Processes, home: Path, client: str) -> None:
    path = file_of(client, home)
    before = write(path, sample(client))
    path.chmod(0o444)

    refused = connect(processes, client, code=1)

    assert "is read-only" in refused.stderr
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("client", [name for name, client in CLIENTS.items() if client.over_http is not None])
def test_over_http_the_address_the_agent_and_a_token_of_the_environment_are_named(
    processes: Processes, home: Path, client: str
) -> None:
    connect(processes, client, "--http", "--agent", "ada", "--with-token", "--http-port", "9999")

    words = json.dumps(entry_in(client, file_of(client, home)))

    assert "http://127.0.0.1:9999/mcp" in words
    assert '"X-Caller-Agent": "ada"' in words
    assert "LONGTABLE_TOKEN" in words


def test_a_client_that_only_starts_processes_says_so(processes: Processes) -> None:
    refused = connect(processes, "claude-desktop", "--http", code=1)

    assert "only starts processes" in refused.stderr


def test_print_shows_what_to_paste_and_changes_nothing(processes: Processes, home: Path) -> None:
    shown = connect(processes, "cursor", "--print")
    as_json = json.loads(connect(processes, "cursor", "--print", "--json").stdout)

    assert json.loads(shown.stdout)["mcpServers"]["longtable"] == as_json["entry"]
    assert as_json["path"] == str(home / ".cursor/mcp.json")
    assert list(home.iterdir()) == []


def test_all_connects_what_is_here_and_names_what_failed(processes: Processes, home: Path) -> None:
    (home / ".cursor").mkdir()
    write(file_of("codex", home), "broken = [")

    done = json.loads(connect(processes, "--all", "--json", code=1).stdout)

    assert [(each["client"], each.get("changed")) for each in done["clients"]] == [("cursor", True), ("codex", None)]
    assert entry_in("cursor", file_of("cursor", home))


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the clients' own programs were called with: each of them is here, and does nothing but write that down."""
    programs, said = tmp_path / "bin", tmp_path / "said"
    programs.mkdir()
    for name in ("claude", "code", "codex", "gemini"):
        program = programs / name
        program.write_text(f"#!/bin/sh\nprintf '%s\\n' \"{name}\" \"$@\" '' >> {said}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}/usr/bin:/bin")
    return said


def calls_in(said: Path) -> list[list[str]]:
    return [call.splitlines() for call in said.read_text().split("\n\n") if call]


HTTP = "http://127.0.0.1:8765/mcp"
BEARER = "Authorization: Bearer ${LONGTABLE_TOKEN}"
VSCODE = {
    "name": "longtable",
    "type": "http",
    "url": HTTP,
    "headers": {"Authorization": "Bearer ${env:LONGTABLE_TOKEN}", "X-Caller-Agent": "ada"},
}


@pytest.mark.parametrize(
    ("client", "words", "adds"),
    [
        (
            "claude-code",
            ["--http"],
            ["claude", "mcp", "add", "--scope", "user", "--transport", "http", "longtable", HTTP],
        ),
        ("vscode", ["--http", "--with-token", "--agent", "ada"], ["code", "--add-mcp", json.dumps(VSCODE)]),
        (
            "codex",
            ["--http", "--with-token"],
            ["codex", "mcp", "add", "longtable", "--url", HTTP, "--bearer-token-env-var", "LONGTABLE_TOKEN"],
        ),
        (
            "gemini-cli",
            ["--http", "--with-token"],
            [
                *["gemini", "mcp", "add", "--scope", "user", "--transport", "http", "--header"],
                BEARER,
                "longtable",
                HTTP,
            ],
        ),
    ],
)
def test_the_own_command_of_a_client_is_used_where_there_is_one(
    processes: Processes, home: Path, said: Path, client: str, words: list[str], adds: list[str]
) -> None:
    shown = json.loads(connect(processes, client, *words, "--json").stdout)

    assert calls_in(said) == [adds]
    assert shown["command"].startswith(adds[0])
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("client", "before"),
    [
        ("claude-code", "claude mcp add --scope user --transport stdio longtable --"),
        ("codex", "codex mcp add longtable --"),
        ("gemini-cli", "gemini mcp add --scope user longtable"),
    ],
)
def test_a_process_is_given_to_the_own_command_with_its_arguments(
    processes: Processes, said: Path, client: str, before: str
) -> None:
    connect(processes, client, "--agent", "ada")

    (words,) = calls_in(said)
    arguments = ["--project", "default", "--tools", "agent", "--agent", "ada"]
    assert words[: len(before.split())] == before.split()
    assert words[-len(arguments) :] == arguments


@pytest.mark.parametrize(
    ("client", "removes"),
    [
        ("claude-code", "claude mcp remove --scope user longtable"),
        ("codex", "codex mcp remove longtable"),
        ("gemini-cli", "gemini mcp remove --scope user longtable"),
    ],
)
def test_undo_uses_the_own_command_too(processes: Processes, said: Path, client: str, removes: str) -> None:
    connect(processes, client, "--undo")

    assert calls_in(said) == [removes.split()]


def test_what_the_own_command_cannot_say_goes_into_the_file(processes: Processes, home: Path, said: Path) -> None:
    """Codex takes no header for a name, and VS Code has no command that removes."""
    connect(processes, "codex", "--http", "--agent", "ada")
    write(file_of("vscode", home), '{"servers": {"longtable": {}, "other": {}}}')
    connect(processes, "vscode", "--undo")

    assert entry_in("codex", file_of("codex", home))["http_headers"] == {"X-Caller-Agent": "ada"}
    assert read("vscode", file_of("vscode", home)) == {"servers": {"other": {}}}
    assert not said.exists()


def test_a_command_that_refuses_what_is_there_is_called_again_after_a_removal(
    processes: Processes, said: Path, tmp_path: Path
) -> None:
    program, there = tmp_path / "bin" / "claude", tmp_path / "there"
    there.touch()
    removes = f'[ "$2" = remove ] && rm -f {there}; [ "$2" = add ] && [ -e {there} ] && exit 1; exit 0'
    program.write_text(f"{program.read_text()}{removes}\n")

    connect(processes, "claude-code", "--http")

    assert [call[2] for call in calls_in(said)] == ["add", "remove", "add"]


def test_a_command_that_fails_is_named_with_its_reason_and_the_file_is_left_alone(
    processes: Processes, home: Path, said: Path, tmp_path: Path
) -> None:
    (tmp_path / "bin" / "codex").write_text("#!/bin/sh\necho 'not allowed by your organisation' >&2\nexit 3\n")

    refused = connect(processes, "codex", code=1)

    assert "not allowed by your organisation" in refused.stderr
    assert "--print shows what to paste instead" in refused.stderr
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "A client is missing"),
        (("curser",), "Did you mean cursor?"),
        (("cursor", "--http", "--stdio"), "--http and --stdio"),
        (("cursor", "--print", "--undo"), "--print and --undo"),
        (("cursor", "--with-token"), "--with-token goes with --http"),
    ],
)
def test_a_bad_command_line_names_what_is_wrong(processes: Processes, words: tuple[str, ...], problem: str) -> None:
    assert problem in connect(processes, *words, code=2).stderr


def test_files_are_found_on_each_system(tmp_path: Path) -> None:
    data = tmp_path / "AppData/Roaming"
    mac, windows = (UserFolders(tmp_path, tmp_path, data, platform) for platform in ("darwin", "win32"))

    assert (
        CLIENTS["claude-desktop"].path(mac)
        == tmp_path / "Library/Application Support/Claude/claude_desktop_config.json"
    )
    assert CLIENTS["vscode"].path(windows) == data / "Code/User/mcp.json"
    assert CLIENTS["goose"].path(windows) == data / "Block/goose/config/config.yaml"
