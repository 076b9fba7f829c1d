"""The tools for shared schemas: their arguments, their words for the model, their routes."""

import json
from functools import partial
from typing import Any

from pydantic import Field

from longtable.identity.model import EVERYONE, WORKERS
from longtable.kernel.call import Call
from longtable.kernel.content import Text
from longtable.kernel.errors import CapacityLimitReached, Conflict, InvalidArgument, ValidationFailed
from longtable.notebooks.answers import SchemaDeleted, SchemaList, SchemaRead, SchemaUpserted
from longtable.notebooks.arguments import Namespace, ScratchId
from longtable.notebooks.model import MAX_SCHEMAS, NewSchema
from longtable.notebooks.schemas import Schemas, check_schema, schema_id_of
from longtable.toolkit.tool import MAX_ITEMS, Arguments, Route, Scope, Tool, WriteArguments

_ALL = "/scratchpads/{scratch_id}/schemas"
_ONE = f"{_ALL}/{{schema_id}}"


class SchemaInput(Arguments):
    id: Text | None = Field(default=None, description="UUID of the schema to change, or for a new one.")
    name: Namespace | None = Field(default=None, description="What references call it: scratchpad://schemas/<name>.")
    description: Text = Field(description="What it is for.")
    schema_: dict[str, Any] = Field(alias="schema", max_length=MAX_ITEMS, description="The JSON Schema.")


class ListSchemas(Arguments):
    scratch_id: ScratchId


class OneSchema(Arguments):
    scratch_id: ScratchId
    schema_id: Text = Field(description="UUID or name of the schema.")


class UpsertSchema(WriteArguments):
    scratch_id: ScratchId
    schema_: SchemaInput = Field(alias="schema", description="The schema; by its id, else by its name.")


class DeleteSchema(WriteArguments):
    scratch_id: ScratchId
    schema_id: Text = Field(description="UUID or name of the schema.")


class SchemaTools:
    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas

    async def list(self, call: Call, arguments: ListSchemas) -> SchemaList:
        return await self._schemas.list(call, arguments.scratch_id)

    async def get(self, call: Call, arguments: OneSchema) -> SchemaRead:
        return await self._schemas.get(call, arguments.scratch_id, arguments.schema_id)

    async def upsert(self, call: Call, arguments: UpsertSchema) -> SchemaUpserted:
        given = arguments.schema_
        schema_id = None if given.id is None else schema_id_of(given.id, "schema.id")
        new = NewSchema(given.schema_, given.description, given.name, schema_id)
        return await self._schemas.upsert(call, arguments.scratch_id, new)

    async def delete(self, call: Call, arguments: DeleteSchema) -> SchemaDeleted:
        return await self._schemas.delete(call, arguments.scratch_id, arguments.schema_id)


def schema_tools(tools: SchemaTools) -> list[Tool[Any]]:
    tool: Any = partial(Tool, group="notebooks", scope=Scope.TENANT)
    return [*_reading(tool, tools), *_writing(tool, tools)]


def _reading(tool: Any, tools: SchemaTools) -> list[Tool[Any]]:
    return [
        tool(
            name="scratch_list_schemas",
            title="List shared schemas",
            description="List the JSON Schemas that the cells of a scratchpad share, oldest first.",
            arguments=ListSchemas,
            result=SchemaList,
            run=tools.list,
            roles=EVERYONE,
            audited_as="schemas_listed",
            routes=(Route("GET", _ALL),),
        ),
        tool(
            name="scratch_get_schema",
            title="Read a shared schema",
            description="Read one shared JSON Schema of a scratchpad by its id or name.",
            arguments=OneSchema,
            result=SchemaRead,
            run=tools.get,
            roles=EVERYONE,
            audited_as="schema_read",
            routes=(Route("GET", _ONE),),
        ),
    ]


def _writing(tool: Any, tools: SchemaTools) -> list[Tool[Any]]:
    return [
        tool(
            name="scratch_upsert_schema",
            title="Share a schema",
            description="Create or change a JSON Schema that cells can refer to as scratchpad://schemas/<name>.",
            arguments=UpsertSchema,
            result=SchemaUpserted,
            run=tools.upsert,
            roles=WORKERS,
            audited_as="schema_upserted",
            writes=True,
            repeatable=True,
            routes=(Route("POST", _ALL),),
        ),
        tool(
            name="scratch_delete_schema",
            title="Delete a shared schema",
            description="Take a shared schema away; cells that refer to it are told that it is missing.",
            arguments=DeleteSchema,
            result=SchemaDeleted,
            run=tools.delete,
            frees=True,
            roles=WORKERS,
            audited_as="schema_deleted",
            writes=True,
            destructive=True,
            repeatable=True,
            routes=(Route("DELETE", _ONE),),
        ),
    ]


def parse_schemas(given: Any) -> list[NewSchema]:
    """`metadata.schemas`: by name a whole entry, a bare JSON Schema, or JSON text of one."""
    if given is None:
        return []
    if not isinstance(given, dict):
        raise InvalidArgument.at("metadata.schemas", "must be an object of schemas by their names")
    if len(given) > MAX_SCHEMAS:
        raise CapacityLimitReached(f"metadata.schemas: at most {MAX_SCHEMAS} schemas.", limit=MAX_SCHEMAS)
    schemas = [_entry(name, value) for name, value in given.items()]
    ids = [schema.schema_id for schema in schemas if schema.schema_id]
    if len(ids) != len(set(ids)):
        raise Conflict("metadata.schemas: two schemas have the same id.")
    if any(schema.name in ids and schema.name != schema.schema_id for schema in schemas):
        raise Conflict("metadata.schemas: the id of one schema is the name of another.")
    return schemas


def _entry(name: str, value: Any) -> NewSchema:
    field = f"metadata.schemas.{name}"
    if not name.strip():
        raise InvalidArgument.at("metadata.schemas", "must not have a schema without a name")
    whole = isinstance(value, dict) and isinstance(value.get("schema"), dict | str)
    document = value["schema"] if whole else value
    if isinstance(document, str):
        document = _parsed(document, field)
    if not isinstance(document, dict):
        raise ValidationFailed(f"{field}: must be a JSON Schema: an object, or JSON text of one.", field=field)
    description, schema_id = (value.get("description") or "", value.get("id")) if whole else ("", None)
    if not isinstance(description, str) or not isinstance(schema_id, str | None):
        raise InvalidArgument.at(field, "must have texts as id and description")
    schema_id = None if schema_id is None else schema_id_of(schema_id, f"{field}.id")
    schema = NewSchema(document, description, name, schema_id)
    check_schema(schema, field)
    return schema


def _parsed(text: str, field: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ValidationFailed(f"{field}: is not JSON.", field=field) from None
