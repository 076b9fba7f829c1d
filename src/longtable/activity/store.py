"""SQL for reading a session's events backwards, by the same rule as forwards."""

from longtable.kernel.caller import Caller
from longtable.log.model import viewer, visible_rows
from longtable.log.reader import COLUMNS, LoggedEvent
from longtable.storage.database import Transaction

_END = 2**62


async def visible_before(tx: Transaction, caller: Caller, before: int | None, limit: int) -> list[LoggedEvent]:
    """The newest first, of the caller's session and of no session: `visible_after` in reverse."""
    # Two index ranges, each with a limit: else the store may sort all events to find the newest.
    ranges = [
        f"""SELECT * FROM (SELECT {COLUMNS} FROM events
            WHERE tenant = :tenant AND {place} AND seq < :before AND {visible_rows("actor", "actor_type")}
            ORDER BY seq DESC LIMIT :limit) AS {name}"""
        for name, place in (("own", "session_id = :session_id"), ("common", "session_id IS NULL"))
    ]
    rows = await tx.all(
        f"{' UNION ALL '.join(ranges)} ORDER BY seq DESC LIMIT :limit",
        session_id=caller.session,
        before=_END if before is None else before,
        limit=limit,
        **viewer(caller),
    )
    return [LoggedEvent(**row) for row in rows]


async def newest_visible(tx: Transaction, caller: Caller) -> int:
    """The number of the newest event, 0 where there is none."""
    return max((event.seq for event in await visible_before(tx, caller, None, 1)), default=0)
