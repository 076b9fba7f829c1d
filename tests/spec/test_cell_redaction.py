"""Redaction of a cell: after it no read, list, repeated answer, search or file holds what was in it."""

import json
from pathlib import Path
from typing import Any

import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.log.verify import verify_chain
from tests.table import Agent, Table

pytestmark = pytest.mark.slow

SECRET = "hunter2passphrase"
TOMBSTONE = "[redacted by the owner]"
SPILLED = {
    "language": "json",
    "content": json.dumps({"password": SECRET}),
    "tags": [SECRET, "kept"],
    "metadata": {"from": SECRET},
    "json_schema": {"type": "object", "properties": {"password": {"enum": [f"not {SECRET}"]}}},
    "validate": True,
}
CLEAN = {"language": "txt", "content": "nothing to hide", "tags": ["kept"]}


@pytest.fixture
async def ann(company: Table) -> Agent:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_acme")
    return company.agent("ann", "sess_acme", "acme-secret")


@pytest.fixture
async def cell_id(ann: Agent) -> str:
    """The cell with the secret, of the scratchpad `plans`, which has another cell as well."""
    await ann.calls("scratch_create", scratch_id="plans", cells=[CLEAN])
    shown = await ann.calls("scratch_append_cell", scratch_id="plans", cell=SPILLED, idempotency_key="k")
    return str(shown["scratchpad"]["cells"][1]["cell_id"])


async def owner(table: Table, tenant: str = "acme") -> Any:
    return (await table.bearer(Role.OWNER, "boss", tenant)).client


async def redacts(table: Table, cell_id: str, scratch_id: str = "plans") -> dict[str, Any]:
    answer = await (await owner(table)).post(f"/scratchpads/{scratch_id}/cells/{cell_id}/redact", json={})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def found(ann: Agent) -> int:
    return len((await ann.calls("scratch_search", query=SECRET, mode="keyword"))["hits"])


async def everything(table: Table, ann: Agent) -> str:
    """All that anybody of the tenant can read."""
    seen: list[Any] = [
        await ann.calls("scratch_read", scratch_id="plans"),
        await ann.calls("scratch_list_cells", scratch_id="plans"),
        (await ann.calls("scratch_list", tags=[SECRET]))["scratchpads"],
        await ann.calls("scratch_list_tags"),
        await ann.calls("scratch_validate", scratch_id="plans"),
        await ann.calls("scratch_append_cell", scratch_id="plans", cell=SPILLED, idempotency_key="k"),
        await ann.calls("read_events", limit=1000, max_chars=0),
        (await (await owner(table)).get("/audit?limit=1000")).json(),
    ]
    return json.dumps(seen)


async def test_after_redaction_nothing_that_anybody_reads_holds_what_was_in_the_cell(
    company: Table, ann: Agent, cell_id: str
) -> None:
    assert SECRET in await everything(company, ann)
    assert await found(ann) == 1

    answer = await redacts(company, cell_id)

    assert answer == {"ok": True, "redacted": {"kind": "cell", "id": cell_id}, "backups": []}
    assert SECRET not in await everything(company, ann)
    assert await found(ann) == 0
    cell = (await ann.calls("scratch_read", scratch_id="plans", cell_ids=[cell_id]))["scratchpad"]["cells"][0]
    assert (cell["content"], cell["tags"], cell["metadata"], cell["version"]) == (TOMBSTONE, [], {}, 2)
    assert cell["json_schema"] is None
    assert (await verify_chain(company.app.database, "acme")).holds


async def test_what_the_other_cells_have_stays(company: Table, ann: Agent, cell_id: str) -> None:
    await redacts(company, cell_id)

    pad = (await ann.calls("scratch_read", scratch_id="plans"))["scratchpad"]
    assert pad["cells"][0]["content"] == "nothing to hide"
    assert pad["cell_tags"] == ["kept"]
    assert [each["preview"] for each in (await ann.calls("scratch_list_cells", scratch_id="plans"))["cells"]] == [
        "nothing to hide",
        TOMBSTONE,
    ]


async def test_a_repeated_write_still_gets_its_first_answer_without_what_was_redacted(
    company: Table, ann: Agent, cell_id: str
) -> None:
    await redacts(company, cell_id)

    again = await ann.calls("scratch_append_cell", scratch_id="plans", cell=SPILLED, idempotency_key="k")

    pad = again["scratchpad"]
    assert [cell["cell_id"] for cell in pad["cells"]][1] == cell_id
    assert (pad["cell_tags"], pad["metadata"]["cell_tags"]) == (["kept"], ["kept"])
    assert "validation" not in again
    assert (await ann.calls("scratch_read", scratch_id="plans"))["scratchpad"]["cell_count"] == 2


