"""Takes the condition on the tenant out of a statement, one place at a time, and looks what that would change."""

import re
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import Any

import pytest

from longtable.storage.sqlite_transaction import SqliteTransaction
from longtable.storage.statements import bind, parse
from tests.walls.recorder import running_function, unwatched

_CONDITION = re.compile(r"\b(?:\w+\.)?tenant = (?P<other>:tenant\b|\w+\.tenant\b)")
_VARYING = re.compile(r":(?:note|message|section|cell|scratchpad)_|(?<=:tag_)\d+|(?<=:namespace_)\d+|(?<=:number_)\d+")
_TARGET = re.compile(r"\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+(?P<table>\w+)")


_ENDLESS = 3_000
"""Statements that no probe runs. A loop that waits until nothing is left may never end without the condition."""


@dataclass(frozen=True)
class Mutant:
    """A statement without its condition number `place` on the tenant."""

    sql: str
    place: int

    @property
    def text(self) -> str:
        return without(self.sql, {self.place})

    @property
    def writes(self) -> str | None:
        """The table that it changes."""
        found = _TARGET.match(self.sql)
        return found["table"] if found else None

    @property
    def around(self) -> str:
        """The words around the condition: by them it is known again in other statements that one function makes."""
        found = list(_CONDITION.finditer(self.sql))[self.place]
        before, after = self.sql[: found.start()].split(), self.sql[found.end() :].split()
        words = " ".join([*before[-6:], f"[{found[0]}]", *after[:9]])
        return _VARYING.sub(":", words)

    @property
    def onward(self) -> str:
        """The condition and the words after it: the same in statements that are put together of one text."""
        return self.around[self.around.index("[") :][:70]


def without(sql: str, places: Collection[int]) -> str:
    numbers = count()

    def cut(found: re.Match[str]) -> str:
        if next(numbers) not in places:
            return found[0]
        # The parameter stays: a statement that does not mention it is refused before it runs.
        return ":tenant = :tenant" if found["other"] == ":tenant" else "1 = 1"

    return _CONDITION.sub(cut, sql)


@lru_cache(maxsize=4096)
def mutants_of(sql: str) -> tuple[Mutant, ...]:
    return tuple(Mutant(sql, place) for place, _ in enumerate(_CONDITION.finditer(sql)))


@dataclass
class Lens:
    """Looks at the statements that are run for `tenant`: which mutants there are, which of them would have done or
    answered something else (`felt`, by the names of the probes: whether the first row is another one), and which
    function ran them (`met`)."""

    tenant: str
    probe: str = ""
    active: Collection[Mutant] = ()
    met: dict[Mutant, str] = field(default_factory=dict)
    felt: defaultdict[Mutant, dict[str, bool]] = field(default_factory=lambda: defaultdict(dict))
    functions: set[str] = field(default_factory=set)
    explores: bool = False
    statements: int = 0
    """Those that were run since the probe began."""

    def look(self, tx: SqliteTransaction, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        if not self.explores or not rows:
            return
        function = running_function(3)
        self.functions.add(function)
        mutants = mutants_of(sql)
        values = [_bound(tx, sql, row) for row in rows]
        if any(each.get("tenant") != self.tenant for each in values):
            return
        for mutant in mutants:
            self.met.setdefault(mutant, function)
            seen = _difference(tx._connection, mutant, values)
            if seen is not None:
                self.felt[mutant][self.probe] = seen or self.felt[mutant].get(self.probe, False)

    def through(self, tx: SqliteTransaction, sql: str, rows: Sequence[Mapping[str, Any]]) -> str:
        """The text to run instead."""
        self.statements += 1
        if self.statements > _ENDLESS and self.active:
            # From here on as it should be, so that whatever goes on comes to its end.
            self.active = ()
            raise RuntimeError("It goes on and on.")
        places = {mutant.place for mutant in self.active if mutant.sql == sql}
        if not places:
            return sql
        own = all(_bound(tx, sql, row).get("tenant") == self.tenant for row in rows)
        return without(sql, places) if own else sql

    @contextmanager
    def in_place(self) -> Iterator[None]:
        bare_run, bare_many = unwatched(SqliteTransaction._run), unwatched(SqliteTransaction.execute_many)

        def watched_run(tx: SqliteTransaction, sql: str, parameters: Mapping[str, Any]) -> sqlite3.Cursor:
            self.look(tx, sql, [parameters])
            made: sqlite3.Cursor = bare_run(tx, self.through(tx, sql, [parameters]), parameters)
            return made

        async def watched_many(tx: SqliteTransaction, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
            self.look(tx, sql, rows)
            await bare_many(tx, self.through(tx, sql, rows), rows)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(SqliteTransaction, "_run", watched_run)
            patch.setattr(SqliteTransaction, "execute_many", watched_many)
            yield


def _bound(tx: SqliteTransaction, sql: str, row: Mapping[str, Any]) -> dict[str, Any]:
    statement = parse(sql)
    return dict(zip(statement.order, bind(tx.scope, statement, row), strict=True))


def _difference(connection: sqlite3.Connection, mutant: Mutant, values: Sequence[Mapping[str, Any]]) -> bool | None:
    """Whether the first row that it answers is another one; None if nothing is."""
    try:
        if mutant.writes is not None:
            before, after = (_written(connection, sql, mutant, values) for sql in (mutant.sql, mutant.text))
            return None if before == after else True
        before, after = (_rows(connection, sql, values) for sql in (mutant.sql, mutant.text))
        return None if before == after else [rows[:1] for rows in before] != [rows[:1] for rows in after]
    except sqlite3.Error:
        # It cannot be run without the condition: nobody would overlook that.
        return True


def _rows(connection: sqlite3.Connection, sql: str, values: Sequence[Mapping[str, Any]]) -> list[Any]:
    return [connection.execute(sql, each).fetchall() for each in values]


def _written(connection: sqlite3.Connection, sql: str, mutant: Mutant, values: Sequence[Mapping[str, Any]]) -> Any:
    """What the statement answers and leaves behind. Nothing of it stays."""
    table = mutant.writes
    if table == "documents_fts":
        # The index of words has no rows to read, but its terms.
        connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab (main, documents_fts, instance)"
        )
        table = "temp.terms"
    connection.execute("SAVEPOINT looking")
    try:
        rows = _rows(connection, sql, values)
        return rows, connection.execute(f"SELECT * FROM {table}").fetchall()
    finally:
        connection.execute("ROLLBACK TO looking")
        connection.execute("RELEASE looking")
