"""`longtable upstreams`: servers whose tools are offered, added and removed at the terminal."""

import json
from pathlib import Path

import pytest

from tests.e2e.program import Program, at_terminal
from tests.gateway.hostile.entries import hostile_json

CALM = hostile_json("calm")
COMMAND = (CALM["command"], *CALM["args"])
SECRET = "correct horse"


def saved(path: Path, document: object) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))
    return str(path)


def names(program: Program) -> dict[str, bool]:
    return {each["name"]: each["on"] for each in program.does("upstreams", "list")["upstreams"]}


def test_a_command_is_added_accepted_disabled_enabled_and_removed_without_a_server(program: Program) -> None:
    flags = ("--accept", "--json", "--env", "API_KEY=hunter2")
    added = program.run("upstreams", "add", "calm", *flags, "--", *COMMAND).json

    program.does("upstreams", "disable", "calm")
    disabled = names(program)
    program.does("upstreams", "enable", "calm")
    enabled = names(program)
    program.does("upstreams", "remove", "calm")

    assert "echo" in added["accepted"]
    assert added["upstream"]["added"]["entry"]["env"] == {"API_KEY": "[hidden]"}
    assert (disabled, enabled, names(program)) == ({"calm": False}, {"calm": True}, {})


def test_an_address_is_added_with_its_headers_and_no_secret_is_shown(program: Program) -> None:
    words = (
        "upstreams",
        "add",
        "docs",
        "--url",
        "https://docs.example/mcp",
        "--header",
        "Authorization=Bearer hunter2",
    )
    ended = program.run(*words)

    listed = program.run("upstreams", "list")

    assert (ended.status, listed.status) == (0, 0)
    assert "https://docs.example/mcp" in listed.out
    assert "hunter2" not in ended.out + ended.err + listed.out + listed.err


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (("add", "x"), (2, "INVALID_ARGUMENT")),
        (("add", "x", "--url", "https://docs.example", "--", "run"), (2, "INVALID_ARGUMENT")),
        (("add", "x", "--env", "no-value", "--", "run"), (2, "INVALID_ARGUMENT")),
        (("add", "x", "--url", "ftp://docs.example"), (2, "INVALID_ARGUMENT")),
        (("remove", "x"), (1, "CONFIG_ERROR")),
    ],
)
def test_what_cannot_be_done_is_refused(program: Program, words: tuple[str, ...], refusal: tuple[int, str]) -> None:
    assert program.refuses("upstreams", *words) == refusal


def test_an_upstream_of_the_file_is_listed_and_not_removed(program: Program, tmp_path: Path) -> None:
    file = saved(tmp_path / "gateway.json", {"mcpServers": {"calm": CALM}})
    program.does("upstreams", "add", "docs", "--url", "https://docs.example/mcp")

    listed = program.does("upstreams", "list", gateway_config=file)["upstreams"]

    assert [(each["name"], each["source"]) for each in listed] == [("calm", "file"), ("docs", "added")]
    assert program.refuses("upstreams", "remove", "calm", gateway_config=file) == (1, "CONFLICT")


def test_once_a_human_secret_is_set_it_is_asked_for(program: Program, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET + "\n")
    secret.chmod(0o600)
    program.does("human-secret", "set", "--from-file", str(secret))
    words = ("upstreams", "add", "docs", "--url", "https://docs.example/mcp")

    without = program.refuses(*words)
    program.does(*words, "--human-secret-file", str(secret))

    assert without == (1, "CONFIG_ERROR")
    assert names(program) == {"docs": True}
    for command in ("remove", "disable", "enable"):
        assert program.refuses("upstreams", command, "docs")[0] == 1


def test_the_servers_of_another_client_are_taken_over(program: Program, tmp_path: Path) -> None:
    program.does("upstreams", "add", "known", "--url", "https://known.example/mcp")
    servers = {
        "me": {"command": "longtable"},
        "known": {"command": "known"},
        "calm": CALM,
        "later": {"url": "https://later.example/mcp", "disabled": True},
        "bad": {"command": "x", "envFile": ".env"},
    }
    path = saved(tmp_path / "home" / ".cursor" / "mcp.json", {"mcpServers": servers})

    ended = program.run("upstreams", "import", path, "--yes", "--json")

    assert ended.status == 1
    assert ended.json["added"] == ["calm", "later"]
    assert set(ended.json["skipped"]) == {"me", "known"}
    assert "envFile" in ended.json["refused"]["bad"]
    assert names(program) == {"calm": True, "known": True, "later": False}


def test_the_values_that_vscode_asks_for_are_asked_for_here(program: Program, tmp_path: Path) -> None:
    document = {
        "inputs": [{"id": "key", "type": "promptString", "description": "The key of the team", "password": True}],
        "servers": {"docs": {"type": "http", "url": "https://docs.example", "headers": {"X-Key": "${input:key}"}}},
    }
    path = saved(tmp_path / "work" / ".vscode" / "mcp.json", document)

    with at_terminal(program, "upstreams", "import", path) as terminal:
        terminal.shows("The key of the team")
        terminal.types("hunter2-and-more")
        terminal.shows("Add them?")
        terminal.types("y")
        status = terminal.ends()

    assert status == 0
    assert "hunter2-and-more" not in terminal.shown
    assert b"hunter2-and-more" not in program.stored_bytes()
    assert names(program) == {"docs": True}


def test_a_script_that_names_a_file_need_not_agree_once_more(program: Program, tmp_path: Path) -> None:
    path = saved(tmp_path / "mcp.json", {"mcpServers": {"calm": CALM}})

    ended = program.run("upstreams", "import", path, "--json")

    assert (ended.status, ended.json["added"]) == (0, ["calm"])
    assert names(program) == {"calm": True}


def test_nothing_is_added_that_a_person_at_the_terminal_declines(program: Program, tmp_path: Path) -> None:
    path = saved(tmp_path / "mcp.json", {"mcpServers": {"calm": CALM}})

    with at_terminal(program, "upstreams", "import", path) as terminal:
        terminal.shows("Add them?")
        terminal.types("n")
        status = terminal.ends()

    assert status != 0
    assert names(program) == {}
