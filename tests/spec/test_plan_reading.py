"""The plan as others see it: filters, sums, events, REST, and the text of it."""

from typing import Any

import pytest

from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.clock import DAY
from longtable.plan.service import Plan
from longtable.storage.database import SYSTEM, Transaction
from tests.spec.test_identity import token
from tests.spec.test_plan import STATUSES, adds, tasks_of, updates
from tests.table import Agent, Refused, Table


async def test_an_empty_plan_has_made_no_progress(alice: Agent) -> None:
    plan = await alice.calls("read_plan")

    assert (plan["tasks"], plan["progress"]) == ([], 0)
    assert plan["summary"] == {**dict.fromkeys(STATUSES, 0), "total": 0}


async def test_progress_is_what_is_completed_of_what_was_not_cancelled(alice: Agent) -> None:
    await adds(alice, *["x"] * 6)
    for task, status in zip(["t1", "t2", "t3", "t4", "t5"], STATUSES[1:], strict=True):
        await updates(alice, task, status=status)

    plan = await alice.calls("read_plan", status="failed")

    assert plan["summary"] == {**dict.fromkeys(STATUSES, 1), "total": 6}
    assert plan["progress"] == pytest.approx(1 / 5)
    assert [task["id"] for task in plan["tasks"]] == ["t4"]


async def test_a_plan_that_was_cancelled_altogether_has_made_no_progress(alice: Agent) -> None:
    await adds(alice, "x")
    await updates(alice, "t1", status="cancelled")

    assert (await alice.calls("read_plan"))["progress"] == 0


async def test_tasks_are_chosen_by_status_assignee_and_readiness(alice: Agent, bob: Agent) -> None:
    await adds(alice, {"assigned_to": "bob"}, "two", {"depends_on": ["#0"], "assigned_to": "bob"}, "four")
    await bob.calls("claim_task", task_id="t4")

    assert list(await tasks_of(alice, status="pending")) == ["t1", "t2", "t3"]
    assert list(await tasks_of(alice, assigned_to="bob")) == ["t1", "t3", "t4"]
    assert list(await tasks_of(alice, assigned_to="bob", ready=True)) == ["t1"]
    assert list(await tasks_of(alice, ready=True)) == ["t1", "t2"]
    assert list(await tasks_of(alice, ready=False)) == ["t3", "t4"]
    assert (await tasks_of(alice, assigned_to="bob", ready=False))["t3"]["blocked_by"] == ["t1"]


@pytest.mark.parametrize("arguments", [{"status": "done"}, {"ready": "yes"}, {"assigned_to": 1}, {"limit": 5}])
async def test_a_bad_way_to_read_the_plan_is_refused(alice: Agent, arguments: dict[str, Any]) -> None:
    with pytest.raises(Refused, match=f"INVALID_ARGUMENT.*{next(iter(arguments))}"):
        await alice.calls("read_plan", **arguments)


async def test_the_log_tells_of_claims_assignments_and_remarks(alice: Agent) -> None:
    await adds(alice, "one")
    claimed = await alice.calls("claim_task")
    await updates(alice, "t1", note="wet")
    await updates(alice, "t1", assigned_to="bob")
    await updates(alice, "t1", assigned_to="bob", note="x" * 300)

    kinds = [f"scratchpad/task_{name}" for name in ("claimed", "assigned", "noted")]
    events = (await alice.calls("read_events", kinds=kinds))["events"]

    common = ("seq", "timestamp", "session_id", "actor", "item_id")
    assert [{key: event[key] for key in event if key not in common} for event in events] == [
        {"kind": "scratchpad/task_claimed", "lease_expires_at": claimed["lease_expires_at"]},
        {"kind": "scratchpad/task_noted", "note_preview": "wet"},
        {"kind": "scratchpad/task_assigned", "assigned_to": "bob"},
        {"kind": "scratchpad/task_noted", "note_preview": "x" * 200},
    ]


async def test_the_log_tells_of_new_tasks_and_of_each_change_of_status(alice: Agent) -> None:
    await adds(alice, "x" * 300, "two")
    await updates(alice, "t1", note="nothing new")
    await updates(alice, "t1", status="blocked")
    await alice.calls("claim_task")

    kinds = ["scratchpad/tasks_added", "scratchpad/checklist_updated"]
    events = (await alice.calls("read_events", kinds=kinds))["events"]

    fields = [{key: event[key] for key in event if key not in ("seq", "timestamp", "session_id")} for event in events]
    changed = {"kind": "scratchpad/checklist_updated", "actor": "alice"}
    assert fields == [
        {
            "kind": "scratchpad/tasks_added",
            "actor": "alice",
            "task_ids": ["t1", "t2"],
            "previews": ["x" * 200, "two"],
        },
        {**changed, "item_id": "t1", "old_status": "pending", "new_status": "blocked"},
        {**changed, "item_id": "t2", "old_status": "pending", "new_status": "in_progress"},
    ]


async def test_another_session_has_a_plan_of_its_own(table: Table, alice: Agent) -> None:
    await adds(alice, "ours")
    other = table.agent("alice", await table.session("sess_two"))

    assert await tasks_of(other) == {}
    assert (await other.calls("claim_task"))["task"] is None
    with pytest.raises(Refused, match="NOT_FOUND"):
        await adds(other, {"depends_on": ["t1"]})
    assert await adds(other, "theirs") == ["t1"]


