"""Copies a whole store to another engine, page by page, so that it can be interrupted, continued and compared."""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from longtable.kernel.errors import ConfigError, ValidationFailed
from longtable.storage.facts import SEARCH_INDEX, UNFINISHED_COPY

PAGE: Final = 200
"""Rows of one transaction. They are whole texts: a larger page would need much memory."""
DERIVED: Final = frozenset({"documents", "documents_fts", "waiting_texts", "vectors", "embedders", "embedding_turns"})
"""The search index: each engine has its own form of it, and the first server makes it from the texts."""
_MODULUS: Final = 2**256
_FACTS: Final = "facts"
_FACT_OF_A_NEW_STORE: Final = ("agent_names", "kept")
"""The one row that the migrations leave."""

StoredRow = tuple[Any, ...]
Key = list[Any]


@dataclass(frozen=True, slots=True)
class CopiedTable:
    """`binary` are the columns that hold bytes."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    binary: frozenset[str] = frozenset()

    def page_sql(self, placeholders: Sequence[str]) -> str:
        """The rows after the key that takes the place of the placeholders; without any, the first ones."""
        conditions = [self.condition]
        if placeholders:
            conditions.append(f"({_listed(self.key)}) > ({', '.join(placeholders)})")
        return (
            f"SELECT {_listed(self.columns)} FROM {_quoted(self.name)} WHERE {' AND '.join(conditions)}"
            f" ORDER BY {_listed(self.key)} LIMIT {PAGE}"
        )

    def insert_sql(self, placeholders: Sequence[str]) -> str:
        return f"INSERT INTO {_quoted(self.name)} ({_listed(self.columns)}) VALUES ({', '.join(placeholders)})"

    def count_sql(self) -> str:
        return f"SELECT count(*) FROM {_quoted(self.name)} WHERE {self.condition}"

    def clear_sql(self) -> str:
        return f"DELETE FROM {_quoted(self.name)} WHERE {self.condition}"

    @property
    def condition(self) -> str:
        """Facts about a copy, and about the index of one engine, are not copied."""
        if self.name != _FACTS:
            return "1 = 1"
        return f"name <> '{UNFINISHED_COPY}' AND name NOT LIKE '{SEARCH_INDEX}%'"

    def key_of(self, row: StoredRow) -> Key:
        return [row[self.columns.index(column)] for column in self.key]

    def normalized(self, rows: Iterable[Sequence[Any]]) -> list[StoredRow]:
        """SQLite keeps a text in a column of bytes if it was given one."""
        binary = [column in self.binary for column in self.columns]
        return [
            tuple(v.encode() if b and isinstance(v, str) else v for v, b in zip(row, binary, strict=True))
            for row in rows
        ]


@dataclass(frozen=True, slots=True)
class TableDigest:
    """A digest that is equal for equal rows, in whichever order they come."""

    table: str
    rows: int
    digest: str


@dataclass(slots=True)
class CopyProgress:
    """Kept in the target, in the transaction of each page. `last` is the newest key of a table that was begun."""

    source: str
    last: dict[str, Key] = field(default_factory=dict)
    complete: list[str] = field(default_factory=list)

    def text(self) -> str:
        return json.dumps({"source": self.source, "last": self.last, "complete": self.complete})

    @classmethod
    def parse(cls, text: str) -> "CopyProgress":
        return cls(**json.loads(text))


class CopySource(Protocol):
    """A store that nobody writes to while this is open."""

    async def tables(self) -> dict[str, CopiedTable]: ...

    async def count(self, table: CopiedTable) -> int: ...

    async def page(self, table: CopiedTable, after: Key | None) -> list[StoredRow]: ...

    async def close(self) -> None: ...


class CopyTarget(CopySource, Protocol):
    """A store that is filled. No server uses it before it is whole."""

    async def progress(self) -> CopyProgress | None: ...

    async def add(self, table: CopiedTable, rows: Sequence[StoredRow], progress: CopyProgress) -> None:
        """Rows and progress in one transaction."""

    async def clear(self, table: CopiedTable, progress: CopyProgress) -> None: ...

    async def finish(self) -> None:
        """From here on it is a store like any other, whose search index is to be made."""


@dataclass(frozen=True, slots=True)
class CopyReport:
    tables: list[TableDigest]
    was_resumed: bool


@dataclass(slots=True)
class StoreCopy:
    """`on_copied` and `on_compared` are called with the number of rows."""

    source: CopySource
    target: CopyTarget
    source_name: str
    on_copied: Callable[[int], None]
    on_compared: Callable[[int], None]

    async def run(self) -> CopyReport:
        """Raises ConfigError for a target that is not an unfinished copy of the same store, or empty."""
        tables = await self._tables()
        found = await self.target.progress()
        progress = found or CopyProgress(self.source_name)
        if found is None:
            await self._begin(tables, progress)
        elif found.source != self.source_name:
            raise ConfigError(
                f"The target holds an unfinished copy of another store ({found.source}).",
                hint="Finish that one first, or name an empty target.",
            )
        for table in tables:
            await self._copy(table, progress)
        digests = [await self._compared(table, progress) for table in tables]
        await self.target.finish()
        return CopyReport(digests, was_resumed=found is not None)

    async def _tables(self) -> list[CopiedTable]:
        here, there = await self.source.tables(), await self.target.tables()
        if {name: set(table.columns) for name, table in here.items()} != {
            name: set(table.columns) for name, table in there.items()
        }:
            raise ConfigError(
                "The target has other tables than the source.", hint="Name an empty database or schema of its own."
            )
        # Columns in one order, so that a digest is the same on both engines.
        return [
            replace(table, columns=tuple(sorted(table.columns)), binary=table.binary | there[name].binary)
            for name, table in sorted(here.items())
        ]

    async def _begin(self, tables: list[CopiedTable], progress: CopyProgress) -> None:
        for table in tables:
            count = await self.target.count(table)
            if table.name == _FACTS and count == 1 and await self.target.page(table, None) == [_FACT_OF_A_NEW_STORE]:
                await self.target.clear(table, progress)
            elif count:
                raise ConfigError(
                    f"The target has data already (in its table {table.name}).",
                    hint="Nothing was changed. Name an empty database, schema or folder.",
                )

    async def _copy(self, table: CopiedTable, progress: CopyProgress) -> None:
        if table.name in progress.complete:
            self.on_copied(await self.target.count(table))
            return
        after = progress.last.get(table.name)
        if after is not None:
            self.on_copied(await self.target.count(table))
        while rows := await self.source.page(table, after):
            progress.last[table.name] = after = table.key_of(rows[-1])
            await self.target.add(table, rows, progress)
            self.on_copied(len(rows))
        progress.complete.append(table.name)
        await self.target.add(table, [], progress)

    async def _compared(self, table: CopiedTable, progress: CopyProgress) -> TableDigest:
        expected = await digest_of(self.source, table)
        found = await digest_of(self.target, table)
        self.on_compared(expected.rows)
        if found == expected:
            return found
        # The source was changed between an interruption and now.
        progress.complete.remove(table.name)
        progress.last.pop(table.name, None)
        await self.target.clear(table, progress)
        await self._copy(table, progress)
        found = await digest_of(self.target, table)
        if found != expected:
            raise ValidationFailed(
                f"The table {table.name} differs in the target ({found.rows} rows, {expected.rows} in the source).",
                hint="Nothing was finished, and the source is as it was. Run the command again.",
            )
        return found


async def digest_of(store: CopySource, table: CopiedTable) -> TableDigest:
    rows, total, after = 0, 0, None
    while page := await store.page(table, after):
        for row in page:
            total = (total + _number(row)) % _MODULUS
        rows, after = rows + len(page), table.key_of(page[-1])
    return TableDigest(table.name, rows, f"{total:064x}")


def _number(row: StoredRow) -> int:
    text = json.dumps([{"bytes": each.hex()} if isinstance(each, bytes) else each for each in row])
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(_quoted, names))


def _quoted(name: str) -> str:
    return f'"{name}"'
