"""The rows of a session as they were after an event: what a fork copies."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from longtable.kernel.errors import Conflict, InvalidArgument
from longtable.log.reader import head
from longtable.sessions.model import Session
from longtable.sessions.service import find_session
from longtable.sessions.store import redactions_in
from longtable.storage import counters
from longtable.storage.database import Row, Transaction
from longtable.transfer.record_type import RecordType, field
from longtable.transfer.rewind import Rewind, rewound
from longtable.transfer.row_store import rows_in
from longtable.transfer.session_records import (
    CHECKPOINT,
    MESSAGE,
    NOTE,
    QUESTION,
    SECTION,
    SECTION_VERSION,
    TASK,
    TASK_NOTE,
)
from longtable.transfer.values import FLAG

COPIED_QUESTION: Final = replace(
    QUESTION,
    fields=(
        *(each for each in QUESTION.fields if each.name != "by_human"),
        field("by_human", FLAG),
        field("told_by_human", FLAG),
    ),
)
"""An answer of a person here stays one: the copy is made here, too."""
_SINCE_UNDO: Final = "undo_after"


@dataclass(frozen=True, slots=True)
class PastSession:
    """A session after the event `seq`. `redactions` counts those that there were when it was read."""

    session: Session
    seq: int
    records: list[tuple[RecordType, dict[str, Any]]]
    redactions: int

    @property
    def size(self) -> int:
        """About how many bytes its texts have."""
        return sum(len(value) for _, row in self.records for value in row.values() if isinstance(value, str))

    async def check_unredacted(self, tx: Transaction) -> None:
        """Raises Conflict where a text may have been redacted since it was read."""
        if await redactions_in(tx, self.session.session_id) != self.redactions:
            raise Conflict("A text of this session was redacted at this moment.", hint="Try again.")


@dataclass(frozen=True, slots=True)
class _PastRows:
    tx: Transaction
    session_id: str
    rewind: Rewind

    async def all(self) -> list[tuple[RecordType, dict[str, Any]]]:
        """In the order in which they can be inserted."""
        tasks = {row["number"]: _without_lease(self.rewind, row) for row in await self._rows(TASK)}
        parts = (
            (NOTE, [self._note(row) for row in await self._rows(NOTE)]),
            (SECTION, await self._sections()),
            (SECTION_VERSION, await self._versions()),
            (TASK, list(tasks.values())),
            (TASK_NOTE, await self._task_notes({number: row["note_count"] for number, row in tasks.items()})),
            *[(record, await self._changed(record)) for record in (COPIED_QUESTION, CHECKPOINT, MESSAGE)],
        )
        return [(record, row) for record, rows in parts for row in rows]

    @property
    def _place(self) -> dict[str, Any]:
        return {"session_id": self.session_id}

    async def _rows(self, record: RecordType) -> list[Row]:
        rows = await rows_in(self.tx, record, self._place)
        return [row for row in rows if self.rewind.is_kept(record, row["number"])]

    async def _changed(self, record: RecordType) -> list[dict[str, Any]]:
        return [self.rewind.as_it_was(record, row) for row in await self._rows(record)]

    async def _task_notes(self, counts: Mapping[int, int]) -> list[dict[str, Any]]:
        rows = await rows_in(self.tx, TASK_NOTE, self._place)
        return [dict(row) for row in rows if row["number"] <= counts.get(row["task"], 0)]

    def _note(self, row: Row) -> dict[str, Any]:
        later = row["superseded_by"] is not None and not self.rewind.is_kept(NOTE, row["superseded_by"])
        return {**row, "superseded_by": None if later else row["superseded_by"]}

    async def _sections(self) -> list[dict[str, Any]]:
        rows = {row["section_id"]: row for row in await rows_in(self.tx, SECTION, self._place)}
        return [
            {
                "section_id": section_id,
                "position": position,
                "version": self.rewind.version_of(section_id, rows[section_id]["version"]),
            }
            for position, section_id in enumerate(self.rewind.order(list(rows)))
        ]

    async def _versions(self) -> list[dict[str, Any]]:
        rows = await rows_in(self.tx, SECTION_VERSION, self._place)
        return [
            dict(row) for row in rows if row["version"] <= self.rewind.version_of(row["section_id"], row["version"])
        ]


def _without_lease(rewind: Rewind, row: Row) -> dict[str, Any]:
    """Nobody holds a task of a fork: one that was held can be claimed again."""
    held = row["lease_holder"] is not None and row["status"] == "in_progress"
    free = {**row, "status": "pending" if held else row["status"], "lease_holder": None, "lease_expires_at": None}
    return rewind.as_it_was(TASK, free)


async def session_at(tx: Transaction, session_id: str, seq: int | None) -> PastSession:
    """The session after the event `seq` of the tenant's log, or as it is now. Call it in a snapshot. Raises
    SessionNotFound, InvalidArgument for an event that there is not yet or from before the session, and Conflict for
    one from before anything was kept of what events replace."""
    session = await find_session(tx, session_id)
    newest = await head(tx)
    at = newest if seq is None else seq
    if at > newest:
        raise InvalidArgument.at("seq", f"the newest event is {newest:,}")
    if at < newest:
        await _check_reach(tx, session_id, at)
    rows = _PastRows(tx, session_id, rewound(await _events_after(tx, session_id, at)))
    return PastSession(session, at, await rows.all(), await redactions_in(tx, session_id))


async def _check_reach(tx: Transaction, session_id: str, at: int) -> None:
    begin = await _begin(tx, session_id)
    if at < begin:
        raise InvalidArgument.at("seq", f"this session begins with event {begin:,}")
    unknown = await counters.current(tx, counters.TENANT_WIDE, _SINCE_UNDO)
    if at < unknown and await _changed_between(tx, session_id, at, unknown):
        raise Conflict(
            f"The log does not say how this session was before event {unknown:,}: an earlier version of Longtable"
            " wrote it.",
            hint=f"Fork it after event {unknown:,}, or a later one.",
            first_seq=unknown,
        )


async def _begin(tx: Transaction, session_id: str) -> int:
    """The last event of the write that made the session. One of before the log has none."""
    row = await tx.first(
        """SELECT MAX(seq) AS seq FROM events WHERE tenant = :tenant AND session_id = :session_id
             AND kind IN ('session/created', 'session/imported', 'session/forked')""",
        session_id=session_id,
    )
    return int(row["seq"] or 0) if row else 0


async def _changed_between(tx: Transaction, session_id: str, after: int, last: int) -> bool:
    """Whether it had tasks or sections by then: only these used to change without an event that says how."""
    for table in ("tasks", "sections"):
        rows = await tx.tuples(
            f"SELECT 1 FROM {table} WHERE tenant = :tenant AND session_id = :session_id LIMIT 1", session_id=session_id
        )
        if rows:
            return True
    rows = await tx.tuples(
        """SELECT 1 FROM events WHERE tenant = :tenant AND session_id = :session_id AND seq > :after AND seq <= :last
             AND kind = 'scratchpad/question_answered' LIMIT 1""",
        session_id=session_id,
        after=after,
        last=last,
    )
    return bool(rows)


async def _events_after(tx: Transaction, session_id: str, seq: int) -> list[Row]:
    return await tx.all(
        """SELECT kind, payload, undo FROM events
           WHERE tenant = :tenant AND session_id = :session_id AND seq > :seq AND kind <> 'scratchpad/section_read'
           ORDER BY seq DESC""",
        session_id=session_id,
        seq=seq,
    )