async def test_another_tenant_has_a_plan_of_its_own(company: Table) -> None:
    for tenant in ("acme", "rival"):
        await company.agent(token=f"{tenant}-secret").calls("create_session", session_id="sess_same")
    ours = company.agent("alice", "sess_same", "acme-secret")
    theirs = company.agent("alice", "sess_same", "rival-secret")
    await adds(ours, "ours", {"depends_on": ["#0"]})

    assert await tasks_of(theirs) == {}
    assert await adds(theirs, "theirs", {"depends_on": ["#0"]}) == ["t1", "t2"]
    await updates(theirs, "t1", status="completed")
    assert not (await tasks_of(ours))["t2"]["ready"]


async def test_over_rest_a_person_adds_reads_and_changes_tasks(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_acme")
    human = company.agent(token=await token(company, "acme", Role.HUMAN, name="ana")).client

    added = await human.post("/sessions/sess_acme/tasks", json={"tasks": [{"description": "one"}]})
    changed = await human.post("/sessions/sess_acme/tasks/t1", json={"status": "failed"})
    read = await human.get("/sessions/sess_acme/plan", params={"status": "failed", "ready": "false"})
    unknown = await human.post("/sessions/sess_acme/tasks/t2", json={"status": "failed"})

    assert (added.status_code, changed.status_code, read.status_code) == (201, 200, 200)
    assert added.json() == {"ok": True, "tasks": [{"id": "t1", "description": "one"}]}
    assert changed.json()["task"]["old_status"] == "pending"
    assert [task["id"] for task in read.json()["tasks"]] == ["t1"]
    assert unknown.status_code == 404


@pytest.mark.parametrize(
    ("role", "may"),
    [
        (Role.HUMAN, {"add_tasks", "update_task", "read_plan"}),
        (Role.READER, {"read_plan"}),
        (Role.OWNER, {"add_tasks", "update_task", "claim_task", "renew_task", "read_plan"}),
    ],
)
async def test_a_role_may_use_what_befits_it(company: Table, role: Role, may: set[str]) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_acme")
    agent = company.agent(None, "sess_acme", await token(company, "acme", role))
    calls: dict[str, dict[str, Any]] = {
        "add_tasks": {"tasks": [{"description": "x"}]},
        "update_task": {"task_id": "t9", "note": "x"},
        "claim_task": {"task_id": "t9"},
        "renew_task": {"task_id": "t9", "lease": "x"},
        "read_plan": {},
    }

    answers = {tool: await agent.tries(tool, **arguments) for tool, arguments in calls.items()}

    refused = {tool for tool, answer in answers.items() if answer.get("error", {}).get("code") == "FORBIDDEN"}
    assert set(calls) - refused == may


async def test_the_plan_reads_as_a_checklist(table: Table, alice: Agent) -> None:
    await adds(alice, "Read\nthe book", {"description": "Write", "depends_on": ["#0"], "assigned_to": "bob"}, "Sing")
    await updates(alice, "t3", status="completed", note="La la.")

    text = await rendered(table)

    assert text == (
        "# Plan\n\n3 tasks: 2 pending, 1 completed. 33% done.\n\n"
        "- [ ] **t1** Read\n  the book (pending; medium priority)\n"
        "- [ ] **t2** Write (pending; medium priority; assigned to bob; after t1; waits for t1)\n"
        "- [x] **t3** Sing (completed; medium priority)\n"
        "  - alice: La la.\n"
    )


async def test_an_empty_plan_reads_as_such(table: Table, session: str) -> None:
    assert await rendered(table) == "# Plan\n\nNo tasks.\n"


async def rendered(table: Table) -> str:
    app, caller = table.app, Caller("default", Role.LOCAL, "alice", "generic", Surface.HTTP, "sess_one")
    plan = Plan(app.ledger, app.sessions, 1)
    return await app.database.read("default", lambda tx: plan.render(tx, caller))


async def test_a_closed_session_has_a_plan_to_read_but_not_to_change(alice: Agent) -> None:
    await adds(alice, "one")
    await alice.calls("close_session")

    assert list(await tasks_of(alice)) == ["t1"]
    writes: dict[str, dict[str, Any]] = {
        "add_tasks": {"tasks": [{"description": "x"}]},
        "update_task": {"task_id": "t1", "note": "x"},
        "claim_task": {},
        "renew_task": {"task_id": "t1", "lease": "x"},
    }
    for tool, arguments in writes.items():
        with pytest.raises(Refused, match="SESSION_CLOSED"):
            await alice.calls(tool, **arguments)


async def test_nothing_of_a_plan_is_left_when_its_session_is_purged(table: Table, alice: Agent) -> None:
    await adds(alice, "one", {"depends_on": ["#0"]})
    await updates(alice, "t1", note="x")
    table.clock.ahead = 40 * DAY
    await table.app.jobs.run()
    table.clock.ahead = 80 * DAY
    await table.app.jobs.run()

    async def left(tx: Transaction) -> int:
        found = [await tx.all(f"SELECT 1 FROM {name}") for name in ("tasks", "task_dependencies", "task_notes")]
        return sum(map(len, found))

    assert await table.app.database.read(SYSTEM, left) == 0
