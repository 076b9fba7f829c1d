"""Decides about scratchpads: how one comes to be, what is shown of it, and how it goes."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from longtable.kernel.call import Call
from longtable.kernel.content import check_count
from longtable.kernel.errors import CapacityLimitReached, Conflict, InvalidId, InvalidIndex, VersionConflict
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.log.ledger import Ledger, Work
from longtable.notebooks import cell_store, events, indexing, namespace_store, schema_store, store
from longtable.notebooks.access import Access
from longtable.notebooks.answers import (
    CellList,
    FullScratchpad,
    ListedScratchpad,
    ScratchpadChanged,
    ScratchpadCreated,
    ScratchpadDeleted,
    ScratchpadList,
    ScratchpadRead,
    TagList,
    Validated,
    full_cell,
    listed_cell,
    scratchpad_fields,
)
from longtable.notebooks.cell_store import CellFilter
from longtable.notebooks.checking import Checks
from longtable.notebooks.model import (
    MAX_FILTERS,
    Cell,
    NewCell,
    NewSchema,
    NotebookLimits,
    Schema,
    Scratchpad,
    Tags,
    Traits,
    check_cursor,
    check_scratch_id,
    new_id,
    parse_traits,
    preview_of,
)
from longtable.notebooks.namespaces import enter_namespace, seed_namespaces
from longtable.notebooks.quota import ScratchpadQuota, discard, make_room, outline, require, tell_evicted
from longtable.notebooks.store import PadFilter
from longtable.storage.database import Transaction

MAX_CELL_IDS = 10_000
_BOUND = 500
"""So many ids are looked up; beyond that it is faster to read all cells and choose."""


@dataclass(frozen=True, slots=True)
class NewScratchpad:
    scratch_id: str | None
    metadata: Mapping[str, Any]
    schemas: Sequence[NewSchema] = ()
    cells: Sequence[NewCell] = ()
    reset_existing: bool = True


@dataclass(frozen=True, slots=True)
class CellChoice:
    """Which cells of a scratchpad: by id, by tag, by position, and only if it lies in one of the namespaces."""

    cell_ids: Tags | None = None
    tags: Tags = ()
    namespaces: Tags = ()
    indices: tuple[int, ...] | None = None
    first: int = 0
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class NotebookDependencies:
    """What the services of this slice share."""

    ledger: Ledger
    access: Access
    checks: Checks
    limits: NotebookLimits
    room: ScratchpadQuota
    default_namespaces: Tags = ()


@dataclass(frozen=True, slots=True)
class _CreatePlan:
    """A scratchpad about to be written, and all that was found out before."""

    scratch_id: str
    traits: Traits
    schemas: Sequence[NewSchema]
    cells: list[tuple[int, str, NewCell]] = field(default_factory=list)


class Notebooks:
    def __init__(self, dependencies: NotebookDependencies) -> None:
        self._dependencies = dependencies
        self._ledger = dependencies.ledger
        self._access = dependencies.access

    async def create(self, call: Call, new: NewScratchpad) -> ScratchpadCreated:
        plan = await self._planned(new)
        found = await self._dependencies.checks.advise(call.caller.tenant, plan.cells, plan.schemas)
        read_at = self._access.waiting(call.caller.tenant)

        async def body(work: Work) -> ScratchpadCreated:
            work.concerns_tenant()
            await seed_namespaces(work, self._dependencies.default_namespaces)
            old = await store.find(work.tx, plan.scratch_id)
            if old is not None and not new.reset_existing:
                raise Conflict("scratch_id: there is such a scratchpad already.", scratch_id=plan.scratch_id)
            evicted: list[str] = []
            if old is None:
                evicted = await make_room(work, self._dependencies.room, read_at)
            else:
                await discard(work, old, "reset")
            pad = await _write(work, plan)
            work.happened(events.created(pad.scratch_id, "reset" if old else None))
            work.touched(f"scratchpad:{pad.scratch_id}", cells=pad.cell_count, evicted=len(evicted))
            return ScratchpadCreated(
                scratchpad=await outline(work.tx, pad, None, found),
                reset=old is not None,
                evicted_scratchpads=evicted or None,
                validation=list(found.values()) or None,
            )

        result = await self._ledger.write(call, ScratchpadCreated, body)
        if not result.replayed:
            tell_evicted(call.caller.tenant, result.evicted_scratchpads or [], "discard")
        return result

    async def read(self, call: Call, scratch_id: str, choice: CellChoice, with_metadata: bool) -> ScratchpadRead:
        check_scratch_id(scratch_id)

        async def body(tx: Transaction) -> tuple[Scratchpad, FullScratchpad]:
            pad = await _require_inside(tx, scratch_id, choice.namespaces)
            cells = await chosen_cells(tx, pad, choice)
            schemas = await schema_store.all_of(tx, pad.pad) if pad.schema_count and with_metadata else []
            fields = scratchpad_fields(pad, await store.cell_tags(tx, pad.pad), schemas)
            if not with_metadata:
                fields["metadata"] = None
            return pad, FullScratchpad.unchecked(**fields, cells=[full_cell(cell) for cell in cells])

        pad, shown = await self._ledger.read(call.caller, body)
        self._access.read(call.caller.tenant, pad.pad)
        result = ScratchpadRead(scratchpad=shown)
        result.observed(f"scratchpad:{scratch_id}")
        return result

    async def update(
        self, call: Call, scratch_id: str, metadata: Mapping[str, Any], expected_version: int | None
    ) -> ScratchpadChanged:
        check_scratch_id(scratch_id)
        parse_traits(metadata)

        async def body(work: Work) -> ScratchpadChanged:
            work.concerns_tenant()
            pad = await require(work.tx, scratch_id)
            if expected_version is not None and expected_version != pad.version:
                raise VersionConflict(
                    f"The scratchpad is at version {pad.version}.", current_version=pad.version, scratch_id=scratch_id
                )
            changed = replace(
                pad, traits=parse_traits(metadata, pad.traits), version=pad.version + 1, updated_at=work.now
            )
            await _retrait(work, pad, changed)
            work.happened(events.changed(scratch_id, reason="update"))
            work.touched(f"scratchpad:{scratch_id}")
            return ScratchpadChanged(scratchpad=await outline(work.tx, changed))

        return await self._ledger.write(call, ScratchpadChanged, body)

    async def delete(self, call: Call, scratch_id: str) -> ScratchpadDeleted:
        check_scratch_id(scratch_id)

        async def body(work: Work) -> ScratchpadDeleted:
            work.concerns_tenant()
            pad = await store.find(work.tx, scratch_id)
            if pad is not None:
                await discard(work, pad, "deleted")
                work.happened(events.deleted(scratch_id))
            work.touched(f"scratchpad:{scratch_id}")
            return ScratchpadDeleted(scratch_id=scratch_id, deleted=pad is not None)

        return await self._ledger.write(call, ScratchpadDeleted, body)

    async def list(self, call: Call, wanted: PadFilter, cursor: str | None) -> ScratchpadList:
        check_count("namespaces", wanted.namespaces, MAX_FILTERS)
        check_count("tags", wanted.tags, MAX_FILTERS)
        after = check_cursor(decode_cursor(cursor, str)[0]) if cursor else ""
        page = replace(wanted, after=after, limit=wanted.limit + 1)
        rows = await self._ledger.read(call.caller, lambda tx: store.page(tx, page))
        shown = rows[: wanted.limit]
        return ScratchpadList(
            scratchpads=[ListedScratchpad.unchecked(**row) for row in shown],
            next_cursor=encode_cursor(shown[-1]["scratch_id"]) if len(rows) > len(shown) else None,
        )

    async def list_cells(self, call: Call, scratch_id: str, choice: CellChoice, cursor: str | None) -> CellList:
        check_scratch_id(scratch_id)
        first = decode_cursor(cursor, int)[0] if cursor else 0

        async def body(tx: Transaction) -> tuple[Scratchpad, list[Cell]]:
            pad = await _require_inside(tx, scratch_id, choice.namespaces)
            return pad, await chosen_outlines(tx, pad, replace(choice, first=first, limit=None))

        pad, cells = await self._ledger.read(call.caller, body)
        self._access.read(call.caller.tenant, pad.pad)
        shown = cells if choice.limit is None else cells[: choice.limit]
        result = CellList(
            scratch_id=scratch_id,
            cells=[listed_cell(cell) for cell in shown],
            next_cursor=encode_cursor(shown[-1].position + 1) if len(cells) > len(shown) else None,
        )
        result.observed(f"scratchpad:{scratch_id}")
        return result

    async def list_tags(self, call: Call, namespaces: Tags) -> TagList:
        check_count("namespaces", namespaces, MAX_FILTERS)

        async def body(tx: Transaction) -> TagList:
            return TagList(
                scratchpad_tags=await store.all_tags(tx, "pad", namespaces),
                cell_tags=await store.all_tags(tx, "cell", namespaces),
            )

        return await self._ledger.read(call.caller, body)

    async def validate(self, call: Call, scratch_id: str, choice: CellChoice) -> Validated:
        check_scratch_id(scratch_id)

        async def body(tx: Transaction) -> tuple[Scratchpad, list[Cell], list[Schema]]:
            pad = await require(tx, scratch_id)
            schemas = await schema_store.all_of(tx, pad.pad) if pad.schema_count else []
            return pad, await chosen_cells(tx, pad, choice), schemas

        pad, cells, schemas = await self._ledger.read(call.caller, body)
        self._access.read(call.caller.tenant, pad.pad)
        results = await self._dependencies.checks.verdicts(call.caller.tenant, cells, schemas)
        result = Validated(scratch_id=scratch_id, results=results)
        result.observed(f"scratchpad:{scratch_id}")
        return result

    async def _planned(self, new: NewScratchpad) -> _CreatePlan:
        """Everything that can be refused without looking at the store."""
        scratch_id = new_id() if new.scratch_id is None else check_scratch_id(new.scratch_id)
        limits = self._dependencies.limits
        if limits.cells:
            check_count("cells", new.cells, limits.cells)
        for position, cell in enumerate(new.cells):
            cell.check(f"cells.{position}", limits.cell_bytes)
        checks = self._dependencies.checks
        await checks.refuse_bad_schemas({f"metadata.schemas.{schema.name}": schema.document for schema in new.schemas})
        await checks.refuse_bad_cell_schemas({f"cells.{position}": cell for position, cell in enumerate(new.cells)})
        cells = [(position, new_id(), cell) for position, cell in enumerate(new.cells)]
        # Named before the checks run: their results say which schema was applied.
        schemas = [replace(schema, schema_id=schema.schema_id or new_id()) for schema in new.schemas]
        return _CreatePlan(scratch_id, parse_traits(new.metadata), schemas, cells)


async def chosen_outlines(tx: Transaction, pad: Scratchpad, choice: CellChoice) -> list[Cell]:
    """Raises InvalidId for a cell that is not there, InvalidIndex for a position that is none."""
    asked = choice.cell_ids
    if asked is not None and len(asked) > MAX_CELL_IDS:
        raise CapacityLimitReached(f"cell_ids: at most {MAX_CELL_IDS} at once.", limit=MAX_CELL_IDS)
    if not asked:
        asked = None
    cells = await _among(tx, pad, asked, cell_store.outlines)
    known = {cell.cell_id for cell in cells}
    unknown = next((cell_id for cell_id in asked or () if cell_id not in known), None)
    if unknown is not None:
        raise InvalidId(f"cell_ids: there is no cell {unknown[:100]!r} in this scratchpad.", cell_id=unknown[:100])
    if choice.indices is not None:
        cells = _at(cells, choice.indices, pad.cell_count)
    wanted = set(choice.tags)
    return [cell for cell in cells if cell.position >= choice.first and (not wanted or wanted & set(cell.tags))]


async def chosen_cells(tx: Transaction, pad: Scratchpad, choice: CellChoice) -> list[Cell]:
    """With their texts."""
    if not choice.cell_ids and not choice.tags and choice.indices is None:
        return await cell_store.full(tx, pad.pad, CellFilter())
    chosen = await chosen_outlines(tx, pad, choice)
    return await _among(tx, pad, tuple(cell.cell_id for cell in chosen), cell_store.full) if chosen else []


async def _among(
    tx: Transaction,
    pad: Scratchpad,
    cell_ids: Tags | None,
    cells_of: Callable[[Transaction, int, CellFilter], Awaitable[list[Cell]]],
) -> list[Cell]:
    if cell_ids is None or len(cell_ids) <= _BOUND:
        return await cells_of(tx, pad.pad, CellFilter(cell_ids))
    wanted = set(cell_ids)
    return [cell for cell in await cells_of(tx, pad.pad, CellFilter()) if cell.cell_id in wanted]


def _at(cells: list[Cell], indices: tuple[int, ...], count: int) -> list[Cell]:
    for index in indices:
        if not 0 <= index < count:
            raise InvalidIndex(f"indices: {index} is not between 0 and {count - 1}.", index=index, cell_count=count)
    return [cell for cell in cells if cell.position in indices]


async def _require_inside(tx: Transaction, scratch_id: str, namespaces: Tags) -> Scratchpad:
    """With namespaces, one answer for a scratchpad that lies elsewhere and for one that does not exist."""
    if not namespaces:
        return await require(tx, scratch_id)
    pad = await store.find(tx, scratch_id)
    if pad is None or pad.traits.namespace not in namespaces:
        raise Conflict("namespaces: the scratchpad is in none of these.")
    return pad


async def _write(work: Work, plan: _CreatePlan) -> Scratchpad:
    pad = Scratchpad(
        pad=await store.next_pad(work.tx),
        scratch_id=plan.scratch_id,
        traits=plan.traits,
        version=1,
        cell_count=len(plan.cells),
        schema_count=len(plan.schemas),
        created_at=work.now,
        updated_at=work.now,
    )
    await store.insert(work.tx, pad)
    await store.count(work.tx, 1, pad.cell_count)
    await enter_namespace(work, plan.traits.namespace)
    for schema in plan.schemas:
        schema_id, name = schema.schema_id or new_id(), schema.name or ""
        await schema_store.insert(
            work.tx, pad.pad, Schema(schema_id, name, schema.description, schema.document, work.now)
        )
    cells = [written_cell(cell, cell_id, position) for position, cell_id, cell in plan.cells]
    await cell_store.insert(work.tx, pad.pad, cells, work.now)
    await store.change_cell_tags(work.tx, pad.pad, (), [tag for cell in cells for tag in cell.tags])
    await indexing.add_traits(work.tx, pad)
    await indexing.add_cells(work.tx, cells)
    return pad


async def _retrait(work: Work, old: Scratchpad, new: Scratchpad) -> None:
    await store.update(work.tx, new)
    if old.traits.tags != new.traits.tags:
        await store.set_own_tags(work.tx, new.pad, new.traits.tags)
    if old.traits.namespace != new.traits.namespace:
        await namespace_store.count(work.tx, old.traits.namespace, -1, work.now)
        await enter_namespace(work, new.traits.namespace)
    if indexing.words(old.traits) != indexing.words(new.traits):
        await indexing.remove_traits(work.tx, old)
        await indexing.add_traits(work.tx, new)


def written_cell(cell: NewCell, cell_id: str, position: int, version: int = 1) -> Cell:
    return Cell(
        cell_id=cell_id,
        position=position,
        language=cell.language,
        tags=cell.tags,
        metadata=cell.metadata,
        validate=cell.validate,
        version=version,
        preview=preview_of(cell.content),
        content=cell.content,
        json_schema=cell.json_schema,
    )
