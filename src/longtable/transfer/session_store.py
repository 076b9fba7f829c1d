"""SQL that writes an imported session: its rows as they were, and what is made of them: tags, words, counters."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from longtable.draft import store as draft_store
from longtable.fulltext import index
from longtable.kernel.canonical import compact
from longtable.messages import store as message_store
from longtable.notes import store as note_store
from longtable.plan import store as plan_store
from longtable.storage import counters
from longtable.storage.database import Transaction
from longtable.transfer.record_type import RecordType
from longtable.transfer.session_records import (
    CHECKPOINT,
    MEMORY,
    MESSAGE,
    NOTE,
    QUESTION,
    SECTION,
    SECTION_VERSION,
    TASK,
)

BATCH: Final = 200
StoredRow = Mapping[str, Any]
_COUNTED: Final = {
    NOTE.name: "note",
    TASK.name: "task",
    QUESTION.name: "question",
    CHECKPOINT.name: "checkpoint",
    MESSAGE.name: "message",
}
"""The counter of each type whose records are numbered."""


async def insert_session(tx: Transaction, row: StoredRow, now: int, by: str) -> None:
    await tx.execute(
        """INSERT INTO sessions (tenant, session_id, purpose, metadata, created_by, created_at, expires_at, status,
               ended_at, origin, imported_at, imported_by)
           VALUES (:tenant, :session_id, :purpose, :metadata, :created_by, :created_at, :expires_at, :status,
               :ended_at, :origin, :now, :by)""",
        now=now,
        by=by,
        **row,
    )


@dataclass(slots=True)
class SessionInsert:
    """Adds the records of one session in the order of the file, many in a statement. `origin` is that of the session:
    records that say nothing else have the same. None for one that is made here."""

    tx: Transaction
    session_id: str
    origin: str | None
    _rows: list[dict[str, Any]] = field(default_factory=list)
    _type: RecordType | None = None
    _sections: dict[str, StoredRow] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)
    _memories: int = 0

    async def add(self, record: RecordType, row: dict[str, Any]) -> None:
        if record is SECTION:
            self._sections[row["section_id"]] = row
            return
        if self._type is not record or len(self._rows) >= BATCH:
            await self.flush()
        self._type = record
        self._rows.append(self._completed(record, row))

    async def flush(self) -> None:
        rows, record = self._rows, self._type
        self._rows = []
        if not rows or record is None:
            return
        await insert_rows(self.tx, record.table, rows)
        await self._follow(record, rows)

    async def finish(self) -> None:
        await self.flush()
        for name, number in self._numbers.items():
            await counters.advance(self.tx, self.session_id, _COUNTED[name], number)
        if TASK.name in self._numbers:
            await plan_store.count_anew(self.tx, self.session_id)
        if MESSAGE.name in self._numbers:
            await message_store.count_anew(self.tx, self.session_id)
        if self._memories:
            await counters.advance(self.tx, counters.TENANT_WIDE, "memory", self._memories)

    def _completed(self, record: RecordType, row: dict[str, Any]) -> dict[str, Any]:
        values = {"session_id": self.session_id, **row}
        if record.has_origin:
            values.setdefault("origin", self.origin)
        if record is QUESTION:
            answered = row["answer"] is not None
            values["answer_origin"] = (row["answer_origin"] or self.origin) if answered else None
            values["by_human"] = 0
        elif record is TASK:
            # A lease that runs goes on to run, but nobody has what it would be renewed with.
            values["lease"] = None if row["lease_holder"] is None else f"{row['claims']:08d}-{secrets.token_hex(16)}"
            values["open_dependencies"] = 0
        if record.name in _COUNTED:
            self._numbers[record.name] = row["number"]
        return values

    async def _follow(self, record: RecordType, rows: Sequence[StoredRow]) -> None:
        if record is NOTE:
            await self._index_notes(rows)
        elif record is SECTION_VERSION:
            await self._add_sections(rows)
        elif record is TASK:
            await self._add_dependencies(rows)
        elif record is MESSAGE:
            for row in rows:
                await index.add(self.tx, message_document(self.session_id, row))
        elif record is MEMORY:
            self._memories += len(rows)

    async def _index_notes(self, rows: Sequence[StoredRow]) -> None:
        tagged = []
        for row in rows:
            tags = json.loads(row["tags"])
            tagged += [{"session_id": self.session_id, "tag": tag, "number": row["number"]} for tag in tags]
            labels = (note_store.AUTHOR_LABEL + row["author"], *(note_store.TAG_LABEL + tag for tag in tags))
            name = f"n{row['number']}"
            await index.add(
                self.tx, index.SearchDocument(note_store.KIND, self.session_id, name, row["content"], labels)
            )
        if tagged:
            await insert_rows(self.tx, "note_tags", tagged)

    async def _add_sections(self, rows: Sequence[StoredRow]) -> None:
        """A section is as its newest version says."""
        for row in rows:
            section = self._sections[row["section_id"]]
            if row["version"] != section["version"]:
                continue
            current = {
                "session_id": self.session_id,
                "section_id": row["section_id"],
                "title": row["title"],
                "position": section["position"],
                "version": row["version"],
                "bytes": len(row["content"].encode()),
                "author": row["author"],
                "updated_at": row["created_at"],
                "origin": row["origin"],
            }
            await insert_rows(self.tx, "sections", [current])
            document = draft_store.document(self.session_id, row["section_id"], row["title"], row["content"])
            await index.add(self.tx, document)

    async def _add_dependencies(self, rows: Sequence[StoredRow]) -> None:
        edges = [
            {"session_id": self.session_id, "task": row["number"], "depends_on": int(number)}
            for row in rows
            for number in row["depends_on"].split(",")
            if number
        ]
        if edges:
            await insert_rows(self.tx, "task_dependencies", edges)


def message_document(session_id: str, row: StoredRow) -> index.SearchDocument:
    return index.SearchDocument(message_store.KIND, session_id, str(row["number"]), row["content"])


async def insert_rows(tx: Transaction, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows that all have the same columns."""
    names = list(rows[0])
    await tx.execute_many(
        f"""INSERT INTO {table} (tenant, {", ".join(names)})
            VALUES (:tenant, {", ".join(f":{name}" for name in names)})""",
        rows,
    )


@dataclass(slots=True)
class HistoryInsert:
    """Keeps events, decisions and audit records of elsewhere as data."""

    tx: Transaction
    owner: str
    origin: str
    _rows: list[dict[str, Any]] = field(default_factory=list)
    _number: int = 0

    async def add(self, record: RecordType, row: dict[str, Any]) -> None:
        fields = record.shown(row)
        del fields["type"]
        self._number += 1
        self._rows.append(
            {
                "owner": self.owner,
                "number": self._number,
                "kind": record.name,
                "origin": row.get("origin", self.origin),
                "record": compact(fields),
            }
        )
        if len(self._rows) >= BATCH:
            await self.flush()

    async def flush(self) -> None:
        if self._rows:
            await insert_rows(self.tx, "imported_records", self._rows)
        self._rows = []


async def forget_history(tx: Transaction, session_id: str) -> None:
    """With the session."""
    await tx.execute(
        "DELETE FROM imported_records WHERE tenant = :tenant AND owner = :owner", owner=f"session:{session_id}"
    )
