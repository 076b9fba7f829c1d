"""What the full-text index holds of a scratchpad: its title, description and summary, and the text of each cell."""

import secrets
from collections.abc import Iterable

from longtable.fulltext import index, waiting
from longtable.notebooks import cell_store
from longtable.notebooks.model import Cell, Scratchpad, Traits
from longtable.storage.database import Transaction

PAD, CELL = "scratchpad", "cell"


async def scope(tx: Transaction) -> str:
    """The name of the tenant in the index."""
    row = await tx.first("SELECT scope FROM search_scopes WHERE tenant = :tenant")
    if row is not None:
        return str(row["scope"])
    created = secrets.token_hex(12)
    await tx.execute("INSERT INTO search_scopes (tenant, scope) VALUES (:tenant, :scope)", scope=created)
    return created


async def add_traits(tx: Transaction, pad: Scratchpad) -> None:
    if text := text_of(pad.traits):
        await waiting.add(tx, index.SearchDocument(PAD, await scope(tx), str(pad.pad), text))


async def remove_traits(tx: Transaction, pad: Scratchpad) -> None:
    if text := text_of(pad.traits):
        await index.remove(tx, index.SearchDocument(PAD, await scope(tx), str(pad.pad), text))


async def add_cells(tx: Transaction, pad: int, cells: Iterable[Cell]) -> None:
    tenant = await scope(tx)
    for cell in cells:
        await waiting.add(tx, cell_document(tenant, pad, cell.cell_id, cell.content))


async def remove_cell(tx: Transaction, pad: int, cell: Cell) -> None:
    await index.remove(tx, cell_document(await scope(tx), pad, cell.cell_id, cell.content))


async def add_all(tx: Transaction, pad: Scratchpad) -> None:
    await add_traits(tx, pad)
    await add_cells(tx, pad.pad, await cell_store.full(tx, pad.pad, cell_store.CellFilter()))


async def remove_all(tx: Transaction, pad: Scratchpad) -> None:
    await remove_traits(tx, pad)
    for cell in await cell_store.full(tx, pad.pad, cell_store.CellFilter()):
        await remove_cell(tx, pad.pad, cell)


def pad_label(pad: int | str) -> str:
    """By it a search finds the cells of a scratchpad whose title it has found."""
    return f"pad {pad}"


def cell_document(scope: str, pad: int, cell_id: str, content: str | None) -> index.SearchDocument:
    return index.SearchDocument(CELL, scope, cell_id, content or "", (pad_label(pad),))


def text_of(traits: Traits) -> str:
    return "\n".join(text for text in (traits.title, traits.description, traits.summary) if text)
