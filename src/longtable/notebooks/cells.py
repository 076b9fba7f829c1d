"""Decides about the cells of a scratchpad: appended, replaced, moved, deleted."""

from dataclasses import replace
from functools import partial

from longtable.identity.model import POSTERS, WORKERS
from longtable.kernel.call import Call
from longtable.kernel.errors import CapacityLimitReached, InvalidIndex, NotFound, VersionConflict
from longtable.kernel.suggestions import MOST_NAMES, did_you_mean
from longtable.log.ledger import Work
from longtable.notebooks import cell_store, events, indexing, schema_store, store
from longtable.notebooks.arguments import AppendCell, DeleteCell, MoveCell, ReplaceCell
from longtable.notebooks.cell_store import CellFilter
from longtable.notebooks.cells_shown import lightened
from longtable.notebooks.dependencies import PAD_ROUTE, NotebookDependencies, notebook_tool
from longtable.notebooks.model import Cell, Schema, Scratchpad, check_scratch_id, new_id, references_shared
from longtable.notebooks.results import ScratchpadChanged
from longtable.notebooks.scratchpads import ShownContents, read_shown, require
from longtable.storage.database import Transaction
from longtable.toolkit.tool import Route
from longtable.validation.model import ValidationResult

_CELL_ROUTE = f"{PAD_ROUTE}/cells/{{cell_id}}"
_cell_tool = partial(notebook_tool, roles=WORKERS, writes=True)
_text_tool = partial(notebook_tool, roles=POSTERS, writes=True)


class Cells:
    def __init__(self, dependencies: NotebookDependencies) -> None:
        self._dependencies = dependencies
        self._ledger = dependencies.ledger

    @_text_tool(
        "scratch_append_cell",
        title="Append a cell",
        description="Add a cell at the end of a scratchpad.",
        audited_as="cell_appended",
        routes=(Route("POST", f"{PAD_ROUTE}/cells", 201),),
    )
    async def append(self, call: Call, arguments: AppendCell) -> ScratchpadChanged:
        new = arguments.cell.cell(new_id())
        found = await self._checked(call, arguments.scratch_id, new)

        async def body(work: Work) -> ScratchpadChanged:
            work.concerns_tenant()
            pad = await require(work.tx, arguments.scratch_id)
            self._check_room(pad)
            cell = replace(new, position=pad.cell_count)
            # All is read before anything is written: PostgreSQL then gets what is written with the commit.
            before = await read_shown(work.tx, pad, pad.cell_count)
            await indexing.add_cells(work.tx, pad.pad, [cell])
            await cell_store.insert(work.tx, pad.pad, [cell], work.now)
            await store.change_cell_tags(work.tx, pad.pad, (), cell.tags)
            await store.count_cells(work.tx, 1)
            changed = await _advanced(work, pad, cell, "append", cells=1)
            return _answer(work, changed, before.with_last(cell), cell, found)

        return await self._ledger.write(call, ScratchpadChanged, body)

    @_text_tool(
        "scratch_replace_cell",
        title="Replace a cell",
        description="Write a cell anew, and move it if you name a place.",
        audited_as="cell_replaced",
        destructive=True,
        routes=(Route("PUT", _CELL_ROUTE),),
    )
    async def replace(self, call: Call, arguments: ReplaceCell) -> ScratchpadChanged:
        written = arguments.cell.cell(arguments.cell_id)
        found = await self._checked(call, arguments.scratch_id, written)

        async def body(work: Work) -> ScratchpadChanged:
            work.concerns_tenant()
            pad = await require(work.tx, arguments.scratch_id)
            old = await _require_cell(work.tx, pad, arguments.cell_id)
            if arguments.expected_version not in (None, old.version):
                raise VersionConflict(
                    f"The cell is at version {old.version}.", current_version=old.version, cell_id=old.cell_id
                )
            position = old.position if arguments.new_index is None else _index(arguments.new_index, pad)
            new = replace(written, position=position, version=old.version + 1)
            await cell_store.replace(work.tx, new, work.now)
            if position != old.position:
                await cell_store.move(work.tx, pad.pad, old.cell_id, old.position, position)
            await store.change_cell_tags(work.tx, pad.pad, old.tags, new.tags)
            await indexing.remove_cell(work.tx, pad.pad, old)
            await indexing.add_cells(work.tx, pad.pad, [new])
            return await _changed(work, pad, new, "replace", found)

        return await self._ledger.write(call, ScratchpadChanged, body)

    @_cell_tool(
        "scratch_move_cell",
        title="Move a cell",
        description="Move a cell to another place.",
        audited_as="cell_moved",
        repeatable=True,
        routes=(Route("POST", f"{_CELL_ROUTE}/move"),),
    )
    async def move(self, call: Call, arguments: MoveCell) -> ScratchpadChanged:
        check_scratch_id(arguments.scratch_id)

        async def body(work: Work) -> ScratchpadChanged:
            work.concerns_tenant()
            pad = await require(work.tx, arguments.scratch_id)
            cell = await _require_cell(work.tx, pad, arguments.cell_id)
            position = _index(arguments.new_index, pad)
            if position != cell.position:
                await cell_store.move(work.tx, pad.pad, cell.cell_id, cell.position, position)
            return await _changed(work, pad, replace(cell, position=position), "move")

        return await self._ledger.write(call, ScratchpadChanged, body)

    @_cell_tool(
        "scratch_delete_cell",
        title="Delete a cell",
        description="Take a cell out of its scratchpad.",
        frees=True,
        audited_as="cell_deleted",
        destructive=True,
        routes=(Route("DELETE", _CELL_ROUTE),),
    )
    async def delete(self, call: Call, arguments: DeleteCell) -> ScratchpadChanged:
        check_scratch_id(arguments.scratch_id)

        async def body(work: Work) -> ScratchpadChanged:
            work.concerns_tenant()
            pad = await require(work.tx, arguments.scratch_id)
            cell = await _require_cell(work.tx, pad, arguments.cell_id)
            await indexing.remove_cell(work.tx, pad.pad, cell)
            await cell_store.delete(work.tx, cell.cell_id)
            await cell_store.shift(work.tx, pad.pad, cell.position + 1, pad.cell_count, -1)
            await store.change_cell_tags(work.tx, pad.pad, cell.tags, ())
            await store.count_cells(work.tx, -1)
            return await _changed(work, pad, cell, "delete", cells=-1)

        return await self._ledger.write(call, ScratchpadChanged, body)

    async def _checked(self, call: Call, scratch_id: str, cell: Cell) -> ValidationResult | None:
        """Before anything is written: refuses what it can, and reports faults of a cell with `validate`."""
        check_scratch_id(scratch_id)
        cell.check("cell", self._dependencies.limits.cell_bytes)
        if cell.json_schema is None and not cell.validate:
            return None
        await self._dependencies.checks.refuse_bad_cell_schemas({"cell": cell})
        if not cell.validate:
            return None
        shared = await self._ledger.read(call.caller, lambda tx: _shared(tx, scratch_id, cell))
        found = await self._dependencies.checks.check_new(call.caller.tenant, [cell], shared)
        return found[cell.cell_id]

    def _check_room(self, pad: Scratchpad) -> None:
        limit = self._dependencies.limits.cells
        if limit and pad.cell_count >= limit:
            raise CapacityLimitReached(
                f"The scratchpad has {pad.cell_count} cells; at most {limit} are allowed.", limit=limit
            )


