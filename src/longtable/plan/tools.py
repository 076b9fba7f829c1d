"""The plan tools: their arguments, their words for the model, their routes."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints

from longtable.identity.model import EVERYONE, POSTERS, WORKERS
from longtable.kernel.call import Call
from longtable.kernel.content import Text
from longtable.kernel.errors import InvalidArgument
from longtable.kernel.ids import number_of
from longtable.kernel.names import name_problem
from longtable.plan.leases import Change
from longtable.plan.model import (
    MAX_BATCH,
    MAX_LEASE_SECONDS,
    PREFIX,
    NewTask,
    PlanRead,
    Priority,
    Status,
    TaskClaimed,
    TaskRenewed,
    TasksAdded,
    TaskUpdated,
)
from longtable.plan.service import Plan, PlanQuery, TaskUpdate
from longtable.toolkit.durations import FORMS, Seconds
from longtable.toolkit.tool import MAX_ITEMS, Arguments, Route, Tool, WriteArguments


def _agent_name(name: str) -> str:
    problem = name_problem(name)
    if problem is not None:
        raise ValueError(problem)
    return name


AgentName = Annotated[Text, AfterValidator(_agent_name)]
Description = Annotated[Text, StringConstraints(min_length=1)]
LeaseSeconds = Annotated[
    int, Seconds(1, MAX_LEASE_SECONDS), Field(description=f"How long the task stays yours: {FORMS}; at most 24h.")
]


class TaskToAdd(Arguments):
    description: Description = Field(description="What is to be done. At most 10,000 characters.")
    assigned_to: AgentName | None = Field(default=None, description="The agent who is to do it; else anyone may.")
    depends_on: list[str] = Field(
        default_factory=list,
        max_length=MAX_ITEMS,
        description="What must be done before: ids such as t3, or #0, #1, ... for the first, second, ... of this call.",
    )
    priority: Priority = "medium"
    metadata: dict[str, Any] | None = Field(
        default=None, max_length=MAX_ITEMS, description="A JSON object of your own, at most 10 KB."
    )


class AddTasks(WriteArguments):
    tasks: Annotated[list[TaskToAdd], Field(min_length=1, max_length=MAX_BATCH)] = Field(
        description="1 to 200 tasks. All are added or none."
    )


class UpdateTask(WriteArguments):
    task_id: str = Field(description="The id of the task, such as t3.")
    status: Status | None = None
    assigned_to: AgentName | None = Field(
        default=None, description="Who is to do it from now on. Ends the lease of another."
    )
    unassign: bool = Field(default=False, description="Take it from whoever has it: anyone may do it from now on.")
    description: Description | None = Field(default=None, description="What is to be done, in new words.")
    note: Description | None = Field(default=None, description="A remark to add to the task.")
    expected_version: int | None = Field(default=None, ge=1, description="Refuse if the task has changed since.")
    lease: Text | None = Field(default=None, description="The lease that claim_task gave you.")
    force: bool = Field(
        default=False,
        description="Begin or complete it though a dependency is open, or as an orchestrator change what another "
        "agent holds. Is recorded.",
    )


class ClaimTask(WriteArguments):
    task_id: str | None = Field(default=None, description="The task you want; else you get the best that is ready.")
    lease_seconds: LeaseSeconds = 600


class RenewTask(WriteArguments):
    task_id: str = Field(description="The id of the task, such as t3.")
    lease: Text = Field(description="The lease that claim_task gave you.")
    lease_seconds: LeaseSeconds = 600


class ReadPlan(Arguments):
    status: Status | None = Field(default=None, description="Only tasks of this status.")
    assigned_to: Text | None = Field(default=None, description="Only tasks of this agent.")
    ready: bool | None = Field(default=None, description="Only tasks that can be begun now, or only the others.")


class PlanTools:
    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    async def add(self, call: Call, arguments: AddTasks) -> TasksAdded:
        batch = [
            NewTask(task.description, task.assigned_to, tuple(task.depends_on), task.priority, task.metadata)
            for task in arguments.tasks
        ]
        return await self._plan.add(call, batch)

    async def update(self, call: Call, arguments: UpdateTask) -> TaskUpdated:
        if arguments.unassign and arguments.assigned_to is not None:
            raise InvalidArgument.at("unassign", "does not go with assigned_to")
        assigned_to = "" if arguments.unassign else arguments.assigned_to
        update = TaskUpdate(
            number=_number(arguments.task_id),
            change=Change(arguments.status, assigned_to, arguments.description),
            note=arguments.note,
            expected_version=arguments.expected_version,
            lease=arguments.lease,
            force=arguments.force,
        )
        return await self._plan.update(call, update)

    async def claim(self, call: Call, arguments: ClaimTask) -> TaskClaimed:
        number = None if arguments.task_id is None else _number(arguments.task_id)
        return await self._plan.claim(call, number, arguments.lease_seconds)

    async def renew(self, call: Call, arguments: RenewTask) -> TaskRenewed:
        return await self._plan.renew(call, _number(arguments.task_id), arguments.lease, arguments.lease_seconds)

    async def read(self, call: Call, arguments: ReadPlan) -> PlanRead:
        return await self._plan.read(call, PlanQuery(arguments.status, arguments.assigned_to, arguments.ready))


def _number(task_id: str) -> int:
    number = number_of(PREFIX, task_id)
    if number is None:
        raise InvalidArgument.at("task_id", "must be the id of a task, such as t3")
    return number


def plan_tools(tools: PlanTools) -> list[Tool[Any]]:
    return [*_to_plan(tools), *_to_work(tools)]


def _to_plan(tools: PlanTools) -> list[Tool[Any]]:
    return [
        Tool(
            name="add_tasks",
            title="Add tasks to the plan",
            description="Add tasks to the session's plan, and say which of them must wait for which.",
            arguments=AddTasks,
            result=TasksAdded,
            run=tools.add,
            group="workspace",
            roles=POSTERS,
            audited_as="tasks_added",
            writes=True,
            routes=(Route("POST", "/sessions/{session_id}/tasks", 201),),
        ),
        Tool(
            name="update_task",
            title="Update a task",
            description="Change a task's status, assignee or description, or add a note to it.",
            arguments=UpdateTask,
            result=TaskUpdated,
            run=tools.update,
            group="workspace",
            roles=POSTERS,
            audited_as="task_updated",
            writes=True,
            routes=(Route("POST", "/sessions/{session_id}/tasks/{task_id}"),),
        ),
        Tool(
            name="read_plan",
            title="Read the plan",
            description="Read the plan: every task, what it waits for, who is on it, and how far the work has come.",
            arguments=ReadPlan,
            result=PlanRead,
            run=tools.read,
            group="workspace",
            roles=EVERYONE,
            audited_as="plan_read",
            routes=(Route("GET", "/sessions/{session_id}/plan"),),
        ),
    ]


def _to_work(tools: PlanTools) -> list[Tool[Any]]:
    return [
        Tool(
            name="claim_task",
            title="Claim a task",
            description="Take a task that is ready, for yourself alone, until you finish it or its lease runs out.",
            arguments=ClaimTask,
            result=TaskClaimed,
            run=tools.claim,
            group="workspace",
            roles=WORKERS,
            audited_as="task_claimed",
            writes=True,
        ),
        Tool(
            name="renew_task",
            title="Keep a claimed task",
            description="Hold on to a task that you claimed: its lease runs anew from now.",
            arguments=RenewTask,
            result=TaskRenewed,
            run=tools.renew,
            group="workspace",
            roles=WORKERS,
            audited_as="task_renewed",
            writes=True,
        ),
    ]
