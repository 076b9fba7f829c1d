"""The events of notebooks, seen in all sessions of the tenant, and the audit record of each write."""

from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.caller import Role
from tests.spec.notebooks.pads import cell, creates, reads, restores
from tests.stores import Store
from tests.table import Agent, Table, open_table

pytestmark = pytest.mark.slow

ENVELOPE = ("seq", "kind", "session_id", "actor", "timestamp", "scratch_id")


async def notebook_events(agent: Agent) -> list[dict[str, Any]]:
    return list((await agent.calls("read_events", kinds=["notebook/*"], limit=1000, max_chars=0))["events"])


async def test_each_change_has_an_event_without_content(table: Table) -> None:
    session = await table.session()
    ann = table.agent("ann", session)
    await creates(ann, "p", "secret text", namespace="n")
    cell_id = (await reads(ann, "p"))["cells"][0]["cell_id"]
    one = {"scratch_id": "p", "cell_id": cell_id}
    await ann.calls("scratch_replace_cell", **one, cell=cell("secret text"))
    await ann.calls("scratch_move_cell", **one, new_index=0)
    await ann.calls("scratch_update", scratch_id="p", metadata={"title": "secret text"})
    schema = {"name": "s", "description": "secret text", "schema": {}}
    await ann.calls("scratch_upsert_schema", scratch_id="p", schema=schema)
    await ann.calls("scratch_delete_schema", scratch_id="p", schema_id="s")
    await ann.calls("scratch_namespace_rename", old_namespace="n", new_namespace="m")
    await ann.calls("scratch_delete_cell", **one)
    await creates(ann, "p", namespace="m")
    await ann.calls("scratch_delete", scratch_id="p")
    await restores(ann, "p")
    await ann.calls("scratch_namespace_delete", namespace="m", delete_scratchpads=True)

    events = await notebook_events(ann)

    assert [(event["kind"].removeprefix("notebook/"), event.get("reason")) for event in events] == [
        ("created", None),
        ("changed", "replace"),
        ("changed", "move"),
        ("changed", "update"),
        ("changed", "schema"),
        ("changed", "schema"),
        ("changed", "namespace"),
        ("changed", "delete"),
        ("created", "reset"),
        ("deleted", None),
        ("created", "restored"),
        ("deleted", "namespace"),
    ]
    assert {event["scratch_id"] for event in events} == {"p"}
    assert [event.get("cell_id") for event in events[1:3]] == [cell_id, cell_id]
    assert {event["session_id"] for event in events} == {None}
    assert all(set(event) <= {*ENVELOPE, "actor_type", "reason", "cell_id"} for event in events), events[0]
    assert "secret text" not in str(events)


async def test_the_events_are_seen_in_every_session_of_the_tenant_and_in_no_other_tenant(company: Table) -> None:
    acme, rival = company.agent(token="acme-secret"), company.agent(token="rival-secret")
    for session in ("sess_one", "sess_two"):
        await acme.calls("create_session", session_id=session)
    await rival.calls("create_session", session_id="sess_one")

    await creates(acme, "p", "text")
    await company.agent("ann", "sess_one", "acme-secret").calls("scratch_delete", scratch_id="p")
    await creates(acme, "p", "text")

    seen = [await notebook_events(company.agent("ann", name, "acme-secret")) for name in ("sess_one", "sess_two")]
    assert [event["kind"] for event in seen[0]] == ["notebook/created", "notebook/deleted", "notebook/created"]
    assert seen[0] == seen[1]
    assert await notebook_events(company.agent("spy", "sess_one", "rival-secret")) == []


async def test_the_event_of_an_eviction_names_its_policy(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path, max_scratchpads="1") as table:
        ann = table.agent("ann", await table.session())
        await creates(ann, "a")
        await creates(ann, "b")

        events = await notebook_events(ann)

    assert [(event["kind"], event["scratch_id"], event.get("reason")) for event in events] == [
        ("notebook/created", "a", None),
        ("notebook/evicted", "a", "discard"),
        ("notebook/created", "b", None),
    ]


async def test_each_write_and_read_has_its_audit_record(table: Table) -> None:
    ann = table.agent("ann")
    cell_id = (await creates(ann, "p", "secret text"))["cells"][0]["cell_id"]
    calls: list[tuple[str, str, dict[str, Any]]] = [
        ("scratchpad_read", "scratch_read", {}),
        ("cell_appended", "scratch_append_cell", {"cell": cell("secret text")}),
        ("cell_replaced", "scratch_replace_cell", {"cell_id": cell_id, "cell": cell("secret text")}),
        ("cell_moved", "scratch_move_cell", {"cell_id": cell_id, "new_index": 1}),
        ("cell_deleted", "scratch_delete_cell", {"cell_id": cell_id}),
        ("scratchpad_updated", "scratch_update", {"metadata": {"title": "secret text"}}),
        ("schema_upserted", "scratch_upsert_schema", {"schema": {"name": "s", "description": "", "schema": {}}}),
        ("schema_deleted", "scratch_delete_schema", {"schema_id": "s"}),
        ("scratchpad_deleted", "scratch_delete", {}),
    ]
    for _, tool, arguments in calls:
        await ann.calls(tool, scratch_id="p", **arguments)
    await ann.calls("scratch_namespace_create", namespace="n")
    await ann.calls("scratch_namespace_rename", old_namespace="n", new_namespace="m")
    await ann.calls("scratch_namespace_delete", namespace="m")
    await restores(ann, "p")
    await ann.tries("scratch_append_cell", scratch_id="nowhere", cell=cell("secret text"))
    await table.app.ledger.flush()

    log = (await table.agent("auditor").calls("get_audit_log", limit=1000, max_chars=0))["entries"]

    done = {entry["event_type"]: entry for entry in log if entry["outcome"] == "SUCCESS"}
    written = ["scratchpad_created", *(kind for kind, _, _ in calls), "scratchpad_restored"]
    assert {kind: done[kind]["object"] for kind in written} == dict.fromkeys(written, "scratchpad:p")
    assert {"namespace_created", "namespace_renamed", "namespace_deleted"} <= set(done)
    refused = [entry for entry in log if entry["outcome"] == "NOT_FOUND"]
    assert [(entry["event_type"], entry["agent_id"]) for entry in refused] == [("cell_appended", "ann")]
    assert "secret text" not in str(log)


@pytest.mark.parametrize(
    ("role", "may_write_cells"), [(Role.READER, False), (Role.HUMAN, True)], ids=["reader", "human"]
)
async def test_readers_only_read_and_people_write_cells(company: Table, role: Role, may_write_cells: bool) -> None:
    await creates(company.agent(token="acme-secret"), "p", "text")
    agent = await company.bearer(role, f"a-{role}")

    created = await agent.tries("scratch_create", scratch_id="q")
    deleted = await agent.tries("scratch_delete", scratch_id="p")
    appended = await agent.tries("scratch_append_cell", scratch_id="p", cell=cell())

    assert [answer["error"]["code"] for answer in (created, deleted)] == ["FORBIDDEN", "FORBIDDEN"]
    assert appended["ok"] is may_write_cells
    assert len((await reads(agent, "p"))["cells"]) == (2 if may_write_cells else 1)
