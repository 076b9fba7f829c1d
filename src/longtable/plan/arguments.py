"""What the plan tools take."""

from typing import Annotated

from pydantic import Field, StringConstraints

from longtable.kernel.content import Text
from longtable.plan.model import MAX_BATCH, MAX_LEASE_SECONDS, Priority, Status
from longtable.sessions.arguments import AgentName
from longtable.toolkit.answer_size import MaxChars
from longtable.toolkit.durations import Seconds
from longtable.toolkit.json_objects import JsonObject
from longtable.toolkit.tool import MAX_ITEMS, Arguments, WriteArguments

Description = Annotated[Text, StringConstraints(min_length=1)]
LeaseSeconds = Annotated[int, Seconds(1, MAX_LEASE_SECONDS), Field(description="In seconds, at most 24h.")]


class TaskToAdd(Arguments):
    description: Description = Field(description="What is to be done.")
    assigned_to: AgentName | None = Field(default=None, description="Default: anyone.")
    depends_on: list[str] = Field(
        default_factory=list,
        max_length=MAX_ITEMS,
        description="Ids, or #0, #1 in this call.",
    )
    priority: Priority = Field(default="medium", description="How urgent.")
    metadata: JsonObject | None = Field(default=None, description="A JSON object, at most 10 KB.")


class AddTasks(WriteArguments):
    tasks: Annotated[list[TaskToAdd], Field(min_length=1, max_length=MAX_BATCH)] = Field(
        description="At most 200; all or none."
    )


class UpdateTask(WriteArguments):
    task_id: str = Field(description="Such as t3.")
    status: Status | None = Field(default=None, description="Its new state.")
    assigned_to: AgentName | None = Field(default=None, description="Ends the lease of another.")
    unassign: bool = Field(default=False, description="Anyone may do it then.")
    description: Description | None = Field(default=None, description="New words for it.")
    priority: Priority | None = Field(default=None, description="How urgent.")
    depends_on: list[str] | None = Field(default=None, max_length=MAX_ITEMS, description="Ids; the whole new list.")
    note: Description | None = Field(default=None, description="A remark to add.")
    expected_version: int | None = Field(default=None, ge=1, description="Must be current.")
    lease: Text | None = Field(default=None, description="From claim_task.")
    force: bool = Field(
        default=False,
        description="Despite open dependencies or, for orchestrators, a lease.",
    )


class ClaimTask(WriteArguments, MaxChars):
    task_id: str | None = Field(default=None, description="Default: the best that is ready.")
    lease_seconds: LeaseSeconds = 600


class RenewTask(WriteArguments):
    task_id: str = Field(description="Such as t3.")
    lease: Text = Field(description="From claim_task.")
    lease_seconds: LeaseSeconds = 600


class ReadPlan(MaxChars):
    task_id: str | None = Field(default=None, description="Only this one.")
    status: Status | None = Field(default=None, description="Only these.")
    assigned_to: Text | None = Field(default=None, description="Of this agent.")
    ready: bool | None = Field(default=None, description="Can be begun now, or not.")
    cursor: str | None = Field(default=None, description="From next_cursor.")
