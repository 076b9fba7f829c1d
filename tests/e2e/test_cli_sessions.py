"""Sessions from the command line: the same rules, records and answers as for every other caller."""

from pathlib import Path

import pytest

from tests.e2e.program import Program


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return Program(tmp_path_factory.mktemp("sessions") / "data")


def test_a_session_lives_from_its_creation_to_its_end(program: Program) -> None:
    created = program.does("sessions", "create", "--session-id", "plans", "--ttl", "2h", "--metadata", '{"a": 1}')
    extended = program.does("sessions", "extend", "plans", "--ttl", "3d")
    closed = program.does("sessions", "close", "plans")
    shown = program.does("sessions", "show", "plans")

    assert created["session_id"] == "plans"
    assert created["created_by"].startswith("human:")
    assert extended["expires_at"] > created["expires_at"]
    assert closed == {"ok": True, "session_id": "plans", "status": "closed"}
    assert shown["session"]["status"] == "closed"
    assert shown["session"]["metadata"] == {"a": 1}
    assert program.refuses("sessions", "extend", "plans", "--ttl", "1h") == (1, "SESSION_CLOSED")
    assert program.refuses("sessions", "create", "--session-id", "plans") == (1, "CONFLICT")


def test_an_unknown_session_is_refused_with_a_command_that_shows_the_others(program: Program) -> None:
    refused = program.run("sessions", "show", "nope", "--json")

    assert refused.json["error"]["error"] == "There is no such session. 'longtable sessions list' shows them."


def test_a_fork_at_an_event_that_is_not_there_yet_names_the_flag(program: Program) -> None:
    program.does("sessions", "create", "--session-id", "forked")

    refused = program.run("sessions", "fork", "forked", "--at", "99999")

    assert refused.status == 2
    assert "--at: the newest event is" in refused.err


def test_what_the_owner_does_here_is_audited_as_done_here(program: Program) -> None:
    program.does("sessions", "create", "--tenant", "audited", "--session-id", "seen")
    program.refuses("sessions", "show", "nowhere", "--tenant", "audited")

    records = program.rows("SELECT event_type, outcome, role, surface FROM audit WHERE tenant = 'audited' ORDER BY seq")
    assert records == [
        ("session_created", "SUCCESS", "owner", "cli"),
        ("session_read", "SESSION_NOT_FOUND", "owner", "cli"),
    ]


def test_sessions_are_listed_page_by_page_and_by_status(program: Program) -> None:
    for session_id in ("first", "second", "third"):
        program.does("sessions", "create", "--tenant", "paged", "--session-id", session_id)
    program.does("sessions", "close", "first", "--tenant", "paged")

    page = program.does("sessions", "list", "--tenant", "paged", "--limit", "2")
    rest = program.does("sessions", "list", "--tenant", "paged", "--cursor", page["next_cursor"])
    closed = program.does("sessions", "list", "--tenant", "paged", "--status", "closed")

    assert [session["session_id"] for session in page["sessions"]] == ["third", "second"]
    assert [session["session_id"] for session in rest["sessions"]] == ["first"]
    assert [session["session_id"] for session in closed["sessions"]] == ["first"]


def test_what_agents_wrote_cannot_steer_the_terminal(program: Program) -> None:
    purpose = "\x1b[2J[red]plain\x07"

    created = program.run("sessions", "create", "--tenant", "evil", "--purpose", purpose)
    listed = program.run("sessions", "list", "--tenant", "evil")
    shown = program.run("sessions", "show", created.out.strip(), "--tenant", "evil")

    assert created.status == listed.status == shown.status == 0
    for ended in (listed, shown):
        assert "[red]plain" in ended.out
        assert not {"\x1b", "\x07"} & set(ended.out)
    assert program.does("sessions", "list", "--tenant", "evil")["sessions"][0]["purpose"] == purpose


def test_a_store_can_be_named_by_flag(program: Program, tmp_path: Path) -> None:
    program.does("sessions", "create", "--session-id", "here", "--data-dir", str(tmp_path / "flagged"))

    listed = program.does("sessions", "list", "--data-dir", str(tmp_path / "flagged"))
    assert [session["session_id"] for session in listed["sessions"]] == ["here"]


def test_a_fork_is_made_of_an_earlier_event(program: Program) -> None:
    program.does("sessions", "create", "--tenant", "forks", "--session-id", "one", "--purpose", "Try it")

    fork = program.does("sessions", "fork", "one", "--tenant", "forks", "--at", "1", "--ttl", "2h")
    shown = program.does("sessions", "show", fork["session_id"], "--tenant", "forks")

    assert (fork["forked_from"], fork["fork_seq"], fork["records"]) == ("one", 1, 0)
    assert (shown["session"]["forked_from"], shown["session"]["purpose"]) == ("one", "Try it")
    assert program.refuses("sessions", "fork", "one", "--tenant", "forks", "--at", "99") == (2, "INVALID_ARGUMENT")
    assert program.refuses("sessions", "fork", "one") == (1, "SESSION_NOT_FOUND")
