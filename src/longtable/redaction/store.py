"""SQL that replaces a note, a message or a part of the draft by a tombstone: in the row, its history, the events and
the index."""

from longtable.draft import store as draft_store
from longtable.fulltext import index, waiting
from longtable.messages import store as message_store
from longtable.notes import store as note_store
from longtable.redaction import logged_events, stored_results
from longtable.redaction.logged_events import about
from longtable.redaction.model import TOMBSTONE
from longtable.redaction.stored_results import without
from longtable.storage.database import Transaction


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
    await stored_results.scrub(tx, session_id, name, without("id", name, {"tags": [], "source": None}))
    words = about({"note_id": name}, {"content_preview": TOMBSTONE, "tags": []})
    await logged_events.scrub(tx, session_id, "scratchpad/note_added", words)
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
    words = about({"message_id": number}, {"content_preview": TOMBSTONE})
    await logged_events.scrub(tx, session_id, "message/added", words)
    return True


async def redact_version(tx: Transaction, session_id: str, section_id: str, number: int) -> bool:
    """The text of one version; the current one stays in the index under its title."""
    section = await draft_store.find(tx, session_id, section_id)
    version = await draft_store.version(tx, session_id, section_id, number)
    if section is None or version is None:
        return False
    if section.version == number:
        await index.remove(tx, draft_store.document(session_id, section_id, section.title, version.content or ""))
        await waiting.add(tx, draft_store.document(session_id, section_id, section.title, TOMBSTONE))
    await tx.execute(
        """UPDATE section_versions SET content = :tombstone
           WHERE tenant = :tenant AND session_id = :session_id AND section_id = :section_id AND version = :number""",
        session_id=session_id,
        section_id=section_id,
        number=number,
        tombstone=TOMBSTONE,
    )
    words = about({"section_name": section_id, "version": number}, {"content_preview": TOMBSTONE})
    await logged_events.scrub(tx, session_id, "scratchpad/section_updated", words)
    return True


async def redact_title(tx: Transaction, session_id: str, section_id: str) -> bool:
    """The title of a section, in all of its versions: one is taken over from the version before."""
    section = await draft_store.find(tx, session_id, section_id)
    if section is None:
        return False
    current = await draft_store.version(tx, session_id, section_id, section.version)
    assert current is not None
    await index.remove(tx, draft_store.document(session_id, section_id, section.title, current.content or ""))
    await waiting.add(tx, draft_store.document(session_id, section_id, TOMBSTONE, current.content or ""))
    for table in ("sections", "section_versions"):
        await tx.execute(
            f"""UPDATE {table} SET title = :tombstone
                WHERE tenant = :tenant AND session_id = :session_id AND section_id = :section_id""",
            session_id=session_id,
            section_id=section_id,
            tombstone=TOMBSTONE,
        )
    await stored_results.scrub(tx, session_id, section_id, without("section_id", section_id, {"title": TOMBSTONE}))
    return True
