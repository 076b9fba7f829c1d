"""Commands do the same on every store."""

from pathlib import Path

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
