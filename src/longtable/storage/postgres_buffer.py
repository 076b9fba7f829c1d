"""Statements whose results nobody needs: collected, and sent to PostgreSQL in as few messages as possible."""

from dataclasses import dataclass, field
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Final

import asyncpg

from longtable.storage.statements import Statement

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

    PostgresConnection = PoolConnectionProxy[asyncpg.Record] | asyncpg.Connection[asyncpg.Record]

_FEW: Final = 3
"""Up to so many rows, values are written into the text of one message. For more, a prepared statement costs the server
less, in a round trip of its own."""
_MOST_PREPARED: Final = 200
_numbers = count()


@dataclass(slots=True)
class _EqualStatements:
    statement: Statement
    rows: list[list[Any]] = field(default_factory=list)


class StatementBuffer:
    def __init__(self) -> None:
        self._groups: list[_EqualStatements] = []

    def __len__(self) -> int:
        return len(self._groups)

    @property
    def is_large(self) -> bool:
        return any(len(group.rows) > _FEW for group in self._groups)

    def add(self, statement: Statement, rows: list[list[Any]], after: int) -> int:
        """Adds rows to the group of this statement, if there is one at the place `after` or later, else as a new group.
        Returns the place of the group."""
        for row in rows:
            _require_storable(row)
        for place in range(after, len(self._groups)):
            if self._groups[place].statement is statement:
                self._groups[place].rows += rows
                return place
        self._groups.append(_EqualStatements(statement, list(rows)))
        return len(self._groups) - 1

    def clear(self) -> None:
        self._groups.clear()

    async def send(self, connection: "PostgresConnection") -> None:
        rest = await self.send_large(connection)
        if rest:
            await connection.execute(rest)

    async def send_large(self, connection: "PostgresConnection") -> str:
        """Sends all up to the last large group, and returns the text of what is left, for the next message."""
        groups, self._groups = self._groups, []
        names = await _prepared(connection, [group.statement for group in groups if len(group.rows) <= _FEW])
        text: list[str] = []
        for group in groups:
            if len(group.rows) <= _FEW:
                text += _texts(group, names.get(group.statement.numbered))
                continue
            if text:
                await connection.execute("".join(text))
                text = []
            await connection.executemany(group.statement.numbered, group.rows)
        return "".join(text)


async def _prepared(connection: "PostgresConnection", statements: list[Statement]) -> dict[str, str]:
    """The names of the statements that the connection keeps prepared, by their texts. Those that come to it for the
    first time are prepared now, in one round trip for all. Behind a pooler nothing can be kept."""
    names: dict[str, str] | None = getattr(connection, "prepared", None)
    if names is None:
        return {}
    new = {one.numbered for one in statements if one.order} - names.keys()
    if new and len(names) + len(new) <= _MOST_PREPARED:
        # Never a name again: where one of them fails, the others may be prepared.
        named = {text: f"longtable_{next(_numbers)}" for text in sorted(new)}
        await connection.execute("".join(f"PREPARE {name} AS {text};\n" for text, name in named.items()))
        names |= named
    return names


def _texts(group: _EqualStatements, name: str | None) -> list[str]:
    """A text for each row. Of a prepared statement it has the values alone, and the server neither parses nor plans the
    statement again."""
    if name is None:
        return [f"{literal_text(group.statement, row)};\n" for row in group.rows]
    return [f"EXECUTE {name}({', '.join(map(literal, row))});\n" for row in group.rows]


def literal_text(statement: Statement, values: list[Any]) -> str:
    """The statement with its values in it."""
    literals = (literal(values[place]) for place in statement.places)
    return statement.parts[0] + "".join(chain.from_iterable(zip(literals, statement.parts[1:], strict=True)))


def literal(value: Any) -> str:
    """As an escape string where it is text, which means the same whatever `standard_conforming_strings` says."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "E'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
    if isinstance(value, int):
        return f"({value})" if value < 0 else str(value)
    if isinstance(value, float):
        return f"'{value!r}'::float8"
    if isinstance(value, bytes):
        return f"'\\x{value.hex()}'::bytea"
    raise asyncpg.DataError(f"A value of {type(value)} cannot be stored.")


def _require_storable(values: list[Any]) -> None:
    """A zero character would end the message; one without an encoding cannot be sent."""
    for value in values:
        if isinstance(value, str) and not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError as error:
                raise asyncpg.DataError("A text cannot be encoded.") from error
        if isinstance(value, str) and "\0" in value:
            raise asyncpg.DataError("A text has a zero character.")
