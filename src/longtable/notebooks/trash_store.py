"""SQL for the trash: a scratchpad in it keeps its cells, schemas and tags, but is not found."""

from dataclasses import dataclass

from longtable.notebooks.model import Scratchpad
from longtable.notebooks.store import scratchpad
from longtable.storage.database import Row, Transaction

_TRASHED = """pad, scratch_id, title, description, summary, namespace, tags, metadata, pinned, version, cell_count,
    schema_count, created_at, updated_at, trashed_at, trashed_by, trash_reason, indexed"""


@dataclass(frozen=True, slots=True)
class Trashed:
    scratchpad: Scratchpad
    trashed_at: int
    trashed_by: str
    reason: str
    indexed: bool


async def put(tx: Transaction, pad: int, now: int, by: str, reason: str) -> None:
    await tx.execute(
        """UPDATE scratchpads SET trashed_at = :now, trashed_by = :by, trash_reason = :reason
           WHERE tenant = :tenant AND pad = :pad""",
        pad=pad,
        now=now,
        by=by,
        reason=reason,
    )


async def take_out(tx: Transaction, pad: int, now: int) -> None:
    await tx.execute(
        """UPDATE scratchpads SET trashed_at = NULL, trashed_by = NULL, trash_reason = NULL, accessed_at = :now
           WHERE tenant = :tenant AND pad = :pad""",
        pad=pad,
        now=now,
    )


async def newest_of(tx: Transaction, scratch_id: str) -> Trashed | None:
    row = await tx.first(
        f"""SELECT {_TRASHED} FROM scratchpads
            WHERE tenant = :tenant AND scratch_id = :scratch_id AND trashed_at IS NOT NULL
            ORDER BY trashed_at DESC, pad DESC LIMIT 1""",
        scratch_id=scratch_id,
    )
    return _trashed(row) if row else None


async def find(tx: Transaction, pad: int) -> Trashed | None:
    row = await tx.first(
        f"SELECT {_TRASHED} FROM scratchpads WHERE tenant = :tenant AND pad = :pad AND trashed_at IS NOT NULL", pad=pad
    )
    return _trashed(row) if row else None


async def page(tx: Transaction, before: tuple[int, int], limit: int) -> list[Trashed]:
    """The newest first; `before` are `trashed_at` and `pad` of the last one on the previous page."""
    rows = await tx.all(
        f"""SELECT {_TRASHED} FROM scratchpads
            WHERE tenant = :tenant AND trashed_at IS NOT NULL
              AND (trashed_at < :moment OR (trashed_at = :moment AND pad < :pad))
            ORDER BY trashed_at DESC, pad DESC LIMIT :limit""",
        moment=before[0],
        pad=before[1],
        limit=limit,
    )
    return [_trashed(row) for row in rows]


async def older_than(tx: Transaction, moment: int, limit: int) -> list[Trashed]:
    rows = await tx.all(
        f"""SELECT {_TRASHED} FROM scratchpads WHERE tenant = :tenant AND trashed_at < :moment
            ORDER BY trashed_at, pad LIMIT :limit""",
        moment=moment,
        limit=limit,
    )
    return [_trashed(row) for row in rows]


async def still_indexed(tx: Transaction, limit: int) -> list[Trashed]:
    rows = await tx.all(
        f"""SELECT {_TRASHED} FROM scratchpads
            WHERE tenant = :tenant AND trashed_at IS NOT NULL AND indexed = 1 ORDER BY pad LIMIT :limit""",
        limit=limit,
    )
    return [_trashed(row) for row in rows]


async def set_indexed(tx: Transaction, pad: int, indexed: bool) -> None:
    await tx.execute(
        "UPDATE scratchpads SET indexed = :indexed WHERE tenant = :tenant AND pad = :pad",
        pad=pad,
        indexed=int(indexed),
    )


async def purge(tx: Transaction, pad: int) -> None:
    await tx.execute("DELETE FROM imported_records WHERE tenant = :tenant AND owner = :owner", owner=f"pad:{pad}")
    for table in ("scratchpad_tags", "scratchpads"):
        await tx.execute(f"DELETE FROM {table} WHERE tenant = :tenant AND pad = :pad", pad=pad)


async def tenants_with_trash(tx: Transaction) -> list[str]:
    """In SYSTEM scope."""
    rows = await tx.all("SELECT DISTINCT tenant FROM scratchpads WHERE trashed_at IS NOT NULL")
    return [row["tenant"] for row in rows]


def _trashed(row: Row) -> Trashed:
    return Trashed(
        scratchpad=scratchpad(row),
        trashed_at=row["trashed_at"],
        trashed_by=row["trashed_by"],
        reason=row["trash_reason"],
        indexed=bool(row["indexed"]),
    )
