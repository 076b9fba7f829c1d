"""Commands do the same on every store."""

from pathlib import Path

import pytest

from tests.e2e.program import Program
from tests.e2e.servers import place_of
from tests.stores import Store


async def test_a_store_is_named_and_its_sessions_tokens_and_audit_are_there(store: Store, tmp_path: Path) -> None:
    program = Program(tmp_path / "data", place_of(store, tmp_path))

    program.does("sessions", "create", "--session-id", "plans")
    token = program.does("token", "create", "--tenant", "acme", "--role", "owner")
    secret = tmp_path / "secret.txt"
    secret.write_text("correct horse")
    secret.chmod(0o600)
    program.does("human-secret", "set", "--from-file", str(secret))

    listed = program.does("token", "list", "--tenant", "acme")["tokens"]
    results = program.does("audit", "verify")["tenants"]
    exported = program.run("audit", "export", "--tenant", "default").out.splitlines()
    assert [each["token_id"] for each in listed] == [token["token_id"]]
    assert [(result["tenant"], result["records"]) for result in results] == [("acme", 1), ("default", 2)]
    assert len(exported) == 2


@pytest.mark.parametrize(
    "words",
    [("sessions", "list"), ("serve",), ("backup", "copy.db"), ("migrate", "--to", "elsewhere"), ("console",)],
    ids=lambda words: words[0],
)
def test_a_data_folder_that_cannot_be_opened_is_an_error_of_the_configuration(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    ended = Program(tmp_path / ("x" * 300)).run(*words, "--json")

    assert (ended.status, ended.json["error"]["code"]) == (1, "CONFIG_ERROR")


def test_a_backup_is_not_restored_into_a_folder_that_cannot_be_opened(tmp_path: Path) -> None:
    program, copy = Program(tmp_path / "data"), tmp_path / "copy.db"
    program.does("sessions", "create", "--session-id", "plans")
    program.does("backup", str(copy))

    ended = Program(tmp_path / ("x" * 300)).run("restore", str(copy), "--json")

    assert (ended.status, ended.json["error"]["code"]) == (1, "CONFIG_ERROR")
