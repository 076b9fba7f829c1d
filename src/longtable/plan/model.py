"""What a task is: its status by the clock, when it can be begun, and its limits."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from longtable.kernel.clock import to_iso
from longtable.kernel.ids import numbered
from longtable.kernel.result import Result, Value, omitted_if_none

Status = Literal["pending", "in_progress", "completed", "blocked", "failed", "cancelled"]
Priority = Literal["high", "medium", "low"]

STATUSES: tuple[Status, ...] = get_args(Status)
PRIORITIES: tuple[Priority, ...] = get_args(Priority)
SATISFIED: tuple[Status, ...] = ("completed", "cancelled")
"""A dependency in one of these blocks no task."""

PREFIX = "t"
MAX_BATCH = 200
MAX_DEPENDENCIES = 200
MAX_DESCRIPTION = 10_000
MAX_NOTE = 10_000
MAX_NOTES = 1_000
MAX_METADATA_BYTES = 10_240
MAX_LEASE_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Lease:
    token: str
    holder: str
    expires_at: int


@dataclass(frozen=True, slots=True)
class TaskNote:
    author: str
    text: str
    created_at: int

    def view(self) -> "TaskNoteView":
        return TaskNoteView(author=self.author, text=self.text, timestamp=to_iso(self.created_at))


@dataclass(frozen=True, slots=True)
class Task:
    """A task as it is stored. While a lease runs, its holder counts instead of `assigned_to`."""

    number: int
    description: str
    status: Status
    assigned_to: str | None
    priority: Priority
    depends_on: tuple[int, ...] = ()
    blocked_by: tuple[int, ...] = ()
    metadata: dict[str, Any] | None = None
    version: int = 1
    claims: int = 0
    lease: Lease | None = None
    note_count: int = 0

    def lease_at(self, now: int) -> Lease | None:
        if self.status != "in_progress" or self.lease is None or now >= self.lease.expires_at:
            return None
        return self.lease

    def status_at(self, now: int) -> Status:
        """A claim ends when its lease runs out, by the clock: no job has to end it."""
        return "pending" if self._has_run_out(now) else self.status

    def settled(self, now: int) -> "Task":
        """The task without a lease that has run out."""
        if self.lease is None or self.lease_at(now):
            return self
        return replace(self, status=self.status_at(now), lease=None)

    def view(self, now: int, notes: list[TaskNote]) -> "TaskView":
        lease, status = self.lease_at(now), self.status_at(now)
        return TaskView.unchecked(
            id=task_id(self.number),
            description=self.description,
            status=status,
            assigned_to=lease.holder if lease else self.assigned_to,
            depends_on=[task_id(number) for number in self.depends_on],
            ready=status == "pending" and not self.blocked_by,
            blocked_by=[] if self.status in SATISFIED else [task_id(number) for number in self.blocked_by],
            priority=self.priority,
            version=self.version,
            notes=[note.view() for note in notes],
            metadata=self.metadata,
            lease_expires_at=to_iso(lease.expires_at) if lease else None,
        )

    def _has_run_out(self, now: int) -> bool:
        return self.status == "in_progress" and self.lease is not None and now >= self.lease.expires_at


def task_id(number: int) -> str:
    return numbered(PREFIX, number)


class TaskNoteView(Value):
    author: str
    text: str
    timestamp: str


class TaskView(Value):
    id: str
    description: str
    status: Status
    assigned_to: str | None
    depends_on: list[str]
    ready: bool
    blocked_by: list[str]
    priority: Priority
    version: int
    notes: list[TaskNoteView]
    metadata: dict[str, Any] | None = omitted_if_none()
    lease_expires_at: str | None = omitted_if_none()


class ChangedTask(TaskView):
    old_status: Status


class TaskStamp(Value):
    id: str
    description: str


class PlanSummary(Value):
    pending: int
    in_progress: int
    completed: int
    blocked: int
    failed: int
    cancelled: int
    total: int

    @classmethod
    def of(cls, counts: Mapping[Status, int]) -> "PlanSummary":
        return cls(**{status: counts.get(status, 0) for status in STATUSES}, total=sum(counts.values()))

    @property
    def progress(self) -> float:
        """The share that is completed of all that was not cancelled."""
        return self.completed / max(1, self.total - self.cancelled)


class TasksAdded(Result):
    tasks: list[TaskStamp]


class TaskUpdated(Result):
    task: ChangedTask


class TaskClaimed(Result):
    task: TaskView | None
    lease: str | None = omitted_if_none()
    lease_expires_at: str | None = omitted_if_none()


class TaskRenewed(Result):
    task_id: str
    lease: str
    lease_expires_at: str


class PlanRead(Result):
    tasks: list[TaskView]
    summary: PlanSummary
    progress: float
