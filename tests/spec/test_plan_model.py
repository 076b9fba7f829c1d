"""The plan against a small model of it: whatever agents try, in whatever order, both agree on what is ready."""

import asyncio
import tempfile
from dataclasses import asdict, dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from longtable.kernel.clock import SECOND
from tests.stores import Store
from tests.table import TRANSPORT, Table, open_table

AGENTS = ["alice", "bob", "carol"]
STATUSES = ["pending", "in_progress", "completed", "blocked", "failed", "cancelled"]
PRIORITIES = ["high", "medium", "low"]

agents = st.sampled_from(AGENTS)
priorities = st.sampled_from(PRIORITIES)
# Neither adds up to the other, so that no lease ends at the moment at which the test looks.
lease_seconds = st.sampled_from([60, 600])
STEP = 90


@dataclass
class ExpectedLease:
    token: str
    holder: str
    ends: int


@dataclass
class ModelTask:
    needs: list[str]
    priority: str
    assigned_to: str | None
    status: str = "pending"
    lease: ExpectedLease | None = None


@dataclass
class NewTask:
    depends_on: list[str]
    priority: str
    assigned_to: str | None


@dataclass
class Model:
    """The rules once more, as plainly as they can be said: everything is looked up anew at every question."""

    tasks: dict[str, ModelTask] = field(default_factory=dict)
    now: int = 0

    def held(self, task: ModelTask) -> ExpectedLease | None:
        return task.lease if task.lease and task.status == "in_progress" and self.now < task.lease.ends else None

    def status(self, task: ModelTask) -> str:
        return "pending" if task.lease and task.status == "in_progress" and not self.held(task) else task.status

    def assignee(self, task: ModelTask) -> str | None:
        held = self.held(task)
        return held.holder if held else task.assigned_to

    def blockers(self, task: ModelTask) -> list[str]:
        return [name for name in task.needs if self.tasks[name].status not in ("completed", "cancelled")]

    def is_ready(self, task: ModelTask) -> bool:
        return self.status(task) == "pending" and not self.blockers(task)

    def best(self, agent: str) -> str | None:
        ready = [
            (task.assigned_to != agent, PRIORITIES.index(task.priority), number, name)
            for number, (name, task) in enumerate(self.tasks.items())
            if self.is_ready(task) and task.assigned_to in (None, agent)
        ]
        return min(ready)[3] if ready else None

    def refusal_of_claim(self, name: str, agent: str) -> str | None:
        task = self.tasks[name]
        if self.status(task) != "pending" or task.assigned_to not in (None, agent):
            return "CONFLICT"
        return "DEPENDENCY_UNMET" if self.blockers(task) else None

    def refusal_of_status(self, name: str, agent: str, status: str, lease: str | None, force: bool) -> str | None:
        task = self.tasks[name]
        held = self.held(task)
        if lease is not None and (held is None or held.token != lease):
            return "LEASE_LOST"
        if lease is None and held is not None and held.holder != agent:
            return "CONFLICT"
        begins = status in ("in_progress", "completed") and status != self.status(task)
        return "DEPENDENCY_UNMET" if begins and self.blockers(task) and not force else None

    def set_status(self, name: str, status: str) -> None:
        task = self.tasks[name]
        held = self.held(task)
        if held and status not in ("pending", "in_progress"):
            task.assigned_to = held.holder
        if held is None or status != "in_progress":
            task.lease = None
        task.status = status

    def refusal_of_batch(self, batch: list[list[str]]) -> str | None:
        known = {f"#{position}" for position in range(len(batch))} | set(self.tasks)
        if any(reference not in known for references in batch for reference in references):
            return "NOT_FOUND"
        graph = {f"#{position}": references for position, references in enumerate(batch)}
        return None if is_acyclic(graph) else "DEPENDENCY_CYCLE"


def is_acyclic(graph: dict[str, list[str]]) -> bool:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError:
        return False
    return True


