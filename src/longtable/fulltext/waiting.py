"""Texts that wait to be indexed: SQLite writes a dozen pages for each text that it indexes by itself, and hardly more
for fifty at once. PostgreSQL keeps such a list inside of its index, so there a text is indexed with its write."""

from collections.abc import Sequence

from longtable.fulltext import index
from longtable.fulltext.index import DocumentKey, SearchDocument
from longtable.storage.database import Transaction

AT_ONCE = 64
"""Texts that are indexed in one transaction: a few milliseconds, between the writes of users."""


async def add(tx: Transaction, document: SearchDocument) -> None:
    """From this transaction on the text is found: whoever searches has indexed what waits before."""
    if tx.dialect == "postgres":
        await index.add(tx, document)
        return
    await tx.enqueue(
        "INSERT INTO waiting_texts (tenant, kind, session_id, ref) VALUES (:tenant, :kind, :session_id, :ref)",
        kind=document.kind,
        session_id=document.session_id,
        ref=document.ref,
    )


async def newest(tx: Transaction) -> int:
    """The place of the tenant's newest text that waits; 0 where none does."""
    rows = await tx.tuples("SELECT MAX(place) FROM waiting_texts WHERE tenant = :tenant")
    return rows[0][0] or 0


async def tenants(tx: Transaction) -> list[str]:
    """Whose texts wait; in SYSTEM scope."""
    return [tenant for (tenant,) in await tx.tuples("SELECT DISTINCT tenant FROM waiting_texts")]


async def count_all(tx: Transaction) -> int:
    """How many texts of all tenants wait. In SYSTEM scope."""
    rows = await tx.tuples("SELECT COUNT(*) FROM waiting_texts") if tx.dialect == "sqlite" else [(0,)]
    return int(rows[0][0])


async def count(tx: Transaction, most: int) -> int:
    rows = await tx.tuples("SELECT 1 FROM waiting_texts WHERE tenant = :tenant LIMIT :most", most=most)
    return len(rows)


async def oldest(tx: Transaction, up_to: int) -> dict[int, DocumentKey]:
    """Some, in the order in which they were written, by their places."""
    rows = await tx.tuples(
        f"""SELECT place, kind, session_id, ref FROM waiting_texts
            WHERE tenant = :tenant AND place <= :up_to ORDER BY place LIMIT {AT_ONCE}""",
        up_to=up_to,
    )
    return {place: DocumentKey(*key) for place, *key in rows}


async def remove(tx: Transaction, up_to: int) -> None:
    await tx.execute("DELETE FROM waiting_texts WHERE tenant = :tenant AND place <= :up_to", up_to=up_to)


async def forget(tx: Transaction, places: Sequence[int]) -> None:
    await tx.execute_many(
        "DELETE FROM waiting_texts WHERE tenant = :tenant AND place = :place", [{"place": place} for place in places]
    )
