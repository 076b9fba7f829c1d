"""SQL for what happened: audit records of a session or scratchpad, and records of elsewhere that imports have kept."""

import json
from array import array
from collections.abc import AsyncIterator
from functools import partial
from typing import Any, Final

from longtable.log.audit_blocks import BLOCK
from longtable.storage.database import Row, Snapshot, Transaction
from longtable.transfer.history_records import AUDIT
from longtable.transfer.row_store import ROWS

_AUDIT_COLUMNS: Final = ", ".join(f"audit.{name}" for name in AUDIT.by_column)
_LOOKED_AT: Final = 5_000


async def audit_of_session(snapshot: Snapshot, tenant: str, session_id: str, since: int) -> AsyncIterator[Row]:
    after = 0
    while rows := await snapshot.read(tenant, partial(_session_page, session_id=session_id, since=since, after=after)):
        for row in rows:
            yield row
        after = rows[-1]["seq"]


async def _session_page(tx: Transaction, session_id: str, since: int, after: int) -> list[Row]:
    # CROSS JOIN makes SQLite read the blocks in their order.
    return await tx.all(
        f"""SELECT {_AUDIT_COLUMNS} FROM audit_blocks CROSS JOIN audit
            WHERE audit_blocks.tenant = :tenant AND audit_blocks.name = 'session_id'
              AND audit_blocks.value = :session_id AND audit_blocks.block >= :first
              AND audit.tenant = :tenant AND audit.seq >= audit_blocks.block * {BLOCK}
              AND audit.seq < (audit_blocks.block + 1) * {BLOCK}
              AND audit.session_id = :session_id AND audit.seq > :after AND audit.created_at >= :since
              AND {AUDIT.condition}
            ORDER BY audit_blocks.block, audit.seq LIMIT {ROWS}""",
        session_id=session_id,
        since=since,
        after=after,
        first=after // BLOCK,
    )


class ScratchpadAudit:
    """Which audit records are about which scratchpad. Nothing finds them by that, so all are looked at once, and their
    numbers are kept."""

    def __init__(self) -> None:
        self._numbers: dict[str, array[int]] = {}

    @classmethod
    async def of(cls, snapshot: Snapshot, tenant: str) -> "ScratchpadAudit":
        found, after = cls(), 0
        while rows := await snapshot.read(tenant, partial(_objects_page, after=after)):
            for seq, object in rows:
                found._numbers.setdefault(object, array("q")).append(seq)
            after = rows[-1][0]
        return found

    async def records(self, snapshot: Snapshot, tenant: str, scratch_id: str, since: int) -> AsyncIterator[Row]:
        numbers = self._numbers.get(f"scratchpad:{scratch_id}", array("q"))
        for first in range(0, len(numbers), ROWS):
            for row in await snapshot.read(tenant, partial(_numbered, numbers=numbers[first : first + ROWS])):
                if row["created_at"] >= since:
                    yield row


async def _objects_page(tx: Transaction, after: int) -> list[tuple[Any, ...]]:
    return await tx.tuples(
        f"""SELECT seq, object FROM audit WHERE tenant = :tenant AND seq > :after AND object LIKE 'scratchpad:%'
              AND {AUDIT.condition} ORDER BY seq LIMIT {_LOOKED_AT}""",
        after=after,
    )


async def _numbered(tx: Transaction, numbers: "array[int]") -> list[Row]:
    names = {f"seq_{position}": number for position, number in enumerate(numbers)}
    listed = ", ".join(f":{name}" for name in names)
    return await tx.all(
        f"SELECT {_AUDIT_COLUMNS} FROM audit WHERE tenant = :tenant AND seq IN ({listed}) ORDER BY seq", **names
    )


async def imported_records(
    snapshot: Snapshot, tenant: str, owner: str, kind: str
) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """The origin of each, and its fields as the file has them."""
    after = 0
    while rows := await snapshot.read(tenant, partial(_imported_page, owner=owner, kind=kind, after=after)):
        for row in rows:
            yield row["origin"], json.loads(row["record"])
        after = rows[-1]["number"]


async def _imported_page(tx: Transaction, owner: str, kind: str, after: int) -> list[Row]:
    return await tx.all(
        f"""SELECT number, origin, record FROM imported_records
            WHERE tenant = :tenant AND owner = :owner AND kind = :kind AND number > :after
            ORDER BY number LIMIT {ROWS}""",
        owner=owner,
        kind=kind,
        after=after,
    )
