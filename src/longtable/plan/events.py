"""Events of the plan."""

from collections.abc import Sequence

from longtable.log.model import Event, preview
from longtable.plan.model import Status, Task, task_id


def added(tasks: Sequence[Task]) -> Event:
    payload = {
        "task_ids": [task_id(task.number) for task in tasks],
        "previews": [preview(task.description) for task in tasks],
    }
    return Event("scratchpad/tasks_added", payload)


def status_changed(number: int, old: Status, new: Status) -> Event:
    payload = {"item_id": task_id(number), "old_status": old, "new_status": new}
    return Event("scratchpad/checklist_updated", payload)
