"""The human secret: set by a person, kept as a slow hash, and not to be replaced by an agent with a shell."""

import json
from pathlib import Path

import pytest

from longtable.app import open_database
from longtable.identity.human_secret import has_human_secret, verify_human_secret
from longtable.log.ledger import LogHooks
from longtable.log.wakeups import Wakeups
from longtable.settings.load import load_unbound
from tests.e2e.program import Program, at_terminal

SECRET = "correct horse"
NEXT = "battery staple"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return private(tmp_path / "secret.txt", f"{SECRET}\nnot this line\n")


def private(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o600)
    return path


async def is_secret(program: Program, secret: str) -> bool:
    settings = load_unbound({"data_dir": str(program.data_dir)}, {}).settings
    database = await open_database(settings, wakeups := Wakeups(), LogHooks(wakeups))
    try:
        assert await has_human_secret(database)
        return await verify_human_secret(database, secret)
    finally:
        await database.close()


@pytest.mark.anyio
async def test_the_first_line_of_a_file_becomes_the_secret(program: Program, file: Path) -> None:
    result = program.does("human-secret", "set", "--from-file", str(file))

    assert result == {"ok": True, "replaced": False}
    assert await is_secret(program, SECRET)
    assert not await is_secret(program, SECRET + "!")
    assert not await is_secret(program, "")


def test_the_secret_is_stored_salted_and_stretched_and_its_setting_is_audited(program: Program, file: Path) -> None:
    program.does("human-secret", "set", "--from-file", str(file))

    [(fact,)] = program.rows("SELECT value FROM facts WHERE name = 'human_secret'")
    assert fact.startswith("scrypt$32768$8$1$")
    assert SECRET.encode() not in program.stored_bytes()
    assert program.rows("SELECT event_type, surface FROM audit") == [("human_secret_set", "cli")]


@pytest.mark.anyio
async def test_a_person_at_a_terminal_is_asked_twice_and_nothing_is_echoed(program: Program) -> None:
    with at_terminal(program, "human-secret", "set") as terminal:
        terminal.shows("New human secret: ")
        terminal.types(SECRET)
        terminal.shows("The same again: ")
        terminal.types(SECRET)
        status = terminal.ends()

    assert status == 0
    assert "The human secret is set." in terminal.shown
    assert SECRET not in terminal.shown
    assert await is_secret(program, SECRET)


def test_two_different_answers_set_nothing(program: Program) -> None:
    with at_terminal(program, "human-secret", "set") as terminal:
        terminal.shows("New human secret: ")
        terminal.types(SECRET)
        terminal.shows("The same again: ")
        terminal.types(NEXT)
        status = terminal.ends()

    assert status == 2
    assert "The two differ" in terminal.shown
    assert program.rows("SELECT * FROM facts WHERE name = 'human_secret'") == []


@pytest.mark.anyio
async def test_only_who_knows_the_present_secret_can_replace_it(program: Program, file: Path, tmp_path: Path) -> None:
    newer = private(tmp_path / "next.txt", NEXT)
    program.does("human-secret", "set", "--from-file", str(file))

    without = program.refuses("human-secret", "set", "--from-file", str(newer))
    guessed = program.refuses("human-secret", "set", "--from-file", str(newer), "--current-from-file", str(newer))
    assert (without, guessed) == ((1, "CONFIG_ERROR"), (1, "FORBIDDEN"))
    assert await is_secret(program, SECRET)

    known = program.does("human-secret", "set", "--from-file", str(newer), "--current-from-file", str(file))
    assert known == {"ok": True, "replaced": True}
    assert await is_secret(program, NEXT)


def test_a_file_that_others_may_read_is_refused(program: Program, file: Path) -> None:
    file.chmod(0o640)

    ended = program.run("human-secret", "set", "--from-file", str(file))

    assert ended.status == 1
    assert "--from-file: others may read" in ended.err
    assert SECRET not in ended.err


def test_without_a_terminal_the_secret_is_never_read_from_a_pipe(program: Program) -> None:
    assert program.refuses("human-secret", "set") == (1, "CONFIG_ERROR")


@pytest.fixture
def guarded(program: Program, file: Path) -> Program:
    """A store with a human secret."""
    program.does("human-secret", "set", "--from-file", str(file))
    return program


@pytest.mark.parametrize("role", ["human", "owner"])
def test_a_token_for_a_person_asks_for_the_secret(guarded: Program, file: Path, tmp_path: Path, role: str) -> None:
    words = ("token", "create", "--tenant", "acme", "--role", role, "--name", "kim")
    guess = private(tmp_path / "guess.txt", NEXT)

    without = guarded.refuses(*words)
    guessed = guarded.refuses(*words, "--human-secret-file", str(guess))
    assert (without, guessed) == ((1, "CONFIG_ERROR"), (1, "FORBIDDEN"))
    assert guarded.rows("SELECT * FROM tokens") == []
    refusals = guarded.rows("SELECT operation, outcome FROM audit WHERE event_type = 'human_secret_refused'")
    assert refusals == [("create_token", "FORBIDDEN")]

    assert guarded.does(*words, "--human-secret-file", str(file))["role"] == role


def test_a_token_for_a_machine_asks_for_nothing(guarded: Program) -> None:
    assert guarded.does("token", "create", "--tenant", "acme", "--role", "orchestrator")["role"] == "orchestrator"


def test_at_a_terminal_the_secret_is_asked_for_before_a_token_is_made(guarded: Program) -> None:
    with at_terminal(guarded, "token", "create", "--tenant", "acme", "--role", "owner") as terminal:
        terminal.shows("Human secret: ")
        terminal.types(SECRET)
        status = terminal.ends()

    assert status == 0
    assert SECRET not in terminal.shown


def test_the_link_to_the_console_asks_for_the_secret(guarded: Program) -> None:
    with at_terminal(guarded, "console") as terminal:
        terminal.shows("Human secret: ")
        terminal.types(NEXT)
        wrong = terminal.ends()
    assert (wrong, "link=" in terminal.shown) == (1, False)

    with at_terminal(guarded, "console") as terminal:
        terminal.shows("Human secret: ")
        terminal.types(SECRET)
        right = terminal.ends()
    assert (right, "link=" in terminal.shown) == (0, True)


def test_who_guesses_is_told_to_wait_and_learns_nothing_more(guarded: Program, file: Path, tmp_path: Path) -> None:
    guess = private(tmp_path / "guess.txt", NEXT)
    words = ("token", "create", "--tenant", "acme", "--role", "owner", "--human-secret-file")

    guessed = guarded.refuses(*words, str(guess))
    [(attempts,)] = guarded.rows("SELECT value FROM facts WHERE name = 'human_secret_attempts'")
    # Four more of the same moment, without the time that it takes to start a program.
    [moment] = json.loads(attempts)
    attempted(guarded, [moment + 60_000_000] * 5)
    waits = guarded.refuses(*words, str(file))
    attempted(guarded, [moment - 60_000_000] * 5)

    assert (guessed, waits) == ((1, "FORBIDDEN"), (1, "RATE_LIMITED"))
    assert guarded.does(*words, str(file))["role"] == "owner"


def attempted(program: Program, moments: list[int]) -> None:
    program.edit(f"UPDATE facts SET value = '{moments}' WHERE name = 'human_secret_attempts'")
