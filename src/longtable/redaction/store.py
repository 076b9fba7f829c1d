"""SQL that replaces a text by a tombstone: in the row, its history, the events and the index."""

import json
from collections.abc import Callable
from typing import Any

from longtable.draft import store as draft_store
from longtable.fulltext import index
from longtable.messages import store as message_store
from longtable.notes import store as note_store
from longtable.redaction.model import TOMBSTONE
from longtable.storage.database import Transaction

Payload = dict[str, Any]


async def redact_note(tx: Transaction, session_id: str, number: int) -> bool:
    note = await note_store.find(tx, session_id, number)
    if note is None:
        return False
    await index.remove(tx, note_store.document(session_id, note))
    await tx.execute(
        """UPDATE notes SET content = :tombstone, tags = '[]', source = NULL
           WHERE tenant = :tenant AND session_id = :session_id AND number = :number""",
        session_id=session_id,
        number=number,
        tombstone=TOMBSTONE,
    )
    await tx.execute(
        "DELETE FROM note_tags WHERE tenant = :tenant AND session_id = :session_id AND number = :number",
        session_id=session_id,
        number=number,
    )
    name = f"n{number}"
    await _scrub_replays(tx, session_id, name)
    await _scrub(tx, session_id, "scratchpad/note_added", lambda payload: payload["note_id"] == name)
    return True


async def redact_message(tx: Transaction, session_id: str, number: int) -> bool:
    message = await message_store.find_any(tx, session_id, number)
    if message is None:
        return False
    await index.remove(tx, message_store.document(message))
    await tx.execute(
        """UPDATE messages SET content = :tombstone, metadata = '{}'
           WHERE tenant = :tenant AND session_id = :session_id AND number = :number""",
        session_id=session_id,
        number=number,
        tombstone=TOMBSTONE,
    )
    await _scrub(tx, session_id, "message/added", lambda payload: payload["message_id"] == number)
    return True


async def redact_version(tx: Transaction, session_id: str, section_id: str, number: int) -> bool:
    """The text of one version; the current one stays in the index under its title."""
    section = await draft_store.find(tx, session_id, section_id)
    version = await draft_store.version(tx, session_id, section_id, number)
    if section is None or version is None:
        return False
    if section.version == number:
        await index.remove(tx, draft_store.document(session_id, section_id, section.title, version.content or ""))
        await index.add(tx, draft_store.document(session_id, section_id, section.title, TOMBSTONE))
    await tx.execute(
        """UPDATE section_versions SET content = :tombstone
           WHERE tenant = :tenant AND session_id = :session_id AND section_id = :section_id AND version = :number""",
        session_id=session_id,
        section_id=section_id,
        number=number,
        tombstone=TOMBSTONE,
    )
    await _scrub(
        tx,
        session_id,
        "scratchpad/section_updated",
        lambda payload: payload["section_name"] == section_id and payload["version"] == number,
    )
    return True


async def _scrub_replays(tx: Transaction, session_id: str, name: str) -> None:
    """The stored result of an add_note, which a repeated call gets again, has the tags."""
    rows = await tx.all(
        """SELECT agent, idempotency_key, result FROM idempotency
           WHERE tenant = :tenant AND session_id = :session_id AND operation = 'add_note'""",
        session_id=session_id,
    )
    for row in rows:
        result = json.loads(row["result"])
        if result["note"]["id"] != name:
            continue
        await tx.execute(
            """UPDATE idempotency SET result = :result
               WHERE tenant = :tenant AND session_id = :session_id AND operation = 'add_note'
                 AND agent = :agent AND idempotency_key = :key""",
            session_id=session_id,
            agent=row["agent"],
            key=row["idempotency_key"],
            result=json.dumps({"note": {**result["note"], "tags": []}}),
        )


async def _scrub(tx: Transaction, session_id: str, kind: str, concerns: Callable[[Payload], bool]) -> None:
    rows = await tx.all(
        "SELECT seq, payload FROM events WHERE tenant = :tenant AND session_id = :session_id AND kind = :kind",
        session_id=session_id,
        kind=kind,
    )
    for row in rows:
        payload = json.loads(row["payload"])
        if not concerns(payload):
            continue
        replaced = {"content_preview": TOMBSTONE, "tags": []}
        clean = {**payload, **{name: replaced[name] for name in replaced if name in payload}}
        await tx.execute(
            "UPDATE events SET payload = :payload WHERE tenant = :tenant AND seq = :seq",
            payload=json.dumps(clean, separators=(",", ":")),
            seq=row["seq"],
        )
