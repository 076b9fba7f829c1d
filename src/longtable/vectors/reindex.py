"""Rebuilds the index from the texts: words at once, and vectors are queued."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from longtable.fulltext import index
from longtable.storage.database import SYSTEM, Database, Transaction
from longtable.storage.facts import forget_fact, get_fact, set_fact
from longtable.vectors.texts import IndexedTexts

_AT_ONCE: Final = 50
_FACT: Final = "search_index"

Ref = tuple[str, str, str]
"""The kind of a document, its session and its ref."""


async def tenants(database: Database) -> list[str]:
    """All with anything to find."""

    async def body(tx: Transaction) -> list[str]:
        rows = await tx.all("SELECT tenant FROM sessions UNION SELECT tenant FROM search_scopes ORDER BY tenant")
        return [row["tenant"] for row in rows]

    return await database.read(SYSTEM, body)


async def empty(database: Database) -> None:
    """For all tenants. Until a text is indexed again it is not found."""

    async def body(tx: Transaction) -> None:
        await index.remove_all(tx)
        await set_fact(tx, _FACT, "incomplete")

    await database.write(SYSTEM, body)


async def complete(database: Database, texts: Mapping[str, IndexedTexts]) -> None:
    """Fills an index that was emptied by a newer version of the program or by an interrupted rebuild. Safe on many
    processes at once."""
    if await database.read(SYSTEM, lambda tx: get_fact(tx, _FACT)) is None:
        return
    for tenant in await tenants(database):
        await reindex(database, tenant, texts, lambda _: None)
    await mark_complete(database)


async def mark_complete(database: Database) -> None:
    await database.write(SYSTEM, lambda tx: forget_fact(tx, _FACT))


async def refs(database: Database, tenant: str, texts: Mapping[str, IndexedTexts]) -> list[Ref]:
    """What belongs in the index of a tenant, and what is in it though it does not."""

    async def body(tx: Transaction) -> list[Ref]:
        found: dict[Ref, None] = {}
        for kind, of in texts.items():
            found |= {(kind, row["session_id"], row["ref"]): None for row in await tx.all(of.refs)}
        indexed = await tx.all("SELECT kind, session_id, ref FROM documents WHERE tenant = :tenant")
        return [*(found | {(row["kind"], row["session_id"], row["ref"]): None for row in indexed})]

    return await database.read(tenant, body)


async def reindex(
    database: Database, tenant: str, texts: Mapping[str, IndexedTexts], report: Callable[[int], None]
) -> int:
    """A few texts in each transaction, beside running servers, whatever they change meanwhile. Returns how many texts
    are in the index, and reports with each step how many it has processed."""
    found = await refs(database, tenant, texts)
    indexed = 0
    for start in range(0, len(found), _AT_ONCE):
        some = found[start : start + _AT_ONCE]
        indexed += await database.write(tenant, partial(_reindex, refs=some, texts=texts))
        report(len(some))
    return indexed


async def _reindex(tx: Transaction, refs: list[Ref], texts: Mapping[str, IndexedTexts]) -> int:
    indexed = 0
    for kind, session_id, ref in refs:
        text = await texts[kind].read(tx, session_id, ref) if kind in texts else None
        if text is None:
            await index.forget(tx, kind, session_id, ref)
            continue
        document = index.SearchDocument(kind, session_id, ref, text)
        await index.remove(tx, document)
        await index.add(tx, document)
        indexed += 1
    return indexed
