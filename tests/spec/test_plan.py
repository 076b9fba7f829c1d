"""The plan: tasks that wait for one another, and what becomes of them."""

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from tests.spec.plan_races import check_updates
from tests.spec.test_writes import audit_of
from tests.table import Agent, Refused, Table, open_table

STATUSES = ["pending", "in_progress", "completed", "blocked", "failed", "cancelled"]
LONGEST = 10_000


async def adds(agent: Agent, *tasks: str | dict[str, Any]) -> list[str]:
    given = [{"description": task} if isinstance(task, str) else {"description": "a task", **task} for task in tasks]
    return [task["id"] for task in (await agent.calls("add_tasks", tasks=given))["tasks"]]


async def tasks_of(agent: Agent, **arguments: Any) -> dict[str, dict[str, Any]]:
    return {task["id"]: task for task in (await agent.calls("read_plan", max_chars=0, **arguments))["tasks"]}


async def updates(agent: Agent, task: str, **change: Any) -> dict[str, Any]:
    changed: dict[str, Any] = (await agent.calls("update_task", task_id=task, **change))["task"]
    return changed


async def test_tasks_are_numbered_in_the_order_of_the_batch(alice: Agent, bob: Agent) -> None:
    first = await alice.calls("add_tasks", tasks=[{"description": "read"}, {"description": "write"}])

    assert first["tasks"] == [{"id": "t1", "description": "read"}, {"id": "t2", "description": "write"}]
    assert await adds(bob, "print") == ["t3"]


async def test_a_new_task_is_pending_unassigned_and_of_medium_priority(alice: Agent) -> None:
    await adds(alice, "read")

    assert (await alice.calls("read_plan", max_chars=0))["tasks"] == [
        {
            "id": "t1",
            "description": "read",
            "status": "pending",
            "assigned_to": None,
            "depends_on": [],
            "ready": True,
            "blocked_by": [],
            "priority": "medium",
            "version": 1,
            "notes": [],
        }
    ]


async def test_a_task_keeps_its_metadata_assignee_and_priority(alice: Agent) -> None:
    metadata = {"files": ["a.py"], "nested": {"ü": None, "tab": "\t"}}

    await adds(alice, {"metadata": metadata, "assigned_to": "bob", "priority": "high"})

    task = (await tasks_of(alice))["t1"]
    assert (task["metadata"], task["assigned_to"], task["priority"]) == (metadata, "bob", "high")


async def test_dependencies_name_earlier_tasks_or_any_place_of_the_same_batch(alice: Agent) -> None:
    await adds(alice, "zero")

    await adds(alice, {"depends_on": ["#1", "t1", "#2", "t1"]}, "one", {"depends_on": ["#1"]})

    plan = await tasks_of(alice)
    assert [plan[task]["depends_on"] for task in ("t2", "t3", "t4")] == [["t3", "t1", "t4"], [], ["t3"]]
    assert [plan[task]["blocked_by"] for task in ("t2", "t3", "t4")] == [["t1", "t3", "t4"], [], ["t3"]]
    assert list(await tasks_of(alice, ready=True)) == ["t1", "t3"]


@pytest.mark.parametrize(
    ("needs", "circle"),
    [
        ([["#0"]], {"#0"}),
        ([["#1"], ["#0"]], {"#0", "#1"}),
        ([[], ["#3"], ["#0"], ["#4"], ["#1"]], {"#1", "#3", "#4"}),
    ],
)
async def test_a_circle_is_refused_and_named(alice: Agent, needs: list[list[str]], circle: set[str]) -> None:
    with pytest.raises(Refused, match="DEPENDENCY_CYCLE") as refusal:
        await adds(alice, *({"depends_on": references} for references in needs))

    named = refusal.value.details["cycle"]
    assert named[0] == named[-1]
    assert set(named) == circle
    assert all(after in needs[int(before[1:])] for before, after in pairwise(named))
    assert await tasks_of(alice) == {}
    assert await adds(alice, "first") == ["t1"]


