"""Shows scratchpads: one or many, the cells that are chosen, the tags in use, and what is wrong with cells."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from longtable.identity.model import EVERYONE
from longtable.kernel.call import Call
from longtable.kernel.content import check_count
from longtable.kernel.errors import Conflict, InvalidId, InvalidIndex
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.notebooks import cell_store, schema_store, store
from longtable.notebooks.arguments import List, ListCells, ListTags, Read, Validate, once
from longtable.notebooks.cell_store import CellFilter
from longtable.notebooks.cells_shown import most_cells, read_within
from longtable.notebooks.dependencies import PAD_ROUTE, NotebookDependencies, notebook_tool
from longtable.notebooks.model import (
    MAX_FILTERS,
    Cell,
    Schema,
    Scratchpad,
    check_cursor,
    check_scratch_id,
)
from longtable.notebooks.results import (
    CellList,
    ListedScratchpad,
    ScratchpadList,
    ScratchpadRead,
    TagList,
    Validated,
    listed_cell,
    scratchpad_fields,
)
from longtable.notebooks.scratchpads import require
from longtable.notebooks.store import PadFilter
from longtable.storage.database import Transaction
from longtable.toolkit.answer_size import count_within
from longtable.toolkit.tool import Route

_MAX_BOUND = 500
"""So many ids are looked up; beyond that it is faster to read all cells and choose."""
_reading_tool = partial(notebook_tool, roles=EVERYONE)


@dataclass(frozen=True, slots=True)
class CellChoice:
    """Which cells of a scratchpad. Nothing, and an empty sequence, stand for all."""

    cell_ids: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    indices: Sequence[int] | None = None
    first: int = 0


class NotebookReads:
    def __init__(self, dependencies: NotebookDependencies) -> None:
        self._dependencies = dependencies
        self._ledger = dependencies.ledger
        self._access = dependencies.access

    @_reading_tool(
        "scratch_read",
        title="Read a scratchpad",
        description="Read a scratchpad with its cells, all or some.",
        audited_as="scratchpad_read",
        routes=(Route("GET", PAD_ROUTE),),
    )
    async def read(self, call: Call, arguments: Read) -> ScratchpadRead:
        scratch_id, with_metadata = check_scratch_id(arguments.scratch_id), arguments.include_metadata
        first = decode_cursor(arguments.cursor, int)[0] if arguments.cursor else 0

        async def body(tx: Transaction) -> tuple[Scratchpad, dict[str, Any], list[Cell]]:
            pad = await _require_in(tx, scratch_id, arguments.namespaces)
            choice = CellChoice(arguments.cell_ids, arguments.tags, first=first)
            cells = await _full_cells(tx, pad, choice, most_cells(call.max_chars))
            schemas = await schema_store.all_of(tx, pad.pad) if pad.schema_count and with_metadata else []
            fields = scratchpad_fields(pad, await store.cell_tags(tx, pad.pad), schemas)
            return pad, fields if with_metadata else {**fields, "metadata": None}, cells

        pad, fields, cells = await self._ledger.read(call.caller, body)
        self._access.read(call.caller.tenant, pad.pad)
        result = read_within(fields, cells, arguments.offset, call.max_chars)
        result.observed(f"scratchpad:{scratch_id}")
        return result

    @_reading_tool(
        "scratch_list",
        title="List scratchpads",
        description="List scratchpads without their cells.",
        audited_as="scratchpads_listed",
        routes=(Route("GET", "/scratchpads"),),
    )
    async def list(self, call: Call, arguments: List) -> ScratchpadList:
        namespaces, tags = once(arguments.namespaces), once(arguments.tags)
        check_count("namespaces", namespaces, MAX_FILTERS)
        check_count("tags", tags, MAX_FILTERS)
        after = check_cursor(decode_cursor(arguments.cursor, str)[0]) if arguments.cursor else ""
        query = PadFilter(namespaces, tags, after, arguments.limit + 1)
        rows = await self._ledger.read(call.caller, lambda tx: store.page(tx, query))
        shown = [ListedScratchpad.unchecked(**row) for row in rows[: arguments.limit]]
        count = count_within(shown, call.max_chars)
        return ScratchpadList(
            scratchpads=shown[:count],
            next_cursor=encode_cursor(shown[count - 1].scratch_id) if len(rows) > count else None,
            truncated=True if count < len(shown) else None,
        )

    @_reading_tool(
        "scratch_list_cells",
        title="List the cells of a scratchpad",
        description="List the cells of a scratchpad with a short preview of each.",
        audited_as="cells_listed",
        routes=(Route("GET", f"{PAD_ROUTE}/cells"),),
    )
    async def list_cells(self, call: Call, arguments: ListCells) -> CellList:
        scratch_id = check_scratch_id(arguments.scratch_id)
        first = decode_cursor(arguments.cursor, int)[0] if arguments.cursor else 0
        choice = CellChoice(arguments.cell_ids, arguments.tags, first=first)

        async def body(tx: Transaction) -> tuple[Scratchpad, Sequence[Cell]]:
            pad = await _require_in(tx, scratch_id, arguments.namespaces)
            if arguments.limit is not None and not arguments.cell_ids and not arguments.tags:
                one_more = CellFilter(first=first, limit=arguments.limit + 1)
                return pad, await cell_store.outlines(tx, pad.pad, one_more)
            return pad, await _outlines(tx, pad, choice)

        pad, cells = await self._ledger.read(call.caller, body)
        self._access.read(call.caller.tenant, pad.pad)
        shown = [listed_cell(cell) for cell in cells[: arguments.limit]]
        count = count_within(shown, call.max_chars)
        result = CellList(
            scratch_id=scratch_id,
            cells=shown[:count],
            next_cursor=encode_cursor(cells[count - 1].position + 1) if len(cells) > count else None,
            truncated=True if count < len(shown) else None,
        )
        result.observed(f"scratchpad:{scratch_id}")
        return result

    @_reading_tool(
        "scratch_validate",
        title="Check cells",
        description="Check the syntax of cells, and values against their JSON Schema.",
        audited_as="cells_validated",
        routes=(Route("POST", f"{PAD_ROUTE}/validate"),),
    )
    async def validate(self, call: Call, arguments: Validate) -> Validated:
        scratch_id = check_scratch_id(arguments.scratch_id)
        choice = CellChoice(arguments.cell_ids, indices=arguments.indices)

        async def body(tx: Transaction) -> tuple[Scratchpad, Sequence[Cell], Sequence[Schema]]:
            pad = await require(tx, scratch_id)
            schemas = await schema_store.all_of(tx, pad.pad) if pad.schema_count else []
            return pad, await _full_cells(tx, pad, choice), schemas

        pad, cells, schemas = await self._ledger.read(call.caller, body)
        self._access.read(call.caller.tenant, pad.pad)
        results = await self._dependencies.checks.check(call.caller.tenant, cells, schemas)
        result = Validated(scratch_id=scratch_id, results=results)
        result.observed(f"scratchpad:{scratch_id}")
        return result

    @_reading_tool(
        "scratch_list_tags",
        title="List tags",
        description="List the tags in use.",
        audited_as="tags_listed",
        routes=(Route("GET", "/tags"),),
    )
    async def list_tags(self, call: Call, arguments: ListTags) -> TagList:
        namespaces = once(arguments.namespaces)
        check_count("namespaces", namespaces, MAX_FILTERS)

        async def body(tx: Transaction) -> TagList:
            return TagList(
                scratchpad_tags=await store.all_tags(tx, "pad", namespaces),
                cell_tags=await store.all_tags(tx, "cell", namespaces),
            )

        return await self._ledger.read(call.caller, body)


async def _outlines(tx: Transaction, pad: Scratchpad, choice: CellChoice) -> list[Cell]:
    """Raises InvalidId for a cell that is not there, InvalidIndex for a position that is none."""
    cell_ids = once(choice.cell_ids) or None
    cells = await _read_cells(tx, pad, cell_ids, cell_store.outlines)
    _require_all(cells, cell_ids or ())
    if choice.indices:
        cells = _at(cells, choice.indices, pad.cell_count)
    if choice.tags:
        cells = [cell for cell in cells if not set(choice.tags).isdisjoint(cell.tags)]
    return [cell for cell in cells if cell.position >= choice.first]


def _require_all(cells: Sequence[Cell], cell_ids: Sequence[str]) -> None:
    known = {cell.cell_id for cell in cells}
    unknown = next((cell_id[:100] for cell_id in cell_ids if cell_id not in known), None)
    if unknown is not None:
        raise InvalidId(f"cell_ids: there is no cell {unknown!r} in this scratchpad.", cell_id=unknown)


async def _full_cells(tx: Transaction, pad: Scratchpad, choice: CellChoice, limit: int | None = None) -> list[Cell]:
    if not choice.cell_ids and not choice.tags and not choice.indices:
        return await cell_store.full(tx, pad.pad, CellFilter(first=choice.first, limit=limit))
    chosen = await _outlines(tx, pad, choice)
    return await _read_cells(tx, pad, tuple(cell.cell_id for cell in chosen), cell_store.full) if chosen else []


async def _read_cells(
    tx: Transaction,
    pad: Scratchpad,
    cell_ids: tuple[str, ...] | None,
    read: Callable[[Transaction, int, CellFilter], Awaitable[list[Cell]]],
) -> list[Cell]:
    if cell_ids is None or len(cell_ids) <= _MAX_BOUND:
        return await read(tx, pad.pad, CellFilter(cell_ids))
    chosen = set(cell_ids)
    return [cell for cell in await read(tx, pad.pad, CellFilter()) if cell.cell_id in chosen]


def _at(cells: Sequence[Cell], indices: Sequence[int], count: int) -> list[Cell]:
    for index in indices:
        if not 0 <= index < count:
            raise InvalidIndex(f"indices: {index} is not between 0 and {count - 1}.", index=index, cell_count=count)
    chosen = set(indices)
    return [cell for cell in cells if cell.position in chosen]


async def _require_in(tx: Transaction, scratch_id: str, namespaces: Sequence[str] | None) -> Scratchpad:
    """With namespaces, a scratchpad that lies elsewhere is refused like one that does not exist."""
    if not namespaces:
        return await require(tx, scratch_id)
    pad = await store.find(tx, scratch_id)
    if pad is None or pad.traits.namespace not in namespaces:
        raise Conflict("namespaces: the scratchpad is in none of these.")
    return pad
