"""SQL that reads the rows of any type of record, page by page, in an order that is the same on every store."""

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from longtable.storage.database import Row, Snapshot, Transaction
from longtable.transfer.record_type import RecordType

ROWS: Final = 200
_COLLATION: Final = {"sqlite": "", "postgres": ' COLLATE "C"'}
"""By bytes, as SQLite compares anyway."""


async def rows_of(
    snapshot: Snapshot, tenant: str, record: RecordType, place: Mapping[str, Any], since: int | None = None
) -> AsyncIterator[Row]:
    """The rows at `place`, which names columns and their values, by their key; those of `since` or later."""
    after: tuple[Any, ...] = ()
    while rows := await snapshot.read(tenant, partial(_page, record=record, place=place, since=since, after=after)):
        for row in rows:
            yield row
        after = tuple(rows[-1][column] for column in record.key)


async def rows_in(tx: Transaction, record: RecordType, place: Mapping[str, Any]) -> list[Row]:
    """All rows at `place`, in a transaction."""
    found: list[Row] = []
    while rows := await _page(tx, record, place, None, [found[-1][column] for column in record.key] if found else ()):
        found += rows
    return found


async def _page(
    tx: Transaction, record: RecordType, place: Mapping[str, Any], since: int | None, after: Sequence[Any]
) -> list[Row]:
    keys = [f"{name}{_COLLATION[tx.dialect]}" if name in record.text_keys else name for name in record.key]
    conditions = ["tenant = :tenant", *(f"{name} = :{name}" for name in place)]
    parameters = dict(place)
    if record.condition:
        conditions.append(record.condition)
    if since is not None:
        conditions.append(f"{record.moment} >= :since")
        parameters["since"] = since
    if after:
        conditions.append(_beyond(keys))
        parameters |= {f"after_{position}": value for position, value in enumerate(after)}
    return await tx.all(
        f"""SELECT {", ".join(record.columns)} FROM {record.table}
            WHERE {" AND ".join(conditions)} ORDER BY {", ".join(keys)} LIMIT {ROWS}""",
        **parameters,
    )


def _beyond(keys: Sequence[str]) -> str:
    if len(keys) == 1:
        return f"{keys[0]} > :after_0"
    return f"({keys[0]} > :after_0 OR ({keys[0]} = :after_0 AND {keys[1]} > :after_1))"


async def sessions_in(tx: Transaction) -> list[str]:
    """The oldest first."""
    rows = await tx.tuples("SELECT created_at, session_id FROM sessions WHERE tenant = :tenant")
    return [session_id for _, session_id in sorted(rows)]


async def scratchpads_in(tx: Transaction) -> list[str]:
    """The scratchpads that are not in the trash."""
    rows = await tx.tuples("SELECT scratch_id FROM scratchpads WHERE tenant = :tenant AND trashed_at IS NULL")
    return sorted(row[0] for row in rows)


async def session_row(tx: Transaction, record: RecordType, session_id: str) -> Row | None:
    columns = ", ".join(record.columns)
    return await tx.first(
        f"SELECT {columns}, imported_at FROM sessions WHERE tenant = :tenant AND session_id = :session_id",
        session_id=session_id,
    )


async def scratchpad_row(tx: Transaction, record: RecordType, scratch_id: str) -> Row | None:
    columns = ", ".join(record.columns)
    return await tx.first(
        f"""SELECT {columns}, pad, imported_at FROM scratchpads
            WHERE tenant = :tenant AND scratch_id = :scratch_id AND trashed_at IS NULL""",
        scratch_id=scratch_id,
    )


async def tenants_with_content(tx: Transaction) -> list[str]:
    """In SYSTEM scope."""
    rows = await tx.tuples(
        "SELECT tenant FROM sessions UNION SELECT tenant FROM scratchpads UNION SELECT tenant FROM memory"
    )
    return sorted(row[0] for row in rows)
