"""The command line: what it understands, how it refuses, and what it leaves alone."""

from pathlib import Path

import pytest

from tests.e2e.program import Program, at_terminal

SECRET = "s3cr3t-of-mine"


def test_the_version_is_one_line(program: Program) -> None:
    ended = program.run("--version")

    assert ended.status == 0
    assert ended.out.startswith("longtable ")
    assert ended.out.count("\n") == 1


def test_help_names_every_command(program: Program) -> None:
    ended = program.run("--help")

    assert ended.status == 0
    for command in ("stdio", "serve", "console", "token", "sessions", "audit", "human-secret", "config"):
        assert f" {command} " in ended.out


def test_without_a_command_a_person_learns_what_it_waits_for(program: Program) -> None:
    with at_terminal(program) as terminal:
        terminal.shows("To start a server with its console: longtable serve.")

    assert "Waiting for an MCP client on standard input" in terminal.shown


def test_an_unknown_command_exits_with_2_and_a_suggestion(program: Program) -> None:
    ended = program.run("tokne")

    assert ended.status == 2
    assert ended.out == ""
    assert ended.err.startswith("longtable: INVALID_ARGUMENT: ")
    assert "Did you mean 'token'?" in ended.err


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (("serve", "--http-port"), "longtable serve"),
        (("token", "create", "--tenant"), "longtable token create"),
        (("watch", "--session"), "longtable watch"),
    ],
)
def test_a_flag_without_its_value_leads_to_the_help_of_its_command(
    program: Program, words: tuple[str, ...], command: str
) -> None:
    ended = program.run(*words)

    assert ended.status == 2
    assert ended.err.endswith(f"requires an argument. '{command} --help' shows what is possible.\n")


def test_programs_get_a_mistake_as_json(program: Program) -> None:
    ended = program.run("token", "create", "--json")

    assert ended.status == 2
    assert ended.err == ""
    assert set(ended.json) == {"ok", "error"}
    assert ended.json["error"]["code"] == "INVALID_ARGUMENT"
    assert "--tenant" in ended.json["error"]["error"]


@pytest.mark.parametrize("options", [{"auth": "tokens"}, {"auth_tokens": f"alice:{SECRET}"}])
def test_only_servers_switch_auth(program: Program, options: dict[str, str]) -> None:
    program.does("sessions", "create", "--session-id", "mine", **options)

    facts = program.rows("SELECT name FROM facts")
    sessions = program.rows("SELECT tenant, session_id FROM sessions")
    assert ("auth",) not in facts
    assert sessions == [("default", "mine")]


def test_a_missing_token_file_is_not_made_by_a_command(program: Program, tmp_path: Path) -> None:
    program.does("sessions", "create", auth_token_file=str(tmp_path / "tokens.json"))

    assert not (tmp_path / "tokens.json").exists()


def test_sessions_can_be_managed_whatever_tools_are_offered_to_clients(program: Program) -> None:
    created = program.does("sessions", "create", tool_groups="workspace")

    assert created["session_id"].startswith("session_")
