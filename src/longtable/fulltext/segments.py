"""SQLite keeps the index of words in segments: each commit adds one, and a word is looked up in every one of them. Its
own merging leaves more of them in a larger store. This joins all when the store has grown, and small ones meanwhile: to
find a likely spelling of a word, hundreds of words are looked up."""

from functools import partial
from typing import Final

from longtable.kernel.clock import MINUTE
from longtable.storage.database import SYSTEM, Database, Transaction
from longtable.storage.facts import get_fact, set_fact

MERGED_EVERY: Final = MINUTE
_MERGED: Final = "merged_words"
"""The fact which document was the newest when all segments were joined."""
_GROWN_BY: Final = 8
"""An eighth more documents than then: so each is written about eight times again in the life of a store."""
_AT_LEAST: Final = 200
_FEW: Final = 3
"""Segments that may be. A migration has set FTS5 to join those of about the same size from two on."""
_PAGES: Final = 64
"""In one transaction: a few milliseconds, between those of users."""


async def merge_segments(database: Database) -> None:
    """Periodic job. A run that is cut short is begun again by the next."""
    if database.dialect != "sqlite":
        return
    newest = await database.read(SYSTEM, _newest_if_many)
    if newest is None and await database.read(SYSTEM, _count_segments) <= _FEW:
        return
    # A negative number begins with all segments, a positive one goes on with that, or joins small ones.
    pages = _PAGES if newest is None else -_PAGES
    while await database.write(SYSTEM, partial(_merge, pages=pages)):
        pages = _PAGES
    if newest is not None:
        await database.write(SYSTEM, partial(set_fact, name=_MERGED, value=str(newest)))


async def _newest_if_many(tx: Transaction) -> int | None:
    row = await tx.first("SELECT MAX(document_id) AS newest FROM documents")
    newest = (row and row["newest"]) or 0
    merged = int(await get_fact(tx, _MERGED) or 0)
    return newest if newest - merged >= max(_AT_LEAST, merged // _GROWN_BY) else None


async def _count_segments(tx: Transaction) -> int:
    rows = await tx.tuples("SELECT COUNT(DISTINCT segid) FROM documents_fts_idx")
    return int(rows[0][0])


async def _merge(tx: Transaction, pages: int) -> bool:
    """Whether there was something to do. FTS5 tells it by the rows that it changed, besides the one for the command."""
    before = await tx.first("SELECT total_changes() AS changes")
    await tx.execute("INSERT INTO documents_fts (documents_fts, rank) VALUES ('merge', :pages)", pages=pages)
    after = await tx.first("SELECT total_changes() AS changes")
    return before is not None and after is not None and after["changes"] - before["changes"] > 1
