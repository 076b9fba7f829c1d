"""Events in words, as people read them."""

from typing import Any

import pytest

from longtable.log.sentences import sentence

EVENTS: list[tuple[str, dict[str, Any], str]] = [
    ("scratchpad/task_assigned", {"task_id": "t1", "assigned_to": "bob"}, "to bob"),
    ("scratchpad/task_assigned", {"task_id": "t1", "assigned_to": ""}, "to nobody"),
    ("scratchpad/task_claimed", {"task_id": "t1", "renewed": True}, "keeps"),
    ("scratchpad/task_claimed", {"task_id": "t1"}, "claimed"),
    ("scratchpad/tasks_added", {"task_ids": ["t1"], "previews": ["Paint"]}, "added the task"),
    ("scratchpad/tasks_added", {"task_ids": ["t1", "t2"], "previews": ["Paint", "Dry"]}, "added 2 tasks"),
]


@pytest.mark.parametrize(("kind", "fields", "words"), EVENTS)
def test_an_event_is_told_in_words(kind: str, fields: dict[str, Any], words: str) -> None:
    assert words in sentence({"kind": kind, "actor": "ada", **fields})