@pytest.mark.parametrize(
    ("task", "code", "field"),
    [
        ({}, "INVALID_ARGUMENT", "tasks.1.description"),
        ({"description": ""}, "INVALID_ARGUMENT", "tasks.1.description"),
        ({"description": 7}, "INVALID_ARGUMENT", "tasks.1.description"),
        ({"description": "nul \0"}, "INVALID_ARGUMENT", "tasks.1.description"),
        ({"description": "x" * (LONGEST + 1)}, "PAYLOAD_TOO_LARGE", "tasks.1.description"),
        ({"description": "x", "title": "y"}, "INVALID_ARGUMENT", "tasks.1.title"),
        ({"description": "x", "status": "pending"}, "INVALID_ARGUMENT", "tasks.1.status"),
        ({"description": "x", "assigned_to": "a\u200bda"}, "INVALID_ARGUMENT", "tasks.1.assigned_to"),
        ({"description": "x", "assigned_to": "n" * 101}, "INVALID_ARGUMENT", "tasks.1.assigned_to"),
        ({"description": "x", "priority": "urgent"}, "INVALID_ARGUMENT", "tasks.1.priority"),
        ({"description": "x", "metadata": "text"}, "INVALID_ARGUMENT", "tasks.1.metadata"),
        ({"description": "x", "metadata": {"k": "v" * 10_240}}, "PAYLOAD_TOO_LARGE", "tasks.1.metadata"),
        ({"description": "x", "depends_on": "t1"}, "INVALID_ARGUMENT", "tasks.1.depends_on"),
        ({"description": "x", "depends_on": ["one"]}, "INVALID_ARGUMENT", "tasks.1.depends_on.0"),
        ({"description": "x", "depends_on": ["#-1"]}, "INVALID_ARGUMENT", "tasks.1.depends_on.0"),
        ({"description": "x", "depends_on": ["#0", "n1"]}, "INVALID_ARGUMENT", "tasks.1.depends_on.1"),
        ({"description": "x", "depends_on": ["#0"] * 201}, "CAPACITY_LIMIT_REACHED", "tasks.1.depends_on"),
        ({"description": "x", "depends_on": ["t1"]}, "NOT_FOUND", "t1"),
        ({"description": "x", "depends_on": ["#0", "#2"]}, "NOT_FOUND", "#2"),
        ("just words", "INVALID_ARGUMENT", "tasks.1"),
    ],
)
async def test_one_bad_task_is_named_by_its_field_and_the_whole_batch_is_refused(
    alice: Agent, task: Any, code: str, field: str
) -> None:
    before = await alice.calls("read_events")

    with pytest.raises(Refused) as refusal:
        await alice.calls("add_tasks", tasks=[{"description": "a good one"}, task])

    assert refusal.value.code == code
    assert field in str(refusal.value)
    assert await tasks_of(alice) == {}
    assert await alice.calls("read_events") == before


async def test_a_batch_has_one_to_two_hundred_tasks(alice: Agent) -> None:
    for count, code in ((0, "INVALID_ARGUMENT"), (201, "CAPACITY_LIMIT_REACHED")):
        with pytest.raises(Refused, match=f"{code}.* tasks"):
            await adds(alice, *["x"] * count)

    assert len(await adds(alice, "x" * LONGEST, *["x"] * 199)) == 200


async def test_a_session_has_so_many_tasks_and_no_more(store: Any, tmp_path: Any) -> None:
    async with open_table(store, tmp_path, max_tasks="5") as table:
        alice = table.agent("alice", await table.session())
        await adds(alice, "x", "x", "x")
        with pytest.raises(Refused, match="CAPACITY_LIMIT_REACHED"):
            await adds(alice, "x", "x", "x")

        assert await adds(alice, "x", "x") == ["t4", "t5"]


async def test_batches_added_at_the_same_moment_stay_together_and_lose_nothing(alice: Agent, bob: Agent) -> None:
    batches = await asyncio.gather(*(adds((alice, bob)[n % 2], "a", {"depends_on": ["#0"]}) for n in range(20)))

    plan = await tasks_of(alice)
    assert list(plan) == [f"t{n}" for n in range(1, 41)]
    assert all(plan[second]["depends_on"] == [first] for first, second in batches)
    assert all(int(second[1:]) == int(first[1:]) + 1 for first, second in batches)


