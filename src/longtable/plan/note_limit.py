"""The notes of a task in an answer that may not be long: the newest."""

from typing import Any

from longtable.toolkit.answer_size import size_of


def newest_notes(task: dict[str, Any], most: int) -> dict[str, Any]:
    """The task with as many of its last notes as fit, and `truncated` where that is not all."""
    left, count = most, 0
    for note in reversed(task["notes"]):
        left -= size_of(note)
        if left < 0:
            break
        count += 1
    if count == len(task["notes"]):
        return task
    return {**task, "notes": task["notes"][len(task["notes"]) - count :], "truncated": True}
