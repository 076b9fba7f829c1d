"""Decides about the schemas that the cells of a scratchpad share."""

import uuid
from dataclasses import replace

from longtable.kernel.call import Call
from longtable.kernel.content import check_characters, check_json
from longtable.kernel.errors import CapacityLimitReached, Conflict, InvalidId, NotFound
from longtable.log.ledger import Work
from longtable.notebooks import events, schema_store, store
from longtable.notebooks.answers import SchemaDeleted, SchemaList, SchemaRead, SchemaUpserted, schema_view
from longtable.notebooks.model import (
    MAX_DESCRIPTION,
    MAX_NAMESPACE,
    MAX_SCHEMA_BYTES,
    MAX_SCHEMAS,
    NewSchema,
    Schema,
    Scratchpad,
    check_scratch_id,
    check_storable,
    new_id,
)
from longtable.notebooks.quota import require
from longtable.notebooks.service import NotebookDependencies
from longtable.storage.database import Transaction


class Schemas:
    def __init__(self, dependencies: NotebookDependencies) -> None:
        self._dependencies = dependencies
        self._ledger = dependencies.ledger

    async def list(self, call: Call, scratch_id: str) -> SchemaList:
        check_scratch_id(scratch_id)

        async def body(tx: Transaction) -> tuple[Scratchpad, list[Schema]]:
            pad = await require(tx, scratch_id)
            return pad, await schema_store.all_of(tx, pad.pad)

        pad, schemas = await self._ledger.read(call.caller, body)
        self._dependencies.access.read(call.caller.tenant, pad.pad)
        return SchemaList(scratch_id=scratch_id, schemas=[schema_view(schema) for schema in schemas])

    async def get(self, call: Call, scratch_id: str, key: str) -> SchemaRead:
        check_scratch_id(scratch_id)

        async def body(tx: Transaction) -> tuple[Scratchpad, Schema]:
            pad = await require(tx, scratch_id)
            return pad, await _require_schema(tx, pad, key)

        pad, schema = await self._ledger.read(call.caller, body)
        self._dependencies.access.read(call.caller.tenant, pad.pad)
        return SchemaRead(schema_=schema_view(schema))

    async def upsert(self, call: Call, scratch_id: str, new: NewSchema) -> SchemaUpserted:
        """By its id if there is one, else by its name; both stay when only one is given."""
        check_scratch_id(scratch_id)
        check_schema(new, "schema")
        await self._dependencies.checks.refuse_bad_schemas({"schema.schema": new.document})

        async def body(work: Work) -> SchemaUpserted:
            work.concerns_tenant()
            pad = await require(work.tx, scratch_id)
            known = await _known(work.tx, pad, new)
            schema = _laid_over(known, new, work.now)
            await _refuse_taken(work.tx, pad, schema)
            if known is None:
                _check_room(pad)
                await schema_store.insert(work.tx, pad.pad, schema)
            else:
                await schema_store.update(work.tx, pad.pad, schema, work.now)
            await store.advance(work.tx, pad.pad, work.now, schemas=int(known is None))
            work.happened(events.changed(scratch_id, reason="schema"))
            work.touched(f"scratchpad:{scratch_id}", schema_id=schema.schema_id)
            return SchemaUpserted(schema_=schema_view(schema), created=known is None)

        return await self._ledger.write(call, SchemaUpserted, body)

    async def delete(self, call: Call, scratch_id: str, key: str) -> SchemaDeleted:
        check_scratch_id(scratch_id)

        async def body(work: Work) -> SchemaDeleted:
            work.concerns_tenant()
            pad = await require(work.tx, scratch_id)
            schema = await _find(work.tx, pad, key)
            if schema is not None:
                await schema_store.delete(work.tx, pad.pad, schema.schema_id)
                await store.advance(work.tx, pad.pad, work.now, schemas=-1)
                work.happened(events.changed(scratch_id, reason="schema"))
            work.touched(f"scratchpad:{scratch_id}")
            return SchemaDeleted(deleted=schema is not None)

        return await self._ledger.write(call, SchemaDeleted, body)


def check_schema(new: NewSchema, field: str) -> None:
    check_characters(f"{field}.name", check_storable(f"{field}.name", new.name or ""), MAX_NAMESPACE)
    check_characters(f"{field}.description", check_storable(field, new.description), MAX_DESCRIPTION)
    check_json(f"{field}.schema", new.document, MAX_SCHEMA_BYTES)


def schema_key(text: str) -> str:
    """A UUID in any of its spellings becomes the one that we keep; a name stays as it is."""
    try:
        return str(uuid.UUID(text))
    except ValueError:
        return text


def schema_id_of(text: str, field: str) -> str:
    try:
        return str(uuid.UUID(text))
    except ValueError:
        raise InvalidId(f"{field}: must be a UUID.", field=field) from None


async def _find(tx: Transaction, pad: Scratchpad, key: str) -> Schema | None:
    return await schema_store.find(tx, pad.pad, key) or await schema_store.find(tx, pad.pad, schema_key(key))


async def _require_schema(tx: Transaction, pad: Scratchpad, key: str) -> Schema:
    schema = await _find(tx, pad, key)
    if schema is None:
        raise NotFound("schema_id: there is no such schema in this scratchpad.", schema_id=key[:100])
    return schema


async def _known(tx: Transaction, pad: Scratchpad, new: NewSchema) -> Schema | None:
    found = await schema_store.find(tx, pad.pad, new.schema_id or new.name or "")
    if found is None:
        return None
    meant = found.schema_id == new.schema_id if new.schema_id else found.name == new.name
    return found if meant else None


def _laid_over(known: Schema | None, new: NewSchema, now: int) -> Schema:
    if known is not None:
        return replace(known, name=new.name or known.name, description=new.description, document=new.document)
    schema_id = new.schema_id or new_id()
    return Schema(schema_id, new.name or schema_id, new.description, new.document, now)


async def _refuse_taken(tx: Transaction, pad: Scratchpad, schema: Schema) -> None:
    """A reference names a schema by its name or by its id: what is either for one is neither for another."""
    if await schema_store.is_known_to_another(tx, pad.pad, schema.name, schema.schema_id):
        raise Conflict(f"schema.name: {schema.name!r} is the name or the id of another schema.", name=schema.name)
    if await schema_store.is_known_to_another(tx, pad.pad, schema.schema_id, schema.schema_id):
        raise Conflict("schema.id: is the name of another schema.", schema_id=schema.schema_id)


def _check_room(pad: Scratchpad) -> None:
    if pad.schema_count >= MAX_SCHEMAS:
        raise CapacityLimitReached(f"The scratchpad has {MAX_SCHEMAS} schemas, which is the limit.", limit=MAX_SCHEMAS)
