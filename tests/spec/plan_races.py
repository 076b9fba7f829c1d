"""Agents that race for the tasks of one plan, in any number."""

import asyncio
from collections import Counter

from tests.table import Agent, Table

BATCH = 200


async def check_claims(table: Table, session: str, agents: int, tasks: int) -> None:
    """Every task is claimed by exactly one agent, and none before those it depends on were completed."""
    planner = table.agent("planner", session)
    await lay_plan(planner, tasks)
    done: list[str] = []

    await asyncio.gather(*(_works(table.agent(f"agent-{n}", session), tasks, done) for n in range(agents)))

    plan = await planner.calls("read_plan", max_chars=0)
    changes = await _changes(planner)
    place = {change: position for position, change in enumerate(changes)}
    assert len(plan["tasks"]) == tasks
    assert Counter(done) == Counter({task["id"]: 1 for task in plan["tasks"]})
    assert Counter(changes) == Counter(
        {(task["id"], status): 1 for task in plan["tasks"] for status in ("in_progress", "completed")}
    )
    early = [
        (task["id"], needed)
        for task in plan["tasks"]
        for needed in task["depends_on"]
        if place[needed, "completed"] > place[task["id"], "in_progress"]
    ]
    assert early == []
    assert len({task["assigned_to"] for task in plan["tasks"]}) > 1


async def _changes(agent: Agent) -> list[tuple[str, str]]:
    """Each task and its new status, in the order of the commits."""
    changes: list[tuple[str, str]] = []
    after = 0
    while True:
        page = await agent.calls(
            "read_events", after=after, kinds=["scratchpad/checklist_updated"], limit=1000, max_chars=0
        )
        if not page["events"]:
            return changes
        changes += [(event["item_id"], event["new_status"]) for event in page["events"]]
        after = page["next_after"]


async def lay_plan(planner: Agent, tasks: int) -> None:
    """A plan that fans out and in: each task waits for up to two of those before it."""
    for start in range(0, tasks, BATCH):
        batch = [_task(number, start) for number in range(start, min(start + BATCH, tasks))]
        await planner.calls("add_tasks", tasks=batch)


def _task(number: int, start: int) -> dict[str, object]:
    needed = {number // 2, number - 7} if number >= 7 and number % 3 else set()
    references = [f"#{n - start}" if n >= start else f"t{n + 1}" for n in sorted(needed)]
    priority = ("low", "medium", "high")[number % 3]
    return {"description": f"task {number}", "depends_on": references, "priority": priority}


async def _works(agent: Agent, tasks: int, done: list[str]) -> None:
    while len(done) < tasks:
        claim = await agent.calls("claim_task")
        if claim["task"] is None:
            await asyncio.sleep(0)
            continue
        task = claim["task"]["id"]
        await agent.calls("update_task", task_id=task, status="completed", lease=claim["lease"])
        done.append(task)


async def check_updates(table: Table, session: str, agents: int, each: int) -> None:
    """Agents count up in one description, each from the version it has read: what was answered as done is there."""
    await table.agent("planner", session).calls("add_tasks", tasks=[{"description": "0"}])

    done = await asyncio.gather(*(_counts(table.agent(f"agent-{n}", session), each) for n in range(agents)))

    [task] = (await table.agent("planner", session).calls("read_plan"))["tasks"]
    assert task["description"] == str(sum(done))
    assert task["version"] == 1 + sum(done)
    assert sum(done) >= each


async def _counts(agent: Agent, tries: int) -> int:
    done = 0
    for _ in range(tries):
        [task] = (await agent.calls("read_plan"))["tasks"]
        counted = str(int(task["description"]) + 1)
        answer = await agent.tries("update_task", task_id="t1", description=counted, expected_version=task["version"])
        if answer["ok"]:
            done += 1
        else:
            assert answer["error"]["code"] == "VERSION_CONFLICT"
            assert answer["error"]["details"]["current_version"] > task["version"]
    return done