async def _shared(tx: Transaction, scratch_id: str, cell: Cell) -> list[Schema]:
    pad = await require(tx, scratch_id)
    if not pad.schema_count or not references_shared(cell.json_schema):
        return []
    return await schema_store.all_of(tx, pad.pad)


async def _require_cell(tx: Transaction, pad: Scratchpad, cell_id: str) -> Cell:
    cell = await cell_store.find(tx, pad.pad, cell_id)
    if cell is None:
        known = [each.cell_id for each in await cell_store.outlines(tx, pad.pad, CellFilter(limit=MOST_NAMES))]
        hint = did_you_mean(cell_id, known, "scratch_list_cells shows those there are.")
        problem = f"cell_id: there is no cell {cell_id[:100]!r} in this scratchpad."
        raise NotFound(problem, hint=hint, cell_id=cell_id[:100])
    return cell


def _index(new_index: int, pad: Scratchpad) -> int:
    if not 0 <= new_index < pad.cell_count:
        raise InvalidIndex(
            f"new_index: must be from 0 to {pad.cell_count - 1}.", new_index=new_index, cell_count=pad.cell_count
        )
    return new_index


async def _changed(
    work: Work, pad: Scratchpad, cell: Cell, reason: str, found: ValidationResult | None = None, cells: int = 0
) -> ScratchpadChanged:
    changed = await _advanced(work, pad, cell, reason, cells)
    return _answer(work, changed, await read_shown(work.tx, changed, cell.position), cell, found)


async def _advanced(work: Work, pad: Scratchpad, cell: Cell, reason: str, cells: int) -> Scratchpad:
    """The scratchpad in its new version, which is stored and announced."""
    await store.advance(work.tx, pad.pad, work.now, cells=cells)
    work.happened(events.changed(pad.scratch_id, cell.cell_id, reason))
    work.touched(f"scratchpad:{pad.scratch_id}", cell_id=cell.cell_id)
    return replace(pad, version=pad.version + 1, cell_count=pad.cell_count + cells, updated_at=work.now)


def _answer(
    work: Work, pad: Scratchpad, contents: ShownContents, cell: Cell, found: ValidationResult | None
) -> ScratchpadChanged:
    if found is None:
        return ScratchpadChanged.of_json(scratchpad=lightened(contents.outline(pad), work.call.max_chars))
    # Its position is known only now.
    found = found.model_copy(update={"cell_index": cell.position})
    shown = lightened(contents.outline(pad, {cell.cell_id: found}), work.call.max_chars)
    return ScratchpadChanged.of_json(scratchpad=shown, validation=found.model_dump(mode="json"))
