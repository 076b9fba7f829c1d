"""Decides about the schemas that the cells of a scratchpad share."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from longtable.identity.model import EVERYONE, WORKERS
from longtable.kernel.call import Call
from longtable.kernel.content import check_characters, check_json
from longtable.kernel.errors import (
    CapacityLimitReached,
    Conflict,
    InvalidArgument,
    InvalidId,
    NotFound,
    ValidationFailed,
)
from longtable.log.ledger import Work
from longtable.notebooks import events, schema_store, store
from longtable.notebooks.arguments import DeleteSchema, GetSchema, ListSchemas, UpsertSchema
from longtable.notebooks.dependencies import PAD_ROUTE, NotebookDependencies, notebook_tool
from longtable.notebooks.model import (
    MAX_DESCRIPTION,
    MAX_NAMESPACE,
    MAX_SCHEMA_BYTES,
    MAX_SCHEMAS,
    Schema,
    Scratchpad,
    check_scratch_id,
    check_storable,
    new_id,
)
from longtable.notebooks.results import (
    SchemaDeleted,
    SchemaList,
    SchemaRead,
    SchemaUpserted,
    UpsertedSchema,
    schema_view,
)
from longtable.notebooks.scratchpads import require
from longtable.storage.database import Transaction
from longtable.toolkit.tool import Route

_SCHEMAS_ROUTE = f"{PAD_ROUTE}/schemas"
_SCHEMA_ROUTE = f"{_SCHEMAS_ROUTE}/{{schema_id}}"


class Schemas:
    def __init__(self, dependencies: NotebookDependencies) -> None:
        self._dependencies = dependencies
        self._ledger = dependencies.ledger

    @notebook_tool(
        "scratch_list_schemas",
        title="List shared schemas",
        description="List a scratchpad's shared JSON Schemas.",
        roles=EVERYONE,
        audited_as="schemas_listed",
        routes=(Route("GET", _SCHEMAS_ROUTE),),
    )
    async def list(self, call: Call, arguments: ListSchemas) -> SchemaList:
        scratch_id = check_scratch_id(arguments.scratch_id)

        async def body(tx: Transaction) -> tuple[Scratchpad, Sequence[Schema]]:
            pad = await require(tx, scratch_id)
            return pad, await schema_store.all_of(tx, pad.pad)

        pad, schemas = await self._ledger.read(call.caller, body)
        self._dependencies.access.read(call.caller.tenant, pad.pad)
        return SchemaList(scratch_id=scratch_id, schemas=[schema_view(schema) for schema in schemas])

    @notebook_tool(
        "scratch_get_schema",
        title="Read a shared schema",
        description="Read one shared JSON Schema.",
        roles=EVERYONE,
        audited_as="schema_read",
        routes=(Route("GET", _SCHEMA_ROUTE),),
    )
    async def get(self, call: Call, arguments: GetSchema) -> SchemaRead:
        check_scratch_id(arguments.scratch_id)

        async def body(tx: Transaction) -> tuple[Scratchpad, Schema]:
            pad = await require(tx, arguments.scratch_id)
            return pad, await _require_schema(tx, pad, arguments.schema_id)

        pad, schema = await self._ledger.read(call.caller, body)
        self._dependencies.access.read(call.caller.tenant, pad.pad)
        return SchemaRead(schema_=schema_view(schema))

    @notebook_tool(
        "scratch_upsert_schema",
        title="Share a schema",
        description="Create or change a JSON Schema that cells refer to as scratchpad://schemas/<name>.",
        roles=WORKERS,
        audited_as="schema_upserted",
        writes=True,
        repeatable=True,
        routes=(Route("POST", _SCHEMAS_ROUTE, 201),),
    )
    async def upsert(self, call: Call, arguments: UpsertSchema) -> SchemaUpserted:
        """A schema that is known by its id keeps its name if none is sent."""
        scratch_id, new = arguments.scratch_id, arguments.schema_
        schema_id = None if new.id is None else _parse_id(new.id, "schema.id")
        check_scratch_id(scratch_id)
        _check(new.name or "", new.description, new.schema_, "schema")
        await self._dependencies.checks.refuse_bad_schemas({"schema.schema": new.schema_})

        async def body(work: Work) -> SchemaUpserted:
            work.concerns_tenant()
            pad = await require(work.tx, scratch_id)
            known = await _known(work.tx, pad, schema_id, new.name)
            old = known or _unnamed(schema_id or new_id(), work.now)
            schema = replace(old, name=new.name or old.name, description=new.description, document=new.schema_)
            await _refuse_taken(work.tx, pad, schema)
            if known is None:
                _check_room(pad)
                await schema_store.insert(work.tx, pad.pad, schema)
            else:
                await schema_store.update(work.tx, pad.pad, schema, work.now)
            await store.advance(work.tx, pad.pad, work.now, schemas=int(known is None))
            work.happened(events.changed(scratch_id, reason="schema"))
            work.touched(f"scratchpad:{scratch_id}", schema_id=schema.schema_id)
            # A model has just sent it; a program gets every field.
            document = schema.document if call.max_chars is None else None
            shown = UpsertedSchema(
                id=schema.schema_id, name=schema.name, description=schema.description, schema_=document
            )
            return SchemaUpserted(schema_=shown, created=known is None)

        return await self._ledger.write(call, SchemaUpserted, body)

    @notebook_tool(
        "scratch_delete_schema",
        title="Delete a shared schema",
        description="Delete a shared schema; cells that refer to it are told.",
        frees=True,
        roles=WORKERS,
        audited_as="schema_deleted",
        writes=True,
        destructive=True,
        repeatable=True,
        routes=(Route("DELETE", _SCHEMA_ROUTE),),
    )
    async def delete(self, call: Call, arguments: DeleteSchema) -> SchemaDeleted:
        scratch_id = check_scratch_id(arguments.scratch_id)

        async def body(work: Work) -> SchemaDeleted:
            work.concerns_tenant()
            pad = await require(work.tx, scratch_id)
            schema = await _find(work.tx, pad, arguments.schema_id)
            if schema is not None:
                await schema_store.delete(work.tx, pad.pad, schema.schema_id)
                await store.advance(work.tx, pad.pad, work.now, schemas=-1)
                work.happened(events.changed(scratch_id, reason="schema"))
            work.touched(f"scratchpad:{scratch_id}")
            return SchemaDeleted(deleted=schema is not None)

        return await self._ledger.write(call, SchemaDeleted, body)


def _unnamed(schema_id: str, now: int) -> Schema:
    """A new schema, called by its id until it gets a name."""
    return Schema(schema_id, schema_id, "", {}, now)


def parse_schemas(value: Any) -> list[Schema]:
    """`metadata.schemas`: by name a whole entry, a bare JSON Schema, or JSON text of one."""
    if value is None:
        return []
    if not isinstance(value, dict):
        raise InvalidArgument.at("metadata.schemas", "must be an object of schemas by their names")
    if len(value) > MAX_SCHEMAS:
        raise CapacityLimitReached(f"metadata.schemas: at most {MAX_SCHEMAS} schemas.", limit=MAX_SCHEMAS)
    schemas = [_parse_entry(name, entry) for name, entry in value.items()]
    ids = [schema.schema_id for schema in schemas]
    if len(ids) != len(set(ids)):
        raise Conflict("metadata.schemas: two schemas have the same id.")
    if any(schema.name in ids and schema.name != schema.schema_id for schema in schemas):
        raise Conflict("metadata.schemas: the id of one schema is the name of another.")
    return schemas


def _parse_entry(name: str, value: Any) -> Schema:
    field = f"metadata.schemas.{name}"
    if not name.strip():
        raise InvalidArgument.at("metadata.schemas", "must not have a schema without a name")
    is_entry = isinstance(value, dict) and isinstance(value.get("schema"), dict | str)
    entry = value if is_entry else {"schema": value}
    document = _parse_document(entry["schema"], field)
    description, schema_id = entry.get("description") or "", entry.get("id")
    if not isinstance(description, str) or not isinstance(schema_id, str | None):
        raise InvalidArgument.at(field, "must have texts as id and description")
    schema_id = new_id() if schema_id is None else _parse_id(schema_id, f"{field}.id")
    _check(name, description, document, field)
    return Schema(schema_id, name, description, document, created_at=0)


def _parse_document(value: Any, field: str) -> dict[str, Any]:
    document = _parse_json(value, field) if isinstance(value, str) else value
    if not isinstance(document, dict):
        raise ValidationFailed(f"{field}: must be a JSON Schema: an object, or JSON text of one.", field=field)
    return document


def _parse_json(text: str, field: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ValidationFailed(f"{field}: is not JSON.", field=field) from None


def _check(name: str, description: str, document: Mapping[str, Any], field: str) -> None:
    check_characters(f"{field}.name", check_storable(f"{field}.name", name), MAX_NAMESPACE)
    check_characters(f"{field}.description", check_storable(field, description), MAX_DESCRIPTION)
    check_json(f"{field}.schema", document, MAX_SCHEMA_BYTES)


def _parse_id(text: str, field: str) -> str:
    try:
        return str(uuid.UUID(text))
    except ValueError:
        raise InvalidId(f"{field}: must be a UUID.", field=field) from None


def _normal_key(text: str) -> str:
    """A UUID in any of its spellings becomes the one that is stored; a name stays as it is."""
    try:
        return str(uuid.UUID(text))
    except ValueError:
        return text


async def _find(tx: Transaction, pad: Scratchpad, key: str) -> Schema | None:
    return await schema_store.find(tx, pad.pad, key) or await schema_store.find(tx, pad.pad, _normal_key(key))


async def _require_schema(tx: Transaction, pad: Scratchpad, key: str) -> Schema:
    schema = await _find(tx, pad, key)
    if schema is None:
        raise NotFound("schema_id: there is no such schema in this scratchpad.", schema_id=key[:100])
    return schema


async def _known(tx: Transaction, pad: Scratchpad, schema_id: str | None, name: str | None) -> Schema | None:
    """By its id if there is one, else by its name."""
    found = await schema_store.find(tx, pad.pad, schema_id or name or "")
    if found is None:
        return None
    matches = found.schema_id == schema_id if schema_id else found.name == name
    return found if matches else None


async def _refuse_taken(tx: Transaction, pad: Scratchpad, schema: Schema) -> None:
    """A reference names a schema by its name or by its id, so no two schemas may share either."""
    if await schema_store.is_known_to_another(tx, pad.pad, schema.name, schema.schema_id):
        raise Conflict(f"schema.name: {schema.name!r} is the name or the id of another schema.", name=schema.name)
    if await schema_store.is_known_to_another(tx, pad.pad, schema.schema_id, schema.schema_id):
        raise Conflict("schema.id: is the name of another schema.", schema_id=schema.schema_id)


def _check_room(pad: Scratchpad) -> None:
    if pad.schema_count >= MAX_SCHEMAS:
        raise CapacityLimitReached(f"The scratchpad has {MAX_SCHEMAS} schemas, which is the limit.", limit=MAX_SCHEMAS)
