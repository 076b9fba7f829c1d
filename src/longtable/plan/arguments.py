"""What the plan tools take."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints

from longtable.kernel.content import Text
from longtable.kernel.names import name_problem
from longtable.plan.model import MAX_BATCH, MAX_LEASE_SECONDS, Priority, Status
from longtable.toolkit.durations import FORMS, Seconds
from longtable.toolkit.tool import MAX_ITEMS, Arguments, WriteArguments


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
