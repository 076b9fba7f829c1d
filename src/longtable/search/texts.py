"""Which texts can be found, and where each is stored: for embedding them and for rebuilding the index."""

import json
from collections.abc import Mapping, Sequence
from typing import Final

from longtable.draft import store as draft_store
from longtable.fulltext.index import SearchDocument, one_of
from longtable.kernel.ids import number_of
from longtable.messages import store as message_store
from longtable.notebooks import indexing
from longtable.notes import store as note_store
from longtable.storage.database import Transaction
from longtable.vectors.texts import IndexedTexts

Found = dict[str, SearchDocument]


async def _notes(tx: Transaction, session_id: str, refs: Sequence[str]) -> Found:
    numbers = [number for ref in refs if (number := number_of("n", ref)) is not None]
    documents = [note_store.document(session_id, note) for note in await note_store.some(tx, session_id, numbers)]
    return {document.ref: document for document in documents}


async def _messages(tx: Transaction, session_id: str, refs: Sequence[str]) -> Found:
    found = await message_store.some(tx, session_id, [int(ref) for ref in refs])
    documents = [message_store.document(message) for message in found]
    return {document.ref: document for document in documents}


async def _sections(tx: Transaction, session_id: str, refs: Sequence[str]) -> Found:
    found: Found = {}
    for ref in refs:
        section = await draft_store.find(tx, session_id, ref)
        kept = await draft_store.version(tx, session_id, ref, section.version) if section else None
        if kept is not None:
            found[ref] = draft_store.document(session_id, ref, kept.title, kept.content or "")
    return found


async def _scratchpads(tx: Transaction, scope: str, refs: Sequence[str]) -> Found:
    rows = await tx.tuples(
        f"""SELECT CAST(pad AS TEXT), title, description, summary FROM scratchpads
            WHERE tenant = :tenant AND {one_of(tx.dialect, "pad", "pads", "bigint")} AND indexed = 1""",
        pads=json.dumps([int(ref) for ref in refs]),
    )
    texts = {ref: "\n".join(text for text in texts if text) for ref, *texts in rows}
    return {ref: SearchDocument(indexing.PAD, scope, ref, text) for ref, text in texts.items() if text}


async def _cells(tx: Transaction, scope: str, refs: Sequence[str]) -> Found:
    # Without a join: PostgreSQL would begin with the scratchpads, and read all cells of each.
    rows = await tx.tuples(
        f"""SELECT cell_id, pad, (SELECT content FROM cell_texts
                WHERE cell_texts.tenant = cells.tenant AND cell_texts.cell_id = cells.cell_id)
            FROM cells WHERE tenant = :tenant AND {one_of(tx.dialect, "cell_id", "refs")}
              AND (SELECT indexed FROM scratchpads
                   WHERE scratchpads.tenant = cells.tenant AND scratchpads.pad = cells.pad) = 1""",
        refs=json.dumps(list(refs)),
    )
    return {cell_id: indexing.cell_document(scope, pad, cell_id, content) for cell_id, pad, content in rows}


TEXTS: Final[Mapping[str, IndexedTexts]] = {
    note_store.KIND: IndexedTexts(_notes, "SELECT session_id, 'n' || number AS ref FROM notes WHERE tenant = :tenant"),
    message_store.KIND: IndexedTexts(
        _messages, "SELECT session_id, CAST(number AS TEXT) AS ref FROM messages WHERE tenant = :tenant"
    ),
    draft_store.KIND: IndexedTexts(
        _sections, "SELECT session_id, section_id AS ref FROM sections WHERE tenant = :tenant"
    ),
    indexing.PAD: IndexedTexts(
        _scratchpads,
        """SELECT scope AS session_id, CAST(pad AS TEXT) AS ref
           FROM scratchpads JOIN search_scopes ON search_scopes.tenant = scratchpads.tenant
           WHERE scratchpads.tenant = :tenant AND indexed = 1""",
    ),
    indexing.CELL: IndexedTexts(
        _cells,
        """SELECT scope AS session_id, cell_id AS ref
           FROM cells JOIN scratchpads ON scratchpads.tenant = cells.tenant AND scratchpads.pad = cells.pad
               JOIN search_scopes ON search_scopes.tenant = cells.tenant
           WHERE cells.tenant = :tenant AND indexed = 1""",
    ),
}
