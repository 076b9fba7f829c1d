"""Which texts can be found, and where each is stored: for embedding them and for rebuilding the index."""

from collections.abc import Mapping
from typing import Final

from longtable.draft import store as draft_store
from longtable.kernel.ids import number_of
from longtable.messages import store as message_store
from longtable.notebooks import indexing
from longtable.notes import store as note_store
from longtable.storage.database import Transaction
from longtable.vectors.texts import IndexedTexts


async def _note(tx: Transaction, session_id: str, ref: str) -> str | None:
    number = number_of("n", ref)
    note = await note_store.find(tx, session_id, number) if number is not None else None
    return note_store.document(session_id, note).text if note else None


async def _note_labels(tx: Transaction, session_id: str, ref: str) -> tuple[str, ...]:
    note = await note_store.find(tx, session_id, number_of("n", ref) or 0)
    return note_store.document(session_id, note).labels if note else ()


async def _message(tx: Transaction, session_id: str, ref: str) -> str | None:
    message = await message_store.find_any(tx, session_id, int(ref))
    return message_store.document(message).text if message else None


async def _section(tx: Transaction, session_id: str, ref: str) -> str | None:
    section = await draft_store.find(tx, session_id, ref)
    kept = await draft_store.version(tx, session_id, ref, section.version) if section else None
    return draft_store.document(session_id, ref, kept.title, kept.content or "").text if kept else None


async def _scratchpad(tx: Transaction, _: str, ref: str) -> str | None:
    row = await tx.first(
        """SELECT title, description, summary FROM scratchpads
           WHERE tenant = :tenant AND pad = :pad AND indexed = 1""",
        pad=int(ref),
    )
    return "\n".join(text for text in row.values() if text) or None if row else None


async def _cell(tx: Transaction, _: str, ref: str) -> str | None:
    row = await tx.first(
        """SELECT content FROM cell_texts
               JOIN cells ON cells.tenant = cell_texts.tenant AND cells.cell_id = cell_texts.cell_id
               JOIN scratchpads ON scratchpads.tenant = cells.tenant AND scratchpads.pad = cells.pad
           WHERE cell_texts.tenant = :tenant AND cell_texts.cell_id = :cell_id AND indexed = 1""",
        cell_id=ref,
    )
    return str(row["content"]) if row else None


async def _cell_labels(tx: Transaction, _: str, ref: str) -> tuple[str, ...]:
    row = await tx.first("SELECT pad FROM cells WHERE tenant = :tenant AND cell_id = :cell_id", cell_id=ref)
    return (indexing.pad_label(row["pad"]),) if row else ()


TEXTS: Final[Mapping[str, IndexedTexts]] = {
    note_store.KIND: IndexedTexts(
        _note, "SELECT session_id, 'n' || number AS ref FROM notes WHERE tenant = :tenant", _note_labels
    ),
    message_store.KIND: IndexedTexts(
        _message, "SELECT session_id, CAST(number AS TEXT) AS ref FROM messages WHERE tenant = :tenant"
    ),
    draft_store.KIND: IndexedTexts(
        _section, "SELECT session_id, section_id AS ref FROM sections WHERE tenant = :tenant"
    ),
    indexing.PAD: IndexedTexts(
        _scratchpad,
        """SELECT scope AS session_id, CAST(pad AS TEXT) AS ref
           FROM scratchpads JOIN search_scopes ON search_scopes.tenant = scratchpads.tenant
           WHERE scratchpads.tenant = :tenant AND indexed = 1""",
    ),
    indexing.CELL: IndexedTexts(
        _cell,
        """SELECT scope AS session_id, cell_id AS ref
           FROM cells JOIN scratchpads ON scratchpads.tenant = cells.tenant AND scratchpads.pad = cells.pad
               JOIN search_scopes ON search_scopes.tenant = cells.tenant
           WHERE cells.tenant = :tenant AND indexed = 1""",
        _cell_labels,
    ),
}
