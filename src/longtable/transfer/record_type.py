"""A type of record in an export: its table, its fields, and the order of its rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from longtable.transfer.values import AN_ORIGIN, ValueKind


@dataclass(frozen=True, slots=True)
class Field:
    """`column` is where an import writes it, `source` what an export reads, if that is not the same."""

    name: str
    kind: ValueKind
    column: str
    is_optional: bool
    source: str
    is_nullable: bool = False
    """Whether null is a value of it, and not the lack of one."""


def field(name: str, kind: ValueKind, column: str | None = None, *, optional: bool = False, source: str = "") -> Field:
    return Field(name, kind, column or name, optional, source or column or name)


def nullable_field(name: str, kind: ValueKind) -> Field:
    return Field(name, kind, name, is_optional=False, source=name, is_nullable=True)


@dataclass(frozen=True)
class RecordType:
    """`key` orders the rows of one session or scratchpad. A type with an `origin` says of each row where it was made;
    the others were made where their session was. That of history is no column: it is what an import keeps beside it."""

    name: str
    table: str
    fields: tuple[Field, ...]
    key: tuple[str, ...]
    text_keys: frozenset[str] = frozenset()
    has_origin: bool = False
    is_history: bool = False
    condition: str = ""
    moment: str = "created_at"

    @cached_property
    def by_name(self) -> Mapping[str, Field]:
        return {field.name: field for field in self.fields}

    @cached_property
    def by_column(self) -> Mapping[str, Field]:
        return {field.column: field for field in self.fields}

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """What an export selects."""
        origin = ("origin",) if self.has_origin and not self.is_history else ()
        return (*(f"{field.source} AS {field.column}" for field in self.fields), *origin)

    def shown(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row as the file has it, without its origin."""
        line: dict[str, Any] = {"type": self.name}
        for field in self.fields:
            if (value := row[field.column]) is not None:
                line[field.name] = field.kind.shown(value)
        return line

    def stored(self, line: Mapping[str, Any]) -> dict[str, Any]:
        """A line as a row. Raises ValueError with the field's name and what is allowed."""
        row = {field.column: self._stored_field(line, field) for field in self.fields}
        always_allowed = {"type", *({"origin"} if self.has_origin else ())}
        unknown = next((name for name in line if name not in self.by_name and name not in always_allowed), None)
        if unknown is not None:
            allowed = ", ".join([*self.by_name, *sorted(always_allowed - {"type"})])
            raise ValueError(f"{self.name}.{unknown[:50]}: is not a field of it; those are {allowed}")
        if self.has_origin and "origin" in line:
            try:
                row["origin"] = AN_ORIGIN.stored(line["origin"])
            except ValueError as error:
                raise ValueError(f"{self.name}.origin: {error}") from None
        return row

    def _stored_field(self, line: Mapping[str, Any], field: Field) -> Any:
        value = line.get(field.name)
        if value is None and not (field.is_nullable and field.name in line):
            if field.is_optional:
                return None
            raise ValueError(f"{self.name}.{field.name}: is missing")
        try:
            return field.kind.stored(value)
        except ValueError as error:
            raise ValueError(f"{self.name}.{field.name}: {error}") from None
