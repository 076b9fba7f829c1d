"""Tasks in an answer that may not be long: of each its newest notes, and how to read the rest."""

from collections.abc import Sequence
from typing import Any

from longtable.toolkit.answer_size import first_within, size_of

_ONE_OF_MANY = 10
"""The notes of one task get this part of an answer, or half of it where it is the only one."""


def first_tasks(tasks: Sequence[dict[str, Any]], most: int | None) -> list[dict[str, Any]]:
    """The first that fit, at least one."""
    if most is None:
        return list(tasks)
    share = most // 2 if len(tasks) == 1 else most // _ONE_OF_MANY
    shown = first_within((newest_notes(task, share) if "notes" in task else task for task in tasks), most)
    return [{**task, "read_on": _whole(task)} if "truncated" in task else task for task in shown]


def newest_notes(task: dict[str, Any], most: int) -> dict[str, Any]:
    """The task with as many of its last notes as fit, and `truncated` and `read_on` where that is not all."""
    left, count = most, 0
    for note in reversed(task["notes"]):
        left -= size_of(note)
        if left < 0:
            break
        count += 1
    if count == len(task["notes"]):
        return task
    notes = task["notes"][len(task["notes"]) - count :]
    return {**task, "notes": notes, "truncated": True, "read_on": _whole(task)}


def _whole(task: dict[str, Any]) -> dict[str, Any]:
    """The arguments with which read_plan shows all of it."""
    return {"task_id": task["id"], "max_chars": 0}
