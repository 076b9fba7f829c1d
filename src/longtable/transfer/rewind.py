"""How a session was after an earlier event of the log: what has happened since is taken back, the newest first.

What an event added is left out. What it changed follows from its kind, or kept with it (`undo`). So nothing has to be
known of what was before the log: an import, a fork."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from longtable.kernel.ids import number_of
from longtable.storage.database import Row
from longtable.transfer.record_type import RecordType
from longtable.transfer.session_records import CHECKPOINT, MESSAGE, NOTE, QUESTION, TASK

EventFields = Mapping[str, Any]

_NO_ANSWER: Final = {
    **dict.fromkeys(("answer", "answered_at", "answered_by", "answer_origin")),
    "status": "pending",
    "by_human": 0,
    "told_by_human": 0,
}
_NEVER: Final = 2**62


@dataclass(slots=True)
class Rewind:
    """`first_later` has, for each type that is numbered, the first number that was not there yet. `columns` are those
    of a row that were others, by table and number; `versions` those of sections, 0 for one that was not there."""

    first_later: dict[str, int] = field(default_factory=dict)
    columns: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    moves: list[tuple[str, int | None]] = field(default_factory=list)
    """Sections and their earlier positions (None: not there yet), in the order in which the moves are taken back."""

    def take_back(self, kind: str, payload: EventFields, undo: Sequence[Any] | None) -> None:
        """Call it with the newest event first."""
        step = _STEPS.get(kind)
        if step is not None:
            step(self, payload)
        if undo is not None:
            table, id, columns = undo
            if table == "sections":
                self.moves.append((id, columns["position"]))
            else:
                self._were(table, id, columns)

    def is_kept(self, record: RecordType, number: int) -> bool:
        return number < self.first_later.get(record.name, _NEVER)

    def as_it_was(self, record: RecordType, row: Row) -> dict[str, Any]:
        return {**row, **self.columns.get((record.table, row["number"]), {})}

    def version_of(self, section_id: str, newest: int) -> int:
        return self.versions.get(section_id, newest)

    def order(self, section_ids: Sequence[str]) -> list[str]:
        """The sections that were there, in the order of then."""
        ordered = list(section_ids)
        for section_id, position in self.moves:
            ordered.remove(section_id)
            if position is not None:
                ordered.insert(position, section_id)
        return ordered

    def came_later(self, record: RecordType, number: int) -> None:
        self.first_later[record.name] = min(number, self.first_later.get(record.name, _NEVER))

    def _were(self, table: str, number: int, columns: Mapping[str, Any]) -> None:
        self.columns.setdefault((table, number), {}).update(columns)

    def answered(self, payload: EventFields) -> None:
        # One that replaced another answer has that one in its `undo`, which is taken back after this.
        self._were(QUESTION.table, _number("q", payload["question_id"]), _NO_ANSWER)

    def resumed(self, payload: EventFields) -> None:
        self._were(CHECKPOINT.table, _number("c", payload["checkpoint_id"]), {"resumed_at": None})

    def acknowledged(self, payload: EventFields) -> None:
        self._were(MESSAGE.table, payload["message_id"], {"acknowledged_at": None})


def _number(prefix: str, id: str) -> int:
    number = number_of(prefix, id)
    assert number is not None
    return number


def _added(record: RecordType, prefix: str, name: str) -> Callable[[Rewind, EventFields], None]:
    return lambda rewind, payload: rewind.came_later(record, _number(prefix, str(payload[name])))


def _tasks_added(rewind: Rewind, payload: EventFields) -> None:
    for id in payload["task_ids"]:
        rewind.came_later(TASK, _number("t", id))


def _section_created(rewind: Rewind, payload: EventFields) -> None:
    rewind.versions[payload["section_name"]] = 0
    rewind.moves.append((payload["section_name"], None))


def _section_updated(rewind: Rewind, payload: EventFields) -> None:
    rewind.versions[payload["section_name"]] = payload["version"] - 1


_STEPS: Final[Mapping[str, Callable[[Rewind, EventFields], None]]] = {
    "scratchpad/note_added": _added(NOTE, "n", "note_id"),
    "scratchpad/section_created": _section_created,
    "scratchpad/section_updated": _section_updated,
    "scratchpad/tasks_added": _tasks_added,
    "scratchpad/question_added": _added(QUESTION, "q", "question_id"),
    "scratchpad/question_answered": Rewind.answered,
    "scratchpad/question_expired": Rewind.answered,
    "scratchpad/question_withdrawn": Rewind.answered,
    "scratchpad/checkpoint_created": _added(CHECKPOINT, "c", "checkpoint_id"),
    "scratchpad/checkpoint_resumed": Rewind.resumed,
    "message/added": _added(MESSAGE, "", "message_id"),
    "message/acknowledged": Rewind.acknowledged,
}


def rewound(events: Sequence[Row]) -> Rewind:
    """`events` are those of the session after the moment, the newest first."""
    rewind = Rewind()
    for event in events:
        undo = None if event["undo"] is None else json.loads(event["undo"])
        rewind.take_back(event["kind"], json.loads(event["payload"]), undo)
    return rewind