class PlanMachine(RuleBasedStateMachine):
    """One table and one event loop for each run of steps."""

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.leases: list[tuple[str, str]] = []
        self.runner = asyncio.Runner()
        self.ended = asyncio.Event()
        self.table = self.runner.run(self.open())
        self.agents = {name: self.table.agent(name, "sess_one") for name in AGENTS}

    async def open(self) -> Table:
        opened: asyncio.Future[Table] = asyncio.get_running_loop().create_future()
        self.host = asyncio.create_task(self.keep_table(opened))
        waiting: list[asyncio.Future[Any]] = [opened, self.host]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        return opened.result()

    async def keep_table(self, opened: "asyncio.Future[Table]") -> None:
        """In a task of its own: a table must be left by the task that sat down at it."""
        with tempfile.TemporaryDirectory() as name:
            store = Store("sqlite", str(Path(name) / "data" / "longtable.db"))
            async with open_table(store, Path(name)) as table:
                await table.session("sess_one")
                opened.set_result(table)
                await self.ended.wait()

    async def close(self) -> None:
        self.ended.set()
        await self.host

    def teardown(self) -> None:
        self.runner.run(self.close())
        self.runner.close()

    def calls(self, agent: str, tool: str, refusal: str | None, **arguments: Any) -> dict[str, Any]:
        """The answer, which must be a success or the refusal that the model foretells."""
        answer = self.runner.run(self.agents[agent].tries(tool, **arguments))
        assert (None if answer["ok"] else answer["error"]["code"]) == refusal, (tool, arguments, answer)
        return answer

    @initialize(needs=st.lists(st.lists(st.integers(0, 9), max_size=2), min_size=8, max_size=8))
    def begin_with_a_plan(self, needs: list[list[int]]) -> None:
        batch = [[f"#{n % position}" for n in numbers] if position else [] for position, numbers in enumerate(needs)]
        self.adds("alice", [NewTask(references, "medium", None) for references in batch])

    @rule(data=st.data(), agent=agents, size=st.integers(1, 3))
    def add(self, data: st.DataObject, agent: str, size: int) -> None:
        there = list(self.model.tasks)
        # The last of each is one too many.
        known = [*(f"#{position}" for position in range(size + 1)), *there[-8:], f"t{len(there) + 1}"]
        new = st.builds(NewTask, st.lists(st.sampled_from(known), max_size=2), priorities, st.none() | agents)
        self.adds(agent, data.draw(st.lists(new, min_size=size, max_size=size), label="batch"))

    def adds(self, agent: str, batch: list[NewTask]) -> None:
        refusal = self.model.refusal_of_batch([new.depends_on for new in batch])

        self.calls(agent, "add_tasks", refusal, tasks=[{"description": "x", **asdict(new)} for new in batch])

        if refusal is None:
            first = len(self.model.tasks) + 1
            for position, new in enumerate(batch):
                named = [f"t{first + int(name[1:])}" if name[0] == "#" else name for name in new.depends_on]
                task = ModelTask(list(dict.fromkeys(named)), new.priority, new.assigned_to)
                self.model.tasks[f"t{first + position}"] = task

    @rule(data=st.data(), agent=agents, status=st.sampled_from(STATUSES), force=st.booleans())
    def change_status(self, data: st.DataObject, agent: str, status: str, force: bool) -> None:
        name, lease = data.draw(st.sampled_from([*((name, None) for name in self.model.tasks), *self.leases]))
        old = self.model.status(self.model.tasks[name])
        refusal = self.model.refusal_of_status(name, agent, status, lease, force)
        given = {"lease": lease} if lease else {}

        answer = self.calls(agent, "update_task", refusal, task_id=name, status=status, force=force, **given)

        if refusal is None:
            assert answer["task"]["old_status"] == old
            self.model.set_status(name, status)

    @rule(data=st.data(), agent=agents, seconds=lease_seconds)
    def claim(self, data: st.DataObject, agent: str, seconds: int) -> None:
        name = data.draw(st.none() | st.sampled_from(list(self.model.tasks)), label="task")
        refusal = self.model.refusal_of_claim(name, agent) if name else None
        given = {"task_id": name} if name else {}

        answer = self.calls(agent, "claim_task", refusal, lease_seconds=seconds, **given)

        if refusal is None:
            got = name or self.model.best(agent)
            assert (answer["task"] and answer["task"]["id"]) == got
            if got is not None:
                self.claimed(got, agent, answer["lease"], seconds)

    def claimed(self, name: str, agent: str, token: str, seconds: int) -> None:
        assert all(token > earlier for task, earlier in self.leases if task == name)
        self.leases.append((name, token))
        task = self.model.tasks[name]
        task.status, task.lease = "in_progress", ExpectedLease(token, agent, self.model.now + seconds)

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), agent=agents, seconds=lease_seconds)
    def renew(self, data: st.DataObject, agent: str, seconds: int) -> None:
        name, token = data.draw(st.sampled_from(self.leases), label="lease")
        task = self.model.tasks[name]
        refusal = None if task.lease and task.lease.token == token else "LEASE_LOST"

        self.calls(agent, "renew_task", refusal, task_id=name, lease=token, lease_seconds=seconds)

        if task.lease and refusal is None:
            task.status, task.lease = "in_progress", ExpectedLease(token, task.lease.holder, self.model.now + seconds)

    @rule(steps=st.sampled_from([1, 1, 1, 7]))
    def let_time_pass(self, steps: int) -> None:
        self.model.now += steps * STEP
        self.table.clock.ahead = self.model.now * SECOND

    @invariant()
    def both_see_the_same_plan(self) -> None:
        model = self.model

        seen = self.calls("alice", "read_plan", None, max_chars=0)["tasks"]
        ready = self.calls("bob", "read_plan", None, max_chars=0, ready=True)["tasks"]

        assert [
            (task["id"], task["status"], task["assigned_to"], task["ready"], task["depends_on"]) for task in seen
        ] == [
            (name, model.status(task), model.assignee(task), model.is_ready(task), task.needs)
            for name, task in model.tasks.items()
        ]
        assert [task["id"] for task in ready] == [name for name, task in model.tasks.items() if model.is_ready(task)]
        assert [set(task["blocked_by"]) for task in seen if task["status"] not in ("completed", "cancelled")] == [
            set(model.blockers(task)) for task in model.tasks.values() if task.status not in ("completed", "cancelled")
        ]
        assert is_acyclic({task["id"]: task["depends_on"] for task in seen})


# A failure is made small before it is shown, which takes a while.
@pytest.mark.timeout(300)
@pytest.mark.slow
def test_whatever_agents_try_the_plan_does_what_its_model_says() -> None:
    examples = 40 if TRANSPORT == "memory" else 8
    budget = settings(max_examples=examples, stateful_step_count=30, deadline=None, derandomize=True, database=None)

    run_state_machine_as_test(PlanMachine, settings=settings(budget, suppress_health_check=list(HealthCheck)))
