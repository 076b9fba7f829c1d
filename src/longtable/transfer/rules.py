"""What must hold between the records of one session or scratchpad: ids without gaps, references that lead somewhere,
and the limits that hold for what agents write. What does not hold is a ValueError, in words that follow the number of a
line."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any

from longtable.transfer.history_records import AUDIT, HISTORY
from longtable.transfer.model import TransferLimits
from longtable.transfer.notebook_records import CELL, IN_SCRATCHPAD, SCHEMA
from longtable.transfer.record_type import RecordType
from longtable.transfer.session_records import (
    CHECKPOINT,
    IN_SESSION,
    MEMORY,
    MESSAGE,
    NOTE,
    QUESTION,
    SECTION,
    SECTION_VERSION,
    TASK,
    TASK_NOTE,
)

StoredRow = Mapping[str, Any]


class _Order:
    """Types of records stand in the order of the format."""

    def __init__(self, types: Sequence[RecordType], inside: str) -> None:
        self.types = {record.name: record for record in types}
        self._ranks = {record.name: rank for rank, record in enumerate(types)}
        self._inside = inside
        self._rank = 0

    def check(self, record: RecordType) -> None:
        rank = self._ranks[record.name]
        if rank < self._rank:
            order = ", ".join(self._ranks)
            raise ValueError(f"a {record.name} stands too late; the order in a {self._inside} is {order}")
        self._rank = rank


class SortedRules:
    """Records stand in the order of these columns, each once; `problem` says so."""

    def __init__(self, problem: str, *columns: str) -> None:
        self._problem = problem
        self._columns = columns
        self._last: tuple[str, ...] = ()

    def see(self, record: RecordType, row: StoredRow) -> None:
        key = tuple(row[column] for column in self._columns)
        if key <= self._last:
            raise ValueError(self._problem)
        self._last = key

    def finish(self) -> None:
        """Nothing is left to check."""


def memory_rules() -> SortedRules:
    return SortedRules("memory.key: entries stand in the order of agent and key, each once", "agent", "memory_key")


def namespace_rules() -> SortedRules:
    return SortedRules("namespace.namespace: they stand in order, each once", "namespace")


@dataclass(slots=True)
class SessionRules:
    """Sees every record of one session, in the order of the file."""

    limits: TransferLimits
    order: _Order = field(default_factory=lambda: _Order((*IN_SESSION, *HISTORY), "session"))
    counts: dict[str, int] = field(default_factory=dict)
    versions: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Of each section: how many versions it must have, and how many there were so far."""
    task_notes: dict[int, list[int]] = field(default_factory=dict)
    needed: dict[int, tuple[int, ...]] = field(default_factory=dict)
    memory: SortedRules = field(default_factory=memory_rules)
    highest_successor: int = 0

    def see(self, record: RecordType, row: StoredRow) -> None:
        self.order.check(record)
        check = _SESSION_CHECKS.get(record.name)
        if check is not None:
            check(self, row)

    def finish(self) -> None:
        if self.highest_successor > self.counts.get(NOTE.name, 0):
            raise ValueError(f"note.superseded_by: there is no note n{self.highest_successor}")
        for section_id, (total, seen) in self.versions.items():
            if seen != total:
                raise ValueError(f"section.version: {section_id} has {seen} versions in this file, not {total}")
        for number, (total, seen) in self.task_notes.items():
            if seen != total:
                raise ValueError(f"task.notes: t{number} has {seen} notes in this file, not {total}")
        self._check_dependencies()

    def next_number(self, record: RecordType, row: StoredRow, limit: int | None) -> int:
        number: int = row["number"]
        expected = self.counts.get(record.name, 0) + 1
        if number != expected:
            raise ValueError(f"{record.name}.id: ids go up by one; after {expected - 1} comes {expected}")
        if limit is not None and number > limit:
            raise ValueError(f"a session here may have at most {limit:,} of the type {record.name}")
        self.counts[record.name] = number
        return number

    def _check_dependencies(self) -> None:
        missing = next((each for needed in self.needed.values() for each in needed if each not in self.needed), None)
        if missing is not None:
            raise ValueError(f"task.depends_on: there is no task t{missing}")
        try:
            TopologicalSorter(self.needed).prepare()
        except CycleError as error:
            circle = ", ".join(f"t{number}" for number in error.args[1][:10])
            raise ValueError(f"task.depends_on: {circle} wait for each other: they run in a circle") from None


def _bytes_within(name: str, text: str, limit: int) -> None:
    if limit and len(text.encode()) > limit:
        raise ValueError(f"{name}: may have at most {limit:,} bytes here")


def _note(rules: SessionRules, row: StoredRow) -> None:
    number = rules.next_number(NOTE, row, rules.limits.notes)
    _bytes_within("note.content", row["content"], rules.limits.note_bytes)
    if row["supersedes"] is not None and row["supersedes"] >= number:
        raise ValueError("note.supersedes: must be an earlier note")
    if row["superseded_by"] is not None and row["superseded_by"] <= number:
        raise ValueError("note.superseded_by: must be a later note")
    rules.highest_successor = max(rules.highest_successor, row["superseded_by"] or 0)


