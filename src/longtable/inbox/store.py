"""SQL for how far an agent has got, and for what came later."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longtable.inbox.offers import NO_OFFER, NOTHING, StoredOffer
from longtable.kernel.caller import Caller
from longtable.kernel.result import Fetched
from longtable.log.model import viewer
from longtable.messages.store import VISIBLE
from longtable.storage.database import Row, Transaction

COUNTED = 1_000
"""A hint need not count further."""


@dataclass(frozen=True, slots=True)
class InboxPosition:
    """How far an agent has got, and how far the newest answer brings it if that has arrived."""

    cursor: Fetched = NOTHING
    offer: StoredOffer = NO_OFFER


NOWHERE = InboxPosition()
_SIZES = (1, 4, 16, 64, 256)


async def reached_by(tx: Transaction, session_id: str, agents: Sequence[str]) -> dict[str, InboxPosition]:
    """How far these agents of a session have got; those that have not begun are left out."""
    # Of few different lengths, so that the store need not prepare a statement for each number of agents.
    count = next(size for size in _SIZES if size >= len(agents))
    parameters = {f"agent_{position}": agents[min(position, len(agents) - 1)] for position in range(count)}
    rows = await tx.all(
        f"""SELECT agent, message, answered_at, event,
                   offered_message, offered_answered_at, offered_event, offered_at, offered_to, offered_by
            FROM inbox_cursors WHERE tenant = :tenant AND session_id = :session_id
              AND agent IN ({", ".join(f":{name}" for name in parameters)})""",
        session_id=session_id,
        **parameters,
    )
    return {row["agent"]: _position(row) for row in rows}


def _position(row: Row) -> InboxPosition:
    offered = Fetched(row["offered_message"], row["offered_answered_at"], row["offered_event"])
    return InboxPosition(
        Fetched(row["message"], row["answered_at"], row["event"]),
        StoredOffer(offered, row["offered_at"], row["offered_to"], row["offered_by"]),
    )


def _greater(column: str) -> str:
    return f"""{column} = CASE WHEN excluded.{column} > inbox_cursors.{column}
                   THEN excluded.{column} ELSE inbox_cursors.{column} END"""


def _newer(column: str) -> str:
    return f"""{column} = CASE WHEN excluded.offered_at > inbox_cursors.offered_at
                   THEN excluded.{column} ELSE inbox_cursors.{column} END"""


_CURSOR = ("message", "answered_at", "event")
_OFFER = ("offered_message", "offered_answered_at", "offered_event", "offered_to", "offered_by", "offered_at")
_SAVE = f"""
    INSERT INTO inbox_cursors (tenant, session_id, agent, {", ".join((*_CURSOR, *_OFFER))})
    VALUES (:tenant, :session_id, :agent, {", ".join(f":{column}" for column in (*_CURSOR, *_OFFER))})
    ON CONFLICT (tenant, session_id, agent) DO UPDATE SET
        {", ".join((*map(_greater, _CURSOR), *map(_newer, _OFFER)))}"""


async def save(tx: Transaction, rows: Mapping[tuple[str, str], InboxPosition]) -> None:
    """By session and agent. A cursor only ever moves forward, whichever process moves it; the newest offer counts."""
    await tx.execute_many(
        _SAVE,
        [
            {
                "session_id": session_id,
                "agent": agent,
                "message": row.cursor.message,
                "answered_at": row.cursor.answered_at,
                "event": row.cursor.event,
                "offered_message": row.offer.fetched.message,
                "offered_answered_at": row.offer.fetched.answered_at,
                "offered_event": row.offer.fetched.event,
                "offered_to": row.offer.connection,
                "offered_by": row.offer.process,
                "offered_at": row.offer.sent_at,
            }
            for (session_id, agent), row in rows.items()
        ],
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
