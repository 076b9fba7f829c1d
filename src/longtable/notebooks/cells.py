"""Decides about the cells of a scratchpad: appended, replaced, moved, deleted."""

from dataclasses import dataclass, replace

from longtable.kernel.call import Call
from longtable.kernel.errors import CapacityLimitReached, InvalidIndex, NotFound, VersionConflict
from longtable.log.ledger import Work
from longtable.notebooks import cell_store, events, indexing, schema_store, store
from longtable.notebooks.answers import ScratchpadChanged
from longtable.notebooks.model import Cell, NewCell, Schema, Scratchpad, check_scratch_id, new_id, references_shared
from longtable.notebooks.quota import outline, require
from longtable.notebooks.service import NotebookDependencies, written_cell
from longtable.storage.database import Transaction
from longtable.validation.model import ValidationResult


@dataclass(frozen=True, slots=True)
class Replacement:
    cell_id: str
    cell: NewCell
    new_index: int | None = None
    expected_version: int | None = None


class Cells:
    def __init__(self, dependencies: NotebookDependencies) -> None:
        self._dependencies = dependencies
        self._ledger = dependencies.ledger

    async def append(self, call: Call, scratch_id: str, cell: NewCell) -> ScratchpadChanged:
        check_scratch_id(scratch_id)
        cell_id = new_id()
        found = await self._examined(call, scratch_id, cell_id, cell)

        async def body(work: Work) -> ScratchpadChanged:
            work.concerns_tenant()
            pad = await require(work.tx, scratch_id)
            self._check_room(pad)
            written = written_cell(cell, cell_id, pad.cell_count)
            await cell_store.insert(work.tx, pad.pad, [written], work.now)
            await store.change_cell_tags(work.tx, pad.pad, (), written.tags)
            await store.count(work.tx, 0, 1)
            await indexing.add_cells(work.tx, [written])
            return await _changed(work, pad, written, "append", _placed(found, written.position), cells=1)

        return await self._ledger.write(call, ScratchpadChanged, body)

    async def replace(self, call: Call, scratch_id: str, wanted: Replacement) -> ScratchpadChanged:
        check_scratch_id(scratch_id)
        found = await self._examined(call, scratch_id, wanted.cell_id, wanted.cell)

        async def body(work: Work) -> ScratchpadChanged:
            work.concerns_tenant()
            pad = await require(work.tx, scratch_id)
            old = await _require_cell(work.tx, pad, wanted.cell_id)
            if wanted.expected_version not in (None, old.version):
                raise VersionConflict(
                    f"The cell is at version {old.version}.", current_version=old.version, cell_id=old.cell_id
                )
            position = old.position if wanted.new_index is None else _index(wanted.new_index, pad)
            new = written_cell(wanted.cell, old.cell_id, position, old.version + 1)
            await cell_store.replace(work.tx, new, work.now)
            if position != old.position:
                await cell_store.move(work.tx, pad.pad, old.cell_id, old.position, position)
            await store.change_cell_tags(work.tx, pad.pad, old.tags, new.tags)
            await indexing.remove_cell(work.tx, old)
            await indexing.add_cells(work.tx, [new])
            return await _changed(work, pad, new, "replace", _placed(found, position))

        return await self._ledger.write(call, ScratchpadChanged, body)

    async def move(self, call: Call, scratch_id: str, cell_id: str, new_index: int) -> ScratchpadChanged:
        check_scratch_id(scratch_id)

        async def body(work: Work) -> ScratchpadChanged:
            work.concerns_tenant()
            pad = await require(work.tx, scratch_id)
            cell = await _require_cell(work.tx, pad, cell_id)
            position = _index(new_index, pad)
            if position != cell.position:
                await cell_store.move(work.tx, pad.pad, cell_id, cell.position, position)
            return await _changed(work, pad, replace(cell, position=position), "move")

        return await self._ledger.write(call, ScratchpadChanged, body)

    async def delete(self, call: Call, scratch_id: str, cell_id: str) -> ScratchpadChanged:
        check_scratch_id(scratch_id)

        async def body(work: Work) -> ScratchpadChanged:
            work.concerns_tenant()
            pad = await require(work.tx, scratch_id)
            cell = await _require_cell(work.tx, pad, cell_id)
            await indexing.remove_cell(work.tx, cell)
            await cell_store.delete(work.tx, cell_id)
            await cell_store.shift(work.tx, pad.pad, cell.position + 1, pad.cell_count, -1)
            await store.change_cell_tags(work.tx, pad.pad, cell.tags, ())
            await store.count(work.tx, 0, -1)
            return await _changed(work, pad, cell, "delete", cells=-1)

        return await self._ledger.write(call, ScratchpadChanged, body)

    async def _examined(self, call: Call, scratch_id: str, cell_id: str, cell: NewCell) -> ValidationResult | None:
        """What can be refused or said before anything is written."""
        cell.check("cell", self._dependencies.limits.cell_bytes)
        if cell.json_schema is None and not cell.validate:
            return None
        await self._dependencies.checks.refuse_bad_cell_schemas({"cell": cell})
        if not cell.validate:
            return None
        shared = await self._ledger.read(call.caller, lambda tx: _shared(tx, scratch_id, cell))
        found = await self._dependencies.checks.advise(call.caller.tenant, [(0, cell_id, cell)], shared)
        return found.get(cell_id)

    def _check_room(self, pad: Scratchpad) -> None:
        limit = self._dependencies.limits.cells
        if limit and pad.cell_count >= limit:
            raise CapacityLimitReached(
                f"The scratchpad has {pad.cell_count} cells; at most {limit} are allowed.", limit=limit
            )


async def _shared(tx: Transaction, scratch_id: str, cell: NewCell) -> list[Schema]:
    pad = await require(tx, scratch_id)
    if not pad.schema_count or not references_shared(cell.json_schema):
        return []
    return await schema_store.all_of(tx, pad.pad)


async def _require_cell(tx: Transaction, pad: Scratchpad, cell_id: str) -> Cell:
    cell = await cell_store.find(tx, pad.pad, cell_id)
    if cell is None:
        raise NotFound(f"cell_id: there is no cell {cell_id[:100]!r} in this scratchpad.", cell_id=cell_id[:100])
    return cell


def _index(new_index: int, pad: Scratchpad) -> int:
    if not 0 <= new_index < pad.cell_count:
        raise InvalidIndex(
            f"new_index: must be from 0 to {pad.cell_count - 1}.", new_index=new_index, cell_count=pad.cell_count
        )
    return new_index


def _placed(found: ValidationResult | None, position: int) -> ValidationResult | None:
    """Where the cell lies is known only now."""
    return None if found is None else found.model_copy(update={"cell_index": position})


async def _changed(
    work: Work, pad: Scratchpad, cell: Cell, reason: str, found: ValidationResult | None = None, cells: int = 0
) -> ScratchpadChanged:
    await store.advance(work.tx, pad.pad, work.now, cells=cells)
    changed = replace(pad, version=pad.version + 1, cell_count=pad.cell_count + cells, updated_at=work.now)
    work.happened(events.changed(pad.scratch_id, cell.cell_id, reason))
    work.touched(f"scratchpad:{pad.scratch_id}", cell_id=cell.cell_id)
    validations = {} if found is None else {cell.cell_id: found}
    shown = await outline(work.tx, changed, cell.position, validations)
    return ScratchpadChanged(scratchpad=shown, validation=found)
