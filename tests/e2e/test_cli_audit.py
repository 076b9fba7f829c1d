"""The audit log: whoever touches it behind the program's back is found out."""

import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from tests.e2e.program import Program

SWAP = """
    UPDATE audit SET seq = 100 WHERE tenant = 'acme' AND seq = 2;
    UPDATE audit SET seq = 2 WHERE tenant = 'acme' AND seq = 3;
    UPDATE audit SET seq = 3 WHERE tenant = 'acme' AND seq = 100;
"""
INSERT = """
    UPDATE audit SET seq = seq + 100 WHERE tenant = 'acme' AND seq >= 3;
    UPDATE audit SET seq = seq - 99 WHERE tenant = 'acme' AND seq > 100;
    INSERT INTO audit SELECT tenant, 3, event_type, operation, session_id, agent_id, agent_type, role, surface, object,
        outcome, arguments_digest, metadata, created_at, digest FROM audit WHERE tenant = 'acme' AND seq = 2;
"""
TAMPERING = {
    "an edited object": ("UPDATE audit SET object = 'token:x' WHERE tenant = 'acme' AND seq = 3", 3, "edited"),
    "an edited time": ("UPDATE audit SET created_at = created_at + 1 WHERE tenant = 'acme' AND seq = 1", 1, "edited"),
    "an edited name": ("UPDATE audit SET agent_id = 'eve' WHERE tenant = 'acme' AND seq = 5", 5, "edited"),
    "metadata that are no JSON": ("UPDATE audit SET metadata = '{' WHERE tenant = 'acme' AND seq = 2", 2, "edited"),
    "an edited digest": ("UPDATE audit SET digest = 'f' WHERE tenant = 'acme' AND seq = 2", 2, "edited"),
    "a deleted first record": ("DELETE FROM audit WHERE tenant = 'acme' AND seq = 1", 1, "removed"),
    "a deleted record": ("DELETE FROM audit WHERE tenant = 'acme' AND seq = 4", 4, "removed"),
    "an inserted record": (INSERT, 3, "inserted or reordered"),
    "reordered records": (SWAP, 2, "inserted or reordered"),
    "the last record cut off": (
        "DELETE FROM audit WHERE tenant = 'acme' AND seq = 5",
        5,
        "records 5 to 5 were cut off",
    ),
    "all records cut off": ("DELETE FROM audit WHERE tenant = 'acme'", 1, "records 1 to 5 were cut off"),
    "an anchor moved back": (
        "UPDATE audit_heads SET seq = 4, digest = (SELECT digest FROM audit WHERE tenant = 'acme' AND seq = 4) "
        "WHERE tenant = 'acme'",
        5,
        "behind the anchor",
    ),
    "an edited anchor": ("UPDATE audit_heads SET digest = 'f' WHERE tenant = 'acme'", 5, "anchored"),
    "a removed anchor": ("DELETE FROM audit_heads WHERE tenant = 'acme'", 1, "behind the anchor"),
    "a whole chain removed": (
        "DELETE FROM audit WHERE tenant = 'acme'; DELETE FROM audit_heads WHERE tenant = 'acme'",
        1,
        "every record was removed",
    ),
}
HEAD = ["tenant", "seq", "digest", "written_bytes", "event_seq"]
EDITED = {
    "seq": "seq + 1000",
    "created_at": "created_at + 1",
    "metadata": """'{"edited":true}'""",
    "arguments_digest": "zeroblob(32)",
    "digest": "zeroblob(32)",
}
"""How a column is edited that cannot have a letter more."""


