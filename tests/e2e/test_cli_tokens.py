"""Tokens from the command line: shown once, kept as a hash, refused with a reason."""

import pytest

from tests.e2e.program import Program

AGENT = ["--tenant", "acme", "--role", "agent", "--agent", "ann", "--session", "plans"]


def test_a_token_is_made_as_it_was_asked_for(program: Program) -> None:
    made = program.does("token", "create", *AGENT, "--agent-type", "coder", "--expires", "30d", "--name", "laptop")

    secret, token_id = made.pop("secret"), made.pop("token_id")
    created, expires = made.pop("created_at"), made.pop("expires_at")
    assert secret.startswith("lt_")
    assert token_id.startswith("token_")
    assert created < expires
    assert made == {
        "ok": True,
        "name": "laptop",
        "tenant": "acme",
        "role": "agent",
        "agent": "ann",
        "agent_type": "coder",
        "session_id": "plans",
        "status": "active",
    }


def test_the_secret_is_shown_once_and_never_stored(program: Program) -> None:
    made = program.run("token", "create", "--tenant", "acme", "--role", "owner")

    secret = made.out.strip()
    listed = program.run("token", "list", "--json")
    exported = program.run("audit", "export")
    assert made.status == 0
    assert made.out == f"{secret}\n"
    assert secret not in made.err + listed.out + exported.out
    assert secret.encode() not in program.stored_bytes()


@pytest.mark.parametrize(
    ("words", "begins"),
    [(AGENT, "ann"), (["--tenant", "acme", "--role", "reader"], "reader-")],
    ids=["with an agent", "without"],
)
def test_a_token_without_a_name_gets_one(program: Program, words: list[str], begins: str) -> None:
    assert program.does("token", "create", *words)["name"].startswith(begins)


def test_an_agent_needs_a_session_and_without_one_nothing_is_made(program: Program) -> None:
    ended = program.run("token", "create", *AGENT[:-2])

    assert ended.status == 2
    assert ended.out == ""
    assert "--session: is needed for the role agent" in ended.err
    assert not program.data_dir.exists()


def test_a_missing_role_is_asked_for_in_one_line_with_the_choices(program: Program) -> None:
    refused = program.run("token", "create", "--tenant", "acme")

    assert refused.status == 2
    assert "Choose from: agent, orchestrator, human, owner, reader." in refused.err


def test_tokens_are_listed_and_revoked(program: Program) -> None:
    first = program.does("token", "create", *AGENT)["token_id"]
    other = program.does("token", "create", "--tenant", "other", "--role", "human")["token_id"]

    revoked = program.does("token", "revoke", first)

    assert revoked == {"ok": True, "token_id": first, "status": "revoked"}
    listed = program.does("token", "list")["tokens"]
    assert [(token["token_id"], token["status"]) for token in listed] == [(first, "revoked"), (other, "active")]
    assert [token["token_id"] for token in program.does("token", "list", "--tenant", "other")["tokens"]] == [other]
    assert all("secret" not in token for token in listed)
    table = program.run("token", "list").out
    assert first in table
    assert "revoked" in table
    assert program.refuses("token", "revoke", "token_nobody") == (1, "NOT_FOUND")


@pytest.mark.parametrize("words", [("--auth", "off"), ()], ids=["by flag", "by environment"])
def test_a_stdio_process_without_a_token_never_switches_auth_off(program: Program, words: tuple[str, ...]) -> None:
    switched_on = program.run(auth_tokens="acme:some-secret", token="some-secret")

    refused = program.run(*words, **({} if words else {"auth": "off"}))
    remembered = program.run()

    assert switched_on.status == 0
    assert (refused.status, remembered.status) == (1, 1)
    assert "This store has auth switched on." in refused.err
    assert remembered.err == refused.err


def test_a_stdio_process_that_is_told_of_no_auth_still_shows_its_token(program: Program) -> None:
    program.run(auth_tokens="acme:some-secret", token="some-secret")
    secret = program.does("token", "create", "--tenant", "acme", "--role", "orchestrator")["secret"]

    served = program.run(auth="off", token=secret)

    assert (served.status, served.err) == (0, "")
