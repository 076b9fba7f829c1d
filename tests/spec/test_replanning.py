"""A plan changes while it is worked on: tasks become more urgent, and wait for others than at first."""

import asyncio
from typing import Any

import pytest

from tests.table import Agent, Refused


async def _plan(agent: Agent, count: int) -> None:
    await agent.calls("add_tasks", tasks=[{"description": f"task {number}"} for number in range(1, count + 1)])


async def _tasks(agent: Agent) -> dict[str, dict[str, Any]]:
    return {task["id"]: task for task in (await agent.calls("read_plan"))["tasks"]}


async def test_a_task_that_became_urgent_is_claimed_first(alice: Agent) -> None:
    await _plan(alice, 3)

    changed = (await alice.calls("update_task", task_id="t3", priority="high"))["task"]

    assert (changed["priority"], changed["version"]) == ("high", 2)
    assert (await alice.calls("claim_task"))["task"]["id"] == "t3"


async def test_whoever_follows_a_session_learns_what_was_changed_of_a_task(alice: Agent) -> None:
    await _plan(alice, 2)
    seq = (await alice.calls("read_events"))["next_after"]

    await alice.calls("update_task", task_id="t2", priority="high", depends_on=["t1"])
    await alice.calls("update_task", task_id="t2", description="measure twice", status="blocked")
    await alice.calls("update_task", task_id="t2", priority="high")

    events = (await alice.calls("read_events", after=seq, kinds=["scratchpad/task_changed"]))["events"]
    assert [(event["item_id"], event["changed"]) for event in events] == [
        ("t2", ["priority", "depends_on"]),
        ("t2", ["description"]),
    ]


async def test_a_task_waits_for_the_whole_new_list_and_for_nothing_else(alice: Agent) -> None:
    await _plan(alice, 4)
    await alice.calls("update_task", task_id="t1", status="completed")
    await alice.calls("update_task", task_id="t4", depends_on=["t2"])

    changed = (await alice.calls("update_task", task_id="t4", depends_on=["t1", "t3", "t3"]))["task"]

    assert (changed["ready"], changed["blocked_by"]) == (False, ["t3"])
    assert (await _tasks(alice))["t4"]["depends_on"] == ["t1", "t3"]
    await alice.calls("update_task", task_id="t3", status="completed")
    assert (await _tasks(alice))["t4"]["ready"]


async def test_a_task_that_waits_for_nothing_any_more_can_be_claimed(alice: Agent) -> None:
    await _plan(alice, 2)
    await alice.calls("update_task", task_id="t2", depends_on=["t1"])
    with pytest.raises(Refused, match="DEPENDENCY_UNMET"):
        await alice.calls("claim_task", task_id="t2")

    await alice.calls("update_task", task_id="t2", depends_on=[])

    assert (await alice.calls("claim_task", task_id="t2"))["task"]["id"] == "t2"


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        (["t3"], "DEPENDENCY_CYCLE"),
        (["t1"], "DEPENDENCY_CYCLE"),
        (["t9"], "NOT_FOUND"),
        (["#0"], "INVALID_ARGUMENT"),
    ],
)
async def test_what_cannot_be_waited_for_is_refused_and_changes_nothing(
    alice: Agent, wanted: list[str], code: str
) -> None:
    await _plan(alice, 3)
    await alice.calls("update_task", task_id="t2", depends_on=["t1"])
    await alice.calls("update_task", task_id="t3", depends_on=["t2"])
    before = await _tasks(alice)

    with pytest.raises(Refused) as refused:
        await alice.calls("update_task", task_id="t1", depends_on=wanted, note="never kept")

    assert refused.value.code == code
    assert await _tasks(alice) == before


async def test_a_circle_is_named(alice: Agent) -> None:
    await _plan(alice, 3)
    await alice.calls("update_task", task_id="t2", depends_on=["t1"])
    await alice.calls("update_task", task_id="t3", depends_on=["t2"])

    with pytest.raises(Refused) as refused:
        await alice.calls("update_task", task_id="t1", depends_on=["t3"])

    assert refused.value.details["cycle"] == ["t1", "t3", "t2", "t1"]


async def test_twenty_changes_at_once_never_make_a_circle(alice: Agent) -> None:
    """Each is right by itself; all of them would be a circle."""
    count = 20
    await _plan(alice, count)

    results = await asyncio.gather(
        *(
            alice.tries("update_task", task_id=f"t{number}", depends_on=[f"t{number % count + 1}"])
            for number in range(1, count + 1)
        )
    )

    refused = [result["error"]["code"] for result in results if not result["ok"]]
    assert refused == ["DEPENDENCY_CYCLE"]
    assert sum(task["ready"] for task in (await _tasks(alice)).values()) == 1
