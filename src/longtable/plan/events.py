"""Events of the plan."""

from collections.abc import Sequence

from longtable.kernel.clock import to_iso
from longtable.log.model import Event, preview
from longtable.plan.model import Lease, Status, Task, task_id


def added(tasks: Sequence[Task]) -> Event:
    payload = {
        "task_ids": [task_id(task.number) for task in tasks],
        "previews": [preview(task.description) for task in tasks],
    }
    return Event("scratchpad/tasks_added", payload)


def status_changed(number: int, old: Status, new: Status) -> Event:
    payload = {"item_id": task_id(number), "old_status": old, "new_status": new}
    return Event("scratchpad/checklist_updated", payload)


def claimed(number: int, lease: Lease, *, renewed: bool = False) -> Event:
    payload = {"item_id": task_id(number), "lease_expires_at": to_iso(lease.expires_at)}
    return Event("scratchpad/task_claimed", {**payload, "renewed": True} if renewed else payload)


def assigned(number: int, before: str | None, after: str | None) -> Event:
    payload = {"item_id": task_id(number), "assigned_to": after, "previously": before}
    return Event("scratchpad/task_assigned", payload)


def described_anew(before: Task, after: Task) -> list[str]:
    return [name for name in ("description", "priority", "depends_on") if getattr(before, name) != getattr(after, name)]


def changed(number: int, fields: Sequence[str]) -> Event:
    return Event("scratchpad/task_changed", {"item_id": task_id(number), "changed": list(fields)})


def noted(number: int, note: str) -> Event:
    return Event("scratchpad/task_noted", {"item_id": task_id(number), "note_preview": preview(note)})
