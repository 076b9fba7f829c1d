"""Rebuilds the index from the texts: words at once, and vectors are queued."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from longtable.fulltext import index
from longtable.fulltext.index import DocumentKey
from longtable.storage.database import SYSTEM, Database, Row, Transaction
from longtable.storage.facts import forget_fact, get_fact
from longtable.vectors.texts import IndexedTexts, read_documents

_AT_ONCE: Final = 50
_LISTED: Final = 10_000


async def tenants(database: Database) -> list[str]:
    """All with anything to find."""

    async def body(tx: Transaction) -> list[str]:
        rows = await tx.all("SELECT tenant FROM sessions UNION SELECT tenant FROM search_scopes ORDER BY tenant")
        return [row["tenant"] for row in rows]

    return await database.read(SYSTEM, body)


async def empty(database: Database) -> None:
    """For all tenants. Until a text is indexed again it is not found."""
    await database.write(SYSTEM, index.remove_all)


async def complete(database: Database, texts: Mapping[str, IndexedTexts]) -> None:
    """Fills an index that a newer version of the program has cleared or an interrupted rebuild has left. Safe on many
    processes at once."""
    for tenant in await database.read(SYSTEM, _unfilled_tenants):
        await _fill(database, tenant, texts)
    if await database.read(SYSTEM, lambda tx: get_fact(tx, index.EMPTIED)) is None:
        return
    for tenant in await tenants(database):
        await reindex(database, tenant, texts, lambda _: None)
    await mark_complete(database)


async def mark_complete(database: Database) -> None:
    await database.write(SYSTEM, lambda tx: forget_fact(tx, index.EMPTIED))


async def _unfilled_tenants(tx: Transaction) -> list[str]:
    rows = await tx.all("SELECT name FROM facts WHERE name LIKE :names ORDER BY name", names=f"{index.UNFILLED}%")
    return [row["name"].removeprefix(index.UNFILLED) for row in rows]


async def _fill(database: Database, tenant: str, texts: Mapping[str, IndexedTexts]) -> None:
    """Gives words to the documents that lack them, from the newest on, a few in each transaction."""
    name = f"{index.UNFILLED}{tenant}"
    while (newest := await database.read(SYSTEM, lambda tx: get_fact(tx, name))) is not None:
        found = await database.read(tenant, partial(_unfilled, newest=int(newest)))
        for start in range(0, len(found), _AT_ONCE):
            some = found[start : start + _AT_ONCE]
            following = str(some[-1]["document_id"] - 1)
            step = partial(_fill_some, name=name, newest=newest, following=following, documents=some, texts=texts)
            if not await database.write(tenant, step):
                break
            newest = following
        if not found:
            await database.write(SYSTEM, lambda tx: forget_fact(tx, name))


async def _unfilled(tx: Transaction, newest: int) -> list[Row]:
    return await tx.all(
        """SELECT document_id, kind, session_id, ref FROM documents
           WHERE tenant = :tenant AND document_id <= :newest ORDER BY document_id DESC LIMIT :limit""",
        newest=newest,
        limit=_LISTED,
    )


async def _fill_some(
    tx: Transaction, name: str, newest: str, following: str, documents: list[Row], texts: Mapping[str, IndexedTexts]
) -> bool:
    # First, so that of two processes one waits and then sees that the other has done it.
    moved = await tx.execute(
        "UPDATE facts SET value = :following WHERE name = :name AND value = :newest AND :tenant <> ''",
        following=following,
        name=name,
        newest=newest,
    )
    keys = [DocumentKey(row["kind"], row["session_id"], row["ref"]) for row in documents]
    found = await read_documents(tx, texts, keys) if moved else {}
    for row in documents if moved else ():
        document = found.get(DocumentKey(row["kind"], row["session_id"], row["ref"]))
        if document is not None:
            await index.fill(tx, row["document_id"], document)
    return bool(moved)


async def refs(database: Database, tenant: str, texts: Mapping[str, IndexedTexts]) -> list[DocumentKey]:
    """What belongs in the index of a tenant, and what is in it though it does not."""

    async def body(tx: Transaction) -> list[DocumentKey]:
        found: dict[DocumentKey, None] = {}
        for kind, of in texts.items():
            found |= {DocumentKey(kind, row["session_id"], row["ref"]): None for row in await tx.all(of.refs)}
        indexed = await tx.tuples("SELECT kind, session_id, ref FROM documents WHERE tenant = :tenant")
        return [*(found | {DocumentKey(*key): None for key in indexed})]

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


async def _reindex(tx: Transaction, refs: list[DocumentKey], texts: Mapping[str, IndexedTexts]) -> int:
    found = await read_documents(tx, texts, refs)
    for ref in refs:
        if ref not in found:
            await index.forget(tx, *ref)
            continue
        await index.remove(tx, found[ref])
        await index.add(tx, found[ref])
    return len(found)
