"""SQL for how far an agent has got, and for what came later."""

from longtable.kernel.caller import Caller
from longtable.kernel.result import Fetched
from longtable.log.model import viewer
from longtable.messages.store import VISIBLE
from longtable.storage.database import Transaction

COUNTED = 1_000
"""A hint need not count further."""


async def cursor(tx: Transaction, caller: Caller) -> Fetched:
    row = await tx.first(
        """SELECT message, answered_at, event FROM inbox_cursors
           WHERE tenant = :tenant AND session_id = :session_id AND agent = :agent""",
        session_id=caller.session,
        agent=caller.agent,
    )
    return Fetched(row["message"], row["answered_at"], row["event"]) if row else Fetched()


async def advance(tx: Transaction, session_id: str, agent: str, reached: Fetched) -> None:
    """A cursor only ever moves forward, whichever process moves it."""
    await tx.execute(
        """INSERT INTO inbox_cursors (tenant, session_id, agent, message, answered_at, event)
           VALUES (:tenant, :session_id, :agent, :message, :answered_at, :event)
           ON CONFLICT (tenant, session_id, agent) DO UPDATE SET
               message = CASE WHEN excluded.message > inbox_cursors.message
                   THEN excluded.message ELSE inbox_cursors.message END,
               answered_at = CASE WHEN excluded.answered_at > inbox_cursors.answered_at
                   THEN excluded.answered_at ELSE inbox_cursors.answered_at END,
               event = CASE WHEN excluded.event > inbox_cursors.event
                   THEN excluded.event ELSE inbox_cursors.event END""",
        session_id=session_id,
        agent=agent,
        message=reached.message,
        answered_at=reached.answered_at,
        event=reached.event,
    )


async def new_messages(tx: Transaction, caller: Caller, after: int, up_to: int) -> int:
    row = await tx.first(
        f"""SELECT COUNT(*) AS new FROM (
                SELECT 1 FROM messages
                WHERE tenant = :tenant AND session_id = :session_id AND number > :after AND number <= :up_to
                  AND sender <> :viewer AND {VISIBLE} LIMIT {COUNTED}) AS unread""",
        session_id=caller.session,
        after=after,
        up_to=up_to,
        **viewer(caller),
    )
    assert row is not None
    return int(row["new"])