def _copied(table: str, columns: list[str], tenant: str) -> str:
    """The chain of acme once more, for another tenant: whose it is, is not chained."""
    copied = ", ".join(f"'{tenant}'" if column == "tenant" else column for column in columns)
    return f"INSERT INTO {table} ({', '.join(columns)}) SELECT {copied} FROM {table} WHERE tenant = 'acme';"


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Five records of acme, one of another tenant."""
    program = Program(tmp_path_factory.mktemp("audit") / "data")
    for number in range(1, 6):
        program.does("sessions", "create", "--tenant", "acme", "--session-id", f"plan-{number}")
    program.does("token", "create", "--tenant", "other", "--role", "owner")
    return program


@pytest.fixture
def program(untouched: Program, tmp_path: Path) -> Program:
    shutil.copytree(untouched.data_dir, tmp_path / "data")
    return Program(tmp_path / "data")


def test_a_log_that_nobody_touched_holds(untouched: Program) -> None:
    ended = untouched.run("audit", "verify")

    assert ended.status == 0
    assert ended.out == "acme: 5 records, the chain holds.\nother: 1 records, the chain holds.\n"
    results = untouched.does("audit", "verify", "--tenant", "acme")["tenants"]
    assert results == [{"tenant": "acme", "records": 5, "broken_at": None, "problem": None, "holds": True}]


@pytest.mark.parametrize("case", TAMPERING)
def test_tampering_is_found_and_the_first_bad_record_named(program: Program, case: str) -> None:
    script, broken_at, problem = TAMPERING[case]
    program.edit(script)

    ended = program.run("audit", "verify", "--json")

    assert ended.status == 1
    assert ended.json["ok"] is False
    assert ended.json["error"]["code"] == "VALIDATION_ERROR"
    [result] = ended.json["error"]["details"]["tenants"]
    assert (result["tenant"], result["broken_at"]) == ("acme", broken_at)
    assert problem in result["problem"]


def test_no_column_of_a_record_can_be_edited_unseen(program: Program) -> None:
    """The columns are those of the table, so that one which nobody put into the chain is found here. Each is edited in
    a copy of the chain, under a tenant that has the name of the column."""
    columns = [name for (name,) in program.rows("SELECT name FROM pragma_table_info('audit')")]
    for column in columns:
        program.edit(_copied("audit", columns, column) + _copied("audit_heads", HEAD, column))
    assert all(result["holds"] for result in program.does("audit", "verify")["tenants"])

    for column in columns:
        edited = EDITED.get(column, f"coalesce({column}, '') || 'x'")
        program.edit(f"UPDATE audit SET {column} = {edited} WHERE tenant = '{column}' AND seq = 3")
    ended = program.run("audit", "verify", "--json")

    found = {result["tenant"]: result["broken_at"] for result in ended.json["error"]["details"]["tenants"]}
    assert len(columns) >= 15
    assert {column: found.get(column) for column in columns} == dict.fromkeys(columns, 3)


def test_people_read_which_tenant_is_broken_and_where(program: Program) -> None:
    program.edit("DELETE FROM audit WHERE tenant = 'acme' AND seq = 4")

    ended = program.run("audit", "verify")

    assert ended.status == 1
    assert "acme: broken at record 4: " in ended.out
    assert "other: 1 records, the chain holds." in ended.out
    assert ended.err.startswith("longtable: VALIDATION_ERROR: ")


@pytest.mark.parametrize("command", ["verify", "export"])
def test_a_tenant_without_records_is_a_mistake(untouched: Program, command: str) -> None:
    assert untouched.refuses("audit", command, "--tenant", "acmee") == (1, "NOT_FOUND")
    assert untouched.refuses("audit", command, "--tenant", "*") == (2, "INVALID_ARGUMENT")


def test_the_export_is_one_json_object_a_line_with_the_chain(untouched: Program) -> None:
    ended = untouched.run("audit", "export", "--tenant", "acme")

    records = [json.loads(line) for line in ended.out.splitlines()]
    assert ended.status == 0
    assert [record["seq"] for record in records] == [1, 2, 3, 4, 5]
    assert [record["previous"] for record in records[1:]] == [record["digest"] for record in records[:-1]]
    assert records[0]["event_type"] == "session_created"
    assert records[0]["metadata"] == {}
    assert records[0]["timestamp"].endswith("Z")


def test_the_export_can_go_to_a_file_of_your_own(untouched: Program, tmp_path: Path) -> None:
    target = tmp_path / "audit.jsonl"

    result = untouched.does("audit", "export", "--output", str(target))

    assert result == {"ok": True, "records": 6, "output": str(target)}
    assert len(target.read_text().splitlines()) == 6
    if os.name == "posix":
        assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_an_export_replaces_no_file(untouched: Program, tmp_path: Path) -> None:
    target = tmp_path / "mine.txt"
    target.write_text("mine")

    ended = untouched.run("audit", "export", "--output", str(target))

    assert ended.status == 1
    assert "--output" in ended.err
    assert target.read_text() == "mine"


def test_looking_changes_nothing(program: Program) -> None:
    before = program.rows("SELECT * FROM audit")

    program.run("audit", "verify")
    program.run("audit", "export")

    assert program.rows("SELECT * FROM audit") == before


def test_a_log_without_records_says_so(tmp_path: Path) -> None:
    program = Program(tmp_path / "data")
    (tmp_path / "notes.md").write_text("Nothing is imported of it.")
    program.does("import", str(tmp_path / "notes.md"), "--dry-run")

    ended = program.run("audit", "verify")

    assert (ended.status, ended.out) == (0, "There are no audit records yet.\n")
