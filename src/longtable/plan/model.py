"""What a task is: its status by the clock, when it can be begun, and its limits."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

from longtable.kernel.clock import to_iso
from longtable.kernel.result import LimitedResult, Result, Value, omitted_if_none

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
HEADLINE = 80


class Lease(NamedTuple):
    token: str
    holder: str
    expires_at: int


class TaskNote(NamedTuple):
    author: str
    text: str
    created_at: int
    origin: str | None = None
    """Where it was written, if that was not here."""

    def as_json(self) -> dict[str, Any]:
        """A `TaskNoteView` as it is sent."""
        shown: dict[str, Any] = {"author": self.author, "text": self.text, "timestamp": to_iso(self.created_at)}
        return shown if self.origin is None else {**shown, "imported": True}


class Task(NamedTuple):
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
    updated_at: int = 0

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
        return self._replace(status=self.status_at(now), lease=None)

    def view(self, now: int, notes: Sequence[TaskNote]) -> "TaskView":
        return TaskView(**self.as_json(now, notes))

    def as_json(self, now: int, notes: Sequence[TaskNote]) -> dict[str, Any]:
        """A `TaskView` as it is sent."""
        # Most tasks have no lease: for those the clock need not be asked.
        lease, status = (self.lease_at(now), self.status_at(now)) if self.lease else (None, self.status)
        shown: dict[str, Any] = {
            "id": task_id(self.number),
            "description": self.description,
            "status": status,
            "assigned_to": lease.holder if lease else self.assigned_to,
            "depends_on": list(map(task_id, self.depends_on)),
            "ready": status == "pending" and not self.blocked_by,
            "blocked_by": [] if status in SATISFIED else list(map(task_id, self.blocked_by)),
            "priority": self.priority,
            "version": self.version,
            "notes": [note.as_json() for note in notes],
        }
        if self.metadata is not None:
            shown["metadata"] = self.metadata
        if lease:
            shown["lease_expires_at"] = to_iso(lease.expires_at)
        return shown

    def changed(self, now: int, old_status: Status) -> "ChangedTask":
        shown = self.as_json(now, ())
        names = ("id", "status", "assigned_to", "ready", "blocked_by", "priority", "version", "lease_expires_at")
        return ChangedTask(**{name: shown.get(name) for name in names}, old_status=old_status)

    def _has_run_out(self, now: int) -> bool:
        return self.status == "in_progress" and self.lease is not None and now >= self.lease.expires_at


def task_id(number: int) -> str:
    return f"{PREFIX}{number}"


class TaskNoteView(Value):
    author: str
    text: str
    timestamp: str
    imported: bool | None = omitted_if_none()


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
    truncated: bool | None = omitted_if_none()
    read_on: dict[str, Any] | None = omitted_if_none()


class ChangedTask(Value):
    """A task as whoever changed it gets it back: without texts."""

    id: str
    status: Status
    old_status: Status
    assigned_to: str | None
    ready: bool
    blocked_by: list[str]
    priority: Priority
    version: int
    lease_expires_at: str | None = omitted_if_none()


class TaskStamp(Value):
    """`description` is the beginning of it, to tell the tasks apart."""

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


class TaskClaimed(LimitedResult):
    task: TaskView | None
    lease: str | None = omitted_if_none()
    lease_expires_at: str | None = omitted_if_none()


class TaskRenewed(Result):
    task_id: str
    lease: str
    lease_expires_at: str


class PlanRead(LimitedResult):
    tasks: list[TaskView]
    summary: PlanSummary
    progress: float
    next_cursor: str | None = omitted_if_none()
