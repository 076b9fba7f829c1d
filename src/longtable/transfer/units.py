"""The parts of an export that are imported each as a whole: a session, a scratchpad, the memory across sessions, the
namespaces of a tenant."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final, NamedTuple

from longtable.identity.model import tenant_problem
from longtable.kernel.errors import ValidationFailed
from longtable.transfer.model import TransferLimits, refused
from longtable.transfer.notebook_records import NAMESPACE, SCRATCHPAD
from longtable.transfer.reading import FileLine, TransferFile
from longtable.transfer.record_type import RecordType
from longtable.transfer.rules import (
    ScratchpadRules,
    SessionRules,
    SortedRules,
    StoredRow,
    memory_rules,
    namespace_rules,
)
from longtable.transfer.session_records import MEMORY, SESSION

_HEADS: Final = {SESSION.name: SESSION, SCRATCHPAD.name: SCRATCHPAD}


class ReadRecord(NamedTuple):
    type: RecordType
    row: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Unit:
    """Where a part lies in its file. `id` is that of a session or scratchpad; `tenant` the one that the file names."""

    kind: str
    tenant: str | None
    line: int
    offset: int
    id: str | None = None
    records: int = 1
    size: int = 0


_Rules = SessionRules | ScratchpadRules | SortedRules


@dataclass(slots=True)
class _UnitReader:
    """Takes the lines of one unit after the other."""

    limits: TransferLimits
    tenant: str | None = None
    unit: Unit | None = None
    rules: _Rules | None = None
    seen: set[tuple[str, str | None, str]] = field(default_factory=set)

    def take(self, line: FileLine) -> tuple[Unit | None, ReadRecord | None]:
        """The unit that ends before this line, if one does; and the line as a row of its table."""
        try:
            return self._take(line)
        except ValueError as error:
            raise refused(line.number, str(error)) from None

    def finish(self, line: int) -> Unit | None:
        try:
            if self.rules is not None:
                self.rules.finish()
        except ValueError as error:
            raise refused(line, str(error)) from None
        ended, self.unit, self.rules = self.unit, None, None
        return ended

    def _take(self, line: FileLine) -> tuple[Unit | None, ReadRecord | None]:
        if line.type == "tenant":
            ended = self.finish(line.number)
            self.tenant = _tenant(line)
            return ended, None
        record = self._type_of(line.type)
        row = record.stored(line.value)
        if self._belongs_to_unit(record):
            assert self.unit is not None
            self.unit = replace(self.unit, records=self.unit.records + 1, size=self.unit.size + line.size)
            ended = None
        else:
            ended = self.finish(line.number)
            self._begin(line, record, row)
        if self.rules is not None and record.name not in _HEADS:
            self.rules.see(record, row)
        return ended, ReadRecord(record, row)

    def _type_of(self, name: str) -> RecordType:
        inside = self.rules.order.types if isinstance(self.rules, SessionRules | ScratchpadRules) else {}
        allowed = {**inside, **_HEADS, NAMESPACE.name: NAMESPACE}
        if self.unit is None or self.unit.kind == MEMORY.name:
            allowed[MEMORY.name] = MEMORY
        if name not in allowed:
            raise ValueError(f"type: must be one of {', '.join(sorted({*allowed, 'tenant', 'end'}))} here")
        return allowed[name]

    def _belongs_to_unit(self, record: RecordType) -> bool:
        if self.unit is None or record.name in _HEADS:
            return False
        return record.name != NAMESPACE.name or self.unit.kind == NAMESPACE.name

    def _begin(self, line: FileLine, record: RecordType, row: StoredRow) -> None:
        id = row.get("session_id") or row.get("scratch_id") if record.name in _HEADS else None
        if id is not None:
            if "origin" not in row:
                raise ValueError(f"{record.name}.origin: is missing")
            key = (record.name, self.tenant, id)
            if key in self.seen:
                raise ValueError(f"{record.name}.id: {id} is there twice")
            self.seen.add(key)
        self.unit = Unit(record.name, self.tenant, line.number, line.offset, id, size=line.size)
        self.rules = self._rules_of(record, row)

    def _rules_of(self, record: RecordType, row: StoredRow) -> _Rules:
        if record is SESSION:
            return SessionRules(self.limits)
        if record is SCRATCHPAD:
            return ScratchpadRules(self.limits, row)
        return memory_rules() if record is MEMORY else namespace_rules()


def _tenant(line: FileLine) -> str:
    name = line.value.get("name")
    problem = tenant_problem(name) if isinstance(name, str) else "must be a text"
    if problem is not None or set(line.value) != {"type", "name"}:
        raise ValueError(f"tenant.name: {problem or 'must be the only field'}")
    return str(name)


def checked_units(file: TransferFile, limits: TransferLimits) -> list[Unit]:
    """Reads the whole file once. Raises ValidationFailed with the line of the first thing that is wrong."""
    reader, units, last = _UnitReader(limits), [], 1
    for line in file.checked_lines():
        ended, _ = reader.take(line)
        if ended is not None:
            units.append(ended)
        last = line.number
    ended = reader.finish(last)
    return units if ended is None else [*units, ended]


def records_of(file: TransferFile, unit: Unit, limits: TransferLimits) -> Iterator[ReadRecord]:
    """The records of one unit, its own line first, checked once more."""
    reader = _UnitReader(limits)
    for line in islice(file.lines_from(unit.offset, unit.line), unit.records):
        ended, record = reader.take(line)
        if ended is not None or record is None:
            raise ValidationFailed("The file was changed while it was imported.", hint="Import it again.")
        yield record
    reader.finish(unit.line + unit.records - 1)