async def test_a_task_is_ready_once_all_it_waits_for_is_completed_or_cancelled(alice: Agent) -> None:
    await adds(alice, "one", "two", {"depends_on": ["#0", "#1"]})

    await updates(alice, "t1", status="completed")
    assert (await tasks_of(alice))["t3"]["blocked_by"] == ["t2"]
    await updates(alice, "t2", status="cancelled")
    assert (await tasks_of(alice, ready=True))["t3"]["ready"]
    await updates(alice, "t1", status="failed")

    assert (await tasks_of(alice, ready=False))["t3"]["blocked_by"] == ["t1"]
    assert not (await tasks_of(alice))["t3"]["ready"]


async def test_a_task_added_after_what_it_needs_was_done_is_ready_at_once(alice: Agent) -> None:
    await adds(alice, "one")
    await updates(alice, "t1", status="completed")

    await adds(alice, {"depends_on": ["t1"]})

    assert (await tasks_of(alice))["t2"]["ready"]


@pytest.mark.parametrize("status", ["in_progress", "completed"])
async def test_what_waits_for_others_can_neither_begin_nor_end_unless_forced(alice: Agent, status: str) -> None:
    await adds(alice, "one", "two", {"depends_on": ["#0", "#1"]})
    await updates(alice, "t1", status="completed")

    with pytest.raises(Refused, match="DEPENDENCY_UNMET") as refusal:
        await updates(alice, "t3", status=status)
    assert refusal.value.details == {"blocked_by": ["t2"]}
    assert (await tasks_of(alice))["t3"]["version"] == 1

    forced = await updates(alice, "t3", status=status, force=True)
    assert (forced["status"], forced["old_status"]) == (status, "pending")


async def test_force_is_recorded_with_the_task_and_in_the_audit(table: Table, alice: Agent) -> None:
    await adds(alice, "one", {"depends_on": ["#0"]})

    await updates(alice, "t2", status="completed", note="No time.", force=True)
    await updates(alice, "t1", status="completed", force=True)

    notes = (await tasks_of(alice))["t2"]["notes"]
    assert [note["text"] for note in notes] == ["No time.", "Forced to completed before t1."]
    records = [record for record in await audit_of(table) if record["event_type"] == "task_updated"]
    assert [(record["object"], "forced" in record["metadata"]) for record in records] == [
        ("task:t2", True),
        ("task:t1", False),
    ]


async def test_an_update_answers_with_the_state_of_the_task_and_what_it_was_and_echoes_no_text(
    alice: Agent, bob: Agent
) -> None:
    await adds(alice, "one")

    await updates(alice, "t1", note="Looks easy.")
    task = await updates(
        bob, "t1", status="blocked", assigned_to="carol", description="One, with care", note="It is not."
    )

    read = (await tasks_of(alice))["t1"]
    notes = [(note["author"], note["text"]) for note in read["notes"]]
    assert notes == [("alice", "Looks easy."), ("bob", "It is not.")]
    assert (task["old_status"], task["status"], task["assigned_to"]) == ("pending", "blocked", "carol")
    assert (read["description"], read["version"]) == ("One, with care", 3)
    assert {key: task[key] for key in task if key != "old_status"} == {
        key: value for key, value in read.items() if key not in ("description", "depends_on", "notes")
    }


async def test_an_empty_assignee_gives_the_task_to_anyone(alice: Agent) -> None:
    await adds(alice, {"assigned_to": "bob"})

    assert (await updates(alice, "t1", unassign=True))["assigned_to"] is None


@pytest.mark.parametrize("status", ["blocked", "completed", "cancelled"])
async def test_a_task_that_nobody_holds_keeps_its_status_when_it_is_assigned(alice: Agent, status: str) -> None:
    await adds(alice, "one")
    await updates(alice, "t1", status=status)

    task = await updates(alice, "t1", assigned_to="bob")

    assert (task["status"], task["assigned_to"]) == (status, "bob")


