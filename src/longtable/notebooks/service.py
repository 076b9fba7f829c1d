"""Decides about scratchpads: how they are created, changed and deleted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from longtable.identity.model import WORKERS
from longtable.kernel.call import Call
from longtable.kernel.content import check_count
from longtable.kernel.errors import Conflict, InvalidArgument, VersionConflict
from longtable.log.ledger import Work
from longtable.notebooks import cell_store, events, indexing, namespace_store, schema_store, store
from longtable.notebooks.arguments import Create, Delete, Update
from longtable.notebooks.cells_shown import lightened
from longtable.notebooks.dependencies import PAD_ROUTE, NotebookDependencies, notebook_tool
from longtable.notebooks.model import Cell, Schema, Scratchpad, Traits, check_scratch_id, new_id, parse_traits
from longtable.notebooks.namespaces import enter_namespace, seed_namespaces
from longtable.notebooks.results import ScratchpadChanged, ScratchpadCreated, ScratchpadDeleted, ScratchpadOutline
from longtable.notebooks.schemas import parse_schemas
from longtable.notebooks.scratchpads import discard, log_evicted, make_room, outline, require
from longtable.toolkit.tool import Route

_scratchpad_tool = partial(notebook_tool, roles=WORKERS, writes=True)


@dataclass(frozen=True, slots=True)
class _CheckedScratchpad:
    """A new scratchpad after every check that needs no store."""

    scratch_id: str
    traits: Traits
    schemas: Sequence[Schema]
    cells: Sequence[Cell]


class Notebooks:
    def __init__(self, dependencies: NotebookDependencies) -> None:
        self._dependencies = dependencies
        self._ledger = dependencies.ledger

    @_scratchpad_tool(
        "scratch_create",
        title="Create a scratchpad",
        description="Create a scratchpad of typed cells, or reset the one with that id.",
        audited_as="scratchpad_created",
        destructive=True,
        routes=(Route("POST", "/scratchpads", 201),),
    )
    async def create(self, call: Call, arguments: Create) -> ScratchpadCreated:
        new = await self._checked(arguments)
        found = await self._dependencies.checks.check_new(call.caller.tenant, new.cells, new.schemas)
        read_at = self._dependencies.access.waiting(call.caller.tenant)

        async def body(work: Work) -> ScratchpadCreated:
            work.concerns_tenant()
            await seed_namespaces(work, self._dependencies.default_namespaces)
            old = await store.find(work.tx, new.scratch_id)
            if old is not None and arguments.on_exists == "fail":
                raise Conflict("scratch_id: there is such a scratchpad already.", scratch_id=new.scratch_id)
            evicted: list[str] = []
            if old is None:
                evicted = await make_room(work, self._dependencies.limits, read_at)
            else:
                await discard(work, old, "reset")
            pad = await _insert(work, new)
            work.happened(events.created(pad.scratch_id, "reset" if old else None))
            work.touched(f"scratchpad:{pad.scratch_id}", cells=pad.cell_count, evicted=len(evicted))
            shown = lightened(await outline(work.tx, pad, None, found), call.max_chars)
            return ScratchpadCreated(
                scratchpad=ScratchpadOutline.model_validate(shown),
                reset=old is not None,
                evicted_scratchpads=evicted or None,
                validation=list(found.values()) or None,
            )

        result = await self._ledger.write(call, ScratchpadCreated, body)
        if not result.replayed:
            log_evicted(call.caller.tenant, result.evicted_scratchpads or [], "discard")
        return result

    @_scratchpad_tool(
        "scratch_update",
        title="Describe a scratchpad",
        description="Change title, description, summary, tags, namespace or other metadata.",
        audited_as="scratchpad_updated",
        repeatable=True,
        routes=(Route("PUT", PAD_ROUTE),),
    )
    async def update(self, call: Call, arguments: Update) -> ScratchpadChanged:
        scratch_id, metadata, expected = arguments.scratch_id, arguments.metadata, arguments.expected_version
        if "schemas" in metadata:
            raise InvalidArgument.at("metadata.schemas", "is changed with scratch_upsert_schema")
        check_scratch_id(scratch_id)
        parse_traits(metadata)

        async def body(work: Work) -> ScratchpadChanged:
            work.concerns_tenant()
            pad = await require(work.tx, scratch_id)
            if expected not in (None, pad.version):
                raise VersionConflict(
                    f"The scratchpad is at version {pad.version}.", current_version=pad.version, scratch_id=scratch_id
                )
            traits = parse_traits(metadata, pad.traits)
            changed = replace(pad, traits=traits, version=pad.version + 1, updated_at=work.now)
            await _update_traits(work, pad, changed)
            work.happened(events.changed(scratch_id, reason="update"))
            work.touched(f"scratchpad:{scratch_id}")
            return ScratchpadChanged.of_json(scratchpad=lightened(await outline(work.tx, changed), call.max_chars))

        return await self._ledger.write(call, ScratchpadChanged, body)

    @_scratchpad_tool(
        "scratch_delete",
        title="Delete a scratchpad",
        description="Delete a scratchpad; people can restore it for a while.",
        frees=True,
        audited_as="scratchpad_deleted",
        destructive=True,
        repeatable=True,
        routes=(Route("DELETE", PAD_ROUTE),),
    )
    async def delete(self, call: Call, arguments: Delete) -> ScratchpadDeleted:
        scratch_id = check_scratch_id(arguments.scratch_id)

        async def body(work: Work) -> ScratchpadDeleted:
            work.concerns_tenant()
            pad = await store.find(work.tx, scratch_id)
            if pad is not None:
                await discard(work, pad, "deleted")
                work.happened(events.deleted(scratch_id))
            work.touched(f"scratchpad:{scratch_id}")
            return ScratchpadDeleted(scratch_id=scratch_id, deleted=pad is not None)

        return await self._ledger.write(call, ScratchpadDeleted, body)

    async def _checked(self, arguments: Create) -> _CheckedScratchpad:
        metadata = arguments.metadata or {}
        # Schemas have their ids before the checks run: results say which schema was applied.
        schemas = parse_schemas(metadata.get("schemas"))
        scratch_id = new_id() if arguments.scratch_id is None else check_scratch_id(arguments.scratch_id)
        limits, checks = self._dependencies.limits, self._dependencies.checks
        if limits.cells:
            check_count("cells", arguments.cells or (), limits.cells)
        cells = [cell.cell(new_id(), position) for position, cell in enumerate(arguments.cells or ())]
        for cell in cells:
            cell.check(f"cells.{cell.position}", limits.cell_bytes)
        await checks.refuse_bad_schemas({f"metadata.schemas.{schema.name}": schema.document for schema in schemas})
        await checks.refuse_bad_cell_schemas({f"cells.{cell.position}": cell for cell in cells})
        return _CheckedScratchpad(scratch_id, parse_traits(metadata), schemas, cells)


async def _insert(work: Work, new: _CheckedScratchpad) -> Scratchpad:
    pad = Scratchpad(
        pad=await store.next_pad(work.tx),
        scratch_id=new.scratch_id,
        traits=new.traits,
        version=1,
        cell_count=len(new.cells),
        schema_count=len(new.schemas),
        created_at=work.now,
        updated_at=work.now,
    )
    await store.insert(work.tx, pad)
    await store.count(work.tx, 1, pad.cell_count)
    await enter_namespace(work, new.traits.namespace)
    for schema in new.schemas:
        await schema_store.insert(work.tx, pad.pad, replace(schema, created_at=work.now))
    await cell_store.insert(work.tx, pad.pad, new.cells, work.now)
    await store.change_cell_tags(work.tx, pad.pad, (), [tag for cell in new.cells for tag in cell.tags])
    await indexing.add_traits(work.tx, pad)
    await indexing.add_cells(work.tx, pad.pad, new.cells)
    return pad


async def _update_traits(work: Work, old: Scratchpad, new: Scratchpad) -> None:
    await store.update(work.tx, new)
    if old.traits.tags != new.traits.tags:
        await store.set_own_tags(work.tx, new.pad, new.traits.tags)
    if old.traits.namespace != new.traits.namespace:
        await namespace_store.count(work.tx, old.traits.namespace, -1, work.now)
        await enter_namespace(work, new.traits.namespace)
    if indexing.text_of(old.traits) != indexing.text_of(new.traits):
        await indexing.remove_traits(work.tx, old)
        await indexing.add_traits(work.tx, new)
