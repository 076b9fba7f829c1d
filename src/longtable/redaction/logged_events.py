"""Events that repeat the first words of a text: the words go, the event stays."""

import json
from collections.abc import Callable
from typing import Any

from longtable.kernel.canonical import compact
from longtable.storage.database import Transaction

Payload = dict[str, Any]


async def scrub(tx: Transaction, session_id: str, kind: str, clean: Callable[[Payload], Payload]) -> None:
    """`clean` returns the payload as it is where the event is about something else."""
    rows = await tx.all(
        "SELECT seq, payload FROM events WHERE tenant = :tenant AND session_id = :session_id AND kind = :kind",
        session_id=session_id,
        kind=kind,
    )
    for row in rows:
        payload = json.loads(row["payload"])
        cleaned = clean(payload)
        if cleaned == payload:
            continue
        await tx.execute(
            "UPDATE events SET payload = :payload WHERE tenant = :tenant AND seq = :seq",
            payload=json.dumps(cleaned, separators=(",", ":")),
            seq=row["seq"],
        )


async def scrub_replaced(tx: Transaction, session_id: str, table: str, number: int, column: str, new: str) -> None:
    """What the events of a session keep of a row, so that a fork can begin before they happened (`Replaced`)."""
    rows = await tx.all(
        "SELECT seq, undo FROM events WHERE tenant = :tenant AND session_id = :session_id AND undo IS NOT NULL",
        session_id=session_id,
    )
    for row in rows:
        replaced = json.loads(row["undo"])
        if replaced[:2] != [table, number] or replaced[2].get(column) is None:
            continue
        replaced[2][column] = new
        await tx.execute(
            "UPDATE events SET undo = :undo WHERE tenant = :tenant AND seq = :seq",
            undo=compact(replaced),
            seq=row["seq"],
        )


def about(names: Payload, replaced: Payload) -> Callable[[Payload], Payload]:
    """Cleans the payloads that have all of `names`: fields that they have are replaced."""

    def clean(payload: Payload) -> Payload:
        if any(payload.get(name) != value for name, value in names.items()):
            return payload
        return {**payload, **{name: new for name, new in replaced.items() if name in payload}}

    return clean