@pytest.mark.parametrize(
    ("arguments", "code", "field"),
    [
        ({}, "INVALID_ARGUMENT", "status"),
        ({"expected_version": 1}, "INVALID_ARGUMENT", "status"),
        ({"status": "done"}, "INVALID_ARGUMENT", "status"),
        ({"status": "PENDING"}, "INVALID_ARGUMENT", "status"),
        ({"task_id": "one", "status": "failed"}, "INVALID_ARGUMENT", "task_id"),
        ({"task_id": "t01", "status": "failed"}, "INVALID_ARGUMENT", "task_id"),
        ({"task_id": "t9", "status": "failed"}, "NOT_FOUND", "t9"),
        ({"description": ""}, "INVALID_ARGUMENT", "description"),
        ({"description": "x" * (LONGEST + 1)}, "PAYLOAD_TOO_LARGE", "description"),
        ({"note": ""}, "INVALID_ARGUMENT", "note"),
        ({"note": "x" * (LONGEST + 1)}, "PAYLOAD_TOO_LARGE", "note"),
        ({"assigned_to": "\n"}, "INVALID_ARGUMENT", "assigned_to"),
        ({"note": "x", "expected_version": "1"}, "INVALID_ARGUMENT", "expected_version"),
        ({"note": "x", "expected_version": 2}, "VERSION_CONFLICT", "version 1"),
        ({"note": "x", "lease": "00000001-abc"}, "LEASE_LOST", "t1"),
        ({"note": "x", "force": "yes"}, "INVALID_ARGUMENT", "force"),
    ],
)
async def test_a_bad_update_is_refused_by_the_name_of_its_field_and_changes_nothing(
    alice: Agent, arguments: dict[str, Any], code: str, field: str
) -> None:
    await adds(alice, "one")
    before = await alice.calls("read_plan"), await alice.calls("read_events")

    with pytest.raises(Refused) as refusal:
        await alice.calls("update_task", **{"task_id": "t1", **arguments})

    assert refusal.value.code == code
    assert field in str(refusal.value)
    assert (await alice.calls("read_plan"), await alice.calls("read_events")) == before


async def test_a_version_conflict_tells_the_version_and_how_the_descriptions_differ(alice: Agent) -> None:
    await adds(alice, "Read\nthe book")
    await updates(alice, "t1", description="Read\nboth books", expected_version=1)

    with pytest.raises(Refused, match="VERSION_CONFLICT") as refusal:
        await updates(alice, "t1", description="Read\nno book", expected_version=1)

    assert refusal.value.details["current_version"] == 2
    assert refusal.value.details["diff"].splitlines()[-2:] == ["-both books", "+no book"]


async def test_updates_at_the_same_moment_are_all_kept(alice: Agent, bob: Agent) -> None:
    await adds(alice, "one")

    await asyncio.gather(*(updates((alice, bob)[n % 2], "t1", note=f"note {n}") for n in range(20)))

    task = (await tasks_of(alice))["t1"]
    assert task["version"] == 21
    assert {note["text"] for note in task["notes"]} == {f"note {n}" for n in range(20)}


async def test_of_twenty_updates_of_one_version_one_wins(alice: Agent) -> None:
    await adds(alice, "one")

    answers = await asyncio.gather(
        *(alice.tries("update_task", task_id="t1", description=f"{n}", expected_version=1) for n in range(20))
    )

    assert sorted(answer["ok"] for answer in answers) == [False] * 19 + [True]


@pytest.mark.slow
async def test_agents_who_count_up_in_one_task_lose_no_step(table: Table, session: str) -> None:
    await check_updates(table, session, agents=16, each=25)


async def test_an_update_that_changes_nothing_is_no_new_version_and_no_event(alice: Agent) -> None:
    await adds(alice, "one")
    before = await alice.calls("read_events")

    task = await updates(alice, "t1", status="pending", description="one")

    assert (task["version"], task["old_status"]) == (1, "pending")
    assert await alice.calls("read_events") == before
