"""Fills a store with scratchpads in bulk, by the same statements as the tools."""

from collections.abc import Sequence
from functools import partial

from longtable.notebooks import cell_store, namespace_store
from longtable.notebooks import store as notebook_store
from longtable.notebooks.model import Cell, Scratchpad, Traits, new_id, preview_of
from longtable.storage.database import Transaction
from tests.schemas import administer
from tests.stores import Store
from tests.table import Table

CONTENT = "Build {number} of the importer took twice as long as the one before it; a cache should bring it back."
SHELVES = 20
RARE_EVERY = 1_000
_CHUNK = 100


async def fill(table: Table, store: Store, numbers: range, cells: int) -> None:
    """Scratchpads such as `p000000`: each in one of twenty namespaces, tagged `common`, one in a thousand `rare`."""
    for start in range(numbers.start, numbers.stop, _CHUNK):
        chunk = range(start, min(start + _CHUNK, numbers.stop))
        await table.app.database.write("default", partial(_insert, numbers=chunk, cells=cells))
    if store.kind == "postgresql":
        # By itself the server looks at its tables again within a minute.
        await administer(store.address, "ANALYZE")


async def _insert(tx: Transaction, numbers: Sequence[int], cells: int) -> None:
    for number in numbers:
        pad = _scratchpad(await notebook_store.next_pad(tx), number, cells)
        await notebook_store.insert(tx, pad)
        await cell_store.insert(tx, pad.pad, [_cell(number, position) for position in range(cells)], number)
        await notebook_store.change_cell_tags(tx, pad.pad, (), ["cell"] * cells)
        await namespace_store.count(tx, pad.traits.namespace, 1, number)
    await notebook_store.count(tx, len(numbers), len(numbers) * cells)


def _scratchpad(pad: int, number: int, cells: int) -> Scratchpad:
    tags = ("common", "rare") if number % RARE_EVERY == 0 else ("common",)
    traits = Traits(title=f"Number {number}", namespace=f"n{number % SHELVES}", tags=tags)
    return Scratchpad(pad, f"p{number:06}", traits, 1, cells, 0, number, number)


def _cell(number: int, position: int) -> Cell:
    content = CONTENT.format(number=number)
    return Cell(new_id(), position, "txt", ("cell",), {}, False, 1, preview_of(content), content)