def _section(rules: SessionRules, row: StoredRow) -> None:
    position, section_id = len(rules.versions), row["section_id"]
    if row["position"] != position:
        raise ValueError(f"section.position: positions go up by one; here it is {position}")
    if section_id in rules.versions:
        raise ValueError(f"section.id: {section_id} is there twice")
    if position >= rules.limits.sections:
        raise ValueError(f"a session here may have at most {rules.limits.sections:,} of the type section")
    rules.versions[section_id] = (row["version"], 0)


def _section_version(rules: SessionRules, row: StoredRow) -> None:
    section_id = row["section_id"]
    if section_id not in rules.versions:
        raise ValueError(f"section_version.section: there is no section {section_id}")
    total, seen = rules.versions[section_id]
    if row["version"] != seen + 1 or seen == total:
        raise ValueError(f"section_version.version: {section_id} has the versions 1 to {total}, one after the other")
    rules.versions[section_id] = (total, seen + 1)
    _bytes_within("section_version.content", row["content"], rules.limits.section_bytes)


def _task(rules: SessionRules, row: StoredRow) -> None:
    number = rules.next_number(TASK, row, rules.limits.tasks)
    needed = tuple(map(int, row["depends_on"].split(","))) if row["depends_on"] else ()
    if number in needed:
        raise ValueError("task.depends_on: a task cannot wait for itself")
    if (row["lease_holder"] is None) != (row["lease_expires_at"] is None):
        raise ValueError("task.lease_holder: goes with lease_expires_at")
    rules.needed[number] = needed
    rules.task_notes[number] = [row["note_count"], 0]


def _task_note(rules: SessionRules, row: StoredRow) -> None:
    counted = rules.task_notes.get(row["task"])
    if counted is None:
        raise ValueError(f"task_note.task: there is no task t{row['task']}")
    counted[1] += 1
    if row["number"] != counted[1]:
        raise ValueError(f"task_note.number: numbers go up by one; here it is {counted[1]}")


def _question(rules: SessionRules, row: StoredRow) -> None:
    rules.next_number(QUESTION, row, rules.limits.questions)
    given = [name for name in ("answer", "answered_at", "answered_by") if row[name] is not None]
    if row["status"] == "answered" and len(given) < 3:
        raise ValueError("question.answer: one that is answered has answer, answered_at and answered_by")
    if row["status"] == "pending" and (given or row["told_by_human"]):
        raise ValueError("question.answer: one that is pending has none")


def _checkpoint(rules: SessionRules, row: StoredRow) -> None:
    rules.next_number(CHECKPOINT, row, None)


def _message(rules: SessionRules, row: StoredRow) -> None:
    number = rules.next_number(MESSAGE, row, rules.limits.messages)
    if row["parent"] is not None and row["parent"] >= number:
        raise ValueError("message.parent: must be an earlier message")
    if row["thread"] > number:
        raise ValueError("message.thread: must be this message or an earlier one")
    if row["addressee"] is not None and row["visibility"] != "private":
        raise ValueError("message.to: goes with the visibility private")
    if row["control"] is not None and row["addressee"] is None:
        raise ValueError("message.control: goes with to")


_SESSION_CHECKS: Mapping[str, Callable[[SessionRules, StoredRow], None]] = {
    NOTE.name: _note,
    SECTION.name: _section,
    SECTION_VERSION.name: _section_version,
    TASK.name: _task,
    TASK_NOTE.name: _task_note,
    QUESTION.name: _question,
    CHECKPOINT.name: _checkpoint,
    MESSAGE.name: _message,
    MEMORY.name: lambda rules, row: rules.memory.see(MEMORY, row),
}


@dataclass(slots=True)
class ScratchpadRules:
    """Sees every record of one scratchpad after its own line, which is `pad`."""

    limits: TransferLimits
    pad: StoredRow
    order: _Order = field(default_factory=lambda: _Order((*IN_SCRATCHPAD, AUDIT), "scratchpad"))
    names: set[str] = field(default_factory=set)
    cell_ids: set[str] = field(default_factory=set)
    schemas: int = 0

    def see(self, record: RecordType, row: StoredRow) -> None:
        self.order.check(record)
        if record is CELL:
            self._cell(row)
        elif record is SCHEMA:
            self._schema(row)

    def finish(self) -> None:
        for name, total, seen in (
            ("cells", self.pad["cell_count"], len(self.cell_ids)),
            ("schemas", self.pad["schema_count"], self.schemas),
        ):
            if total != seen:
                raise ValueError(f"scratchpad.{name}: this file has {seen} of them, not {total}")

    def _cell(self, row: StoredRow) -> None:
        if row["position"] != len(self.cell_ids):
            raise ValueError(f"cell.position: positions go up by one; here it is {len(self.cell_ids)}")
        if row["cell_id"] in self.cell_ids:
            raise ValueError(f"cell.id: {row['cell_id'][:100]} is there twice")
        self.cell_ids.add(row["cell_id"])
        if self.limits.cells and len(self.cell_ids) > self.limits.cells:
            raise ValueError(f"a scratchpad here may have at most {self.limits.cells:,} cells")
        _bytes_within("cell.content", row["content"], self.limits.cell_bytes)

    def _schema(self, row: StoredRow) -> None:
        taken = {row["schema_id"], row["name"]} & self.names
        if taken:
            raise ValueError(f"schema.name: {min(taken)[:100]} is there twice")
        self.names |= {row["schema_id"], row["name"]}
        self.schemas += 1