async def test_tags_of_an_earlier_version_leave_the_repeated_answers_as_well(
    company: Table, ann: Agent, cell_id: str
) -> None:
    await ann.calls("scratch_replace_cell", scratch_id="plans", cell_id=cell_id, cell=CLEAN)

    await redacts(company, cell_id)

    again = await ann.calls("scratch_append_cell", scratch_id="plans", cell=SPILLED, idempotency_key="k")
    assert SECRET not in json.dumps(again)


async def test_a_first_cell_leaves_the_answer_to_the_creation(company: Table, ann: Agent) -> None:
    wish = {"scratch_id": "new", "cells": [SPILLED, CLEAN | {"validate": True}], "idempotency_key": "k2"}
    created = await ann.calls("scratch_create", **wish)
    assert SECRET in json.dumps(created)

    await redacts(company, created["scratchpad"]["cells"][0]["cell_id"], "new")

    again = await ann.calls("scratch_create", **wish)
    assert SECRET not in json.dumps(again)
    assert [result["cell_index"] for result in again["validation"]] == [1]


async def test_no_file_of_the_embedded_store_holds_it_either(
    company: Table, ann: Agent, cell_id: str, store: Any
) -> None:
    await redacts(company, cell_id)

    if store.kind == "sqlite":
        for path in Path(store.address).parent.iterdir():
            assert SECRET.encode() not in path.read_bytes(), path.name


@pytest.mark.parametrize("unindexed", [False, True], ids=["just deleted", "forgotten by the index"])
async def test_a_cell_in_the_trash_is_redacted_there_and_comes_back_redacted(
    company: Table, ann: Agent, cell_id: str, unindexed: bool
) -> None:
    await ann.calls("scratch_delete", scratch_id="plans")
    if unindexed:
        await company.app.jobs.run()

    await redacts(company, cell_id)

    await (await owner(company)).post("/trash/plans/restore", json={})
    assert SECRET not in await everything(company, ann)
    assert await found(ann) == 0
    await ann.calls("scratch_delete_cell", scratch_id="plans", cell_id=cell_id)


async def test_listeners_are_told_which_cell_and_nothing_of_its_content(
    company: Table, ann: Agent, cell_id: str
) -> None:
    await redacts(company, cell_id)

    event = (await ann.calls("read_events", kinds=["notebook/*"], max_chars=0))["events"][-1]
    fields = {name: event[name] for name in ("kind", "session_id", "scratch_id", "cell_id", "reason")}
    assert fields == {
        "kind": "notebook/changed",
        "session_id": None,
        "scratch_id": "plans",
        "cell_id": cell_id,
        "reason": "redact",
    }


async def test_only_the_owner_redacts_a_cell_and_never_over_mcp(company: Table, ann: Agent, cell_id: str) -> None:
    human = (await company.app.tokens.create(Credential("acme", Role.HUMAN, "eva"), None)).secret
    path = f"/scratchpads/plans/cells/{cell_id}/redact"
    for secret in (human, "acme-secret"):
        answer = await company.agent(token=secret).client.post(path, json={})
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")

    over_mcp = await ann.tries("redact_cell", scratch_id="plans", cell_id=cell_id)

    assert over_mcp["error"]["code"] == "NOT_FOUND"
    assert SECRET in await everything(company, ann)


async def test_what_is_not_there_for_the_owner_cannot_be_redacted(company: Table, ann: Agent, cell_id: str) -> None:
    await ann.calls("scratch_create", scratch_id="other")
    boss, rival = await owner(company), await owner(company, "rival")
    tries = [
        (boss, f"/scratchpads/other/cells/{cell_id}/redact", 404, "NOT_FOUND"),
        (boss, "/scratchpads/plans/cells/none/redact", 404, "NOT_FOUND"),
        (boss, f"/scratchpads/-/cells/{cell_id}/redact", 400, "INVALID_ID"),
        (rival, f"/scratchpads/plans/cells/{cell_id}/redact", 404, "NOT_FOUND"),
    ]

    for who, path, status, code in tries:
        answer = await who.post(path, json={})
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)

    assert SECRET in await everything(company, ann)
