"""The scratchpad tools: their arguments, their words for the model, their routes."""

from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field

from longtable.identity.model import EVERYONE, WORKERS
from longtable.kernel.call import Call
from longtable.kernel.content import Text
from longtable.kernel.errors import InvalidArgument
from longtable.notebooks.answers import (
    CellList,
    ScratchpadChanged,
    ScratchpadCreated,
    ScratchpadDeleted,
    ScratchpadList,
    ScratchpadRead,
    TagList,
    Validated,
)
from longtable.notebooks.arguments import (
    NAMESPACES,
    TAGS,
    CellInput,
    Namespace,
    ScratchId,
    Tag,
    Version,
    once,
)
from longtable.notebooks.schema_tools import parse_schemas
from longtable.notebooks.service import MAX_CELL_IDS, CellChoice, NewScratchpad, Notebooks
from longtable.notebooks.store import PadFilter
from longtable.toolkit.tool import MAX_ITEMS, Arguments, Route, Scope, Tool, WriteArguments

ONE = "/scratchpads/{scratch_id}"


class Create(WriteArguments):
    scratch_id: str | None = Field(default=None, description="Its id; a UUID is made when you give none.")
    metadata: dict[str, Any] | None = Field(
        default=None,
        max_length=MAX_ITEMS,
        description="title, description, summary, namespace, tags, schemas (name to JSON Schema), pinned; "
        "anything else is kept as it is. Reuse namespaces: scratch_namespace_list shows them.",
    )
    cells: list[CellInput] | None = Field(default=None, max_length=MAX_CELL_IDS, description="First cells, in order.")
    on_exists: Literal["reset", "fail"] = Field(default="reset", description="What to do if the id is in use.")


class Read(Arguments):
    scratch_id: ScratchId
    cell_ids: list[Text] | None = Field(default=None, max_length=MAX_CELL_IDS, description="Only these cells.")
    tags: list[Tag] | None = Field(
        default=None, max_length=MAX_ITEMS, description="Only cells that have any of these tags."
    )
    include_metadata: bool = Field(default=True, description="False leaves out metadata.")
    namespaces: list[Namespace] | None = Field(
        default=None, max_length=MAX_ITEMS, description="Refuse if it is in none of these."
    )


class Update(WriteArguments):
    scratch_id: ScratchId
    metadata: dict[str, Any] = Field(
        max_length=MAX_ITEMS,
        description="What to change: title, description, summary, namespace, tags, pinned or others; null removes.",
    )
    expected_version: Version | None = Field(default=None, description="Refuse if it is not at this version.")


class Delete(WriteArguments):
    scratch_id: ScratchId


class List(Arguments):
    namespaces: list[Namespace] | None = Field(default=None, max_length=MAX_ITEMS, description=NAMESPACES)
    tags: list[Tag] | None = Field(default=None, max_length=MAX_ITEMS, description=TAGS)
    limit: int = Field(default=100, ge=1, le=1000)
    cursor: str | None = Field(default=None, description="next_cursor of the page before.")


class ListCells(Arguments):
    scratch_id: ScratchId
    cell_ids: list[Text] | None = Field(default=None, max_length=MAX_CELL_IDS, description="Only these cells.")
    tags: list[Tag] | None = Field(
        default=None, max_length=MAX_ITEMS, description="Only cells that have any of these tags."
    )
    namespaces: list[Namespace] | None = Field(
        default=None, max_length=MAX_ITEMS, description="Refuse if it is in none of these."
    )
    limit: Annotated[int, Field(ge=1, le=1000)] | None = Field(default=None, description="Most cells in one answer.")
    cursor: str | None = Field(default=None, description="next_cursor of the page before.")


class Validate(Arguments):
    scratch_id: ScratchId
    cell_ids: list[Text] | None = Field(
        default=None, max_length=MAX_CELL_IDS, description="Only these cells; else all."
    )
    indices: list[int] | None = Field(
        default=None, max_length=MAX_CELL_IDS, description="Only the cells at these places, from 0."
    )


class ListTags(Arguments):
    namespaces: list[Namespace] | None = Field(default=None, max_length=MAX_ITEMS, description=NAMESPACES)


class NotebookTools:
    def __init__(self, notebooks: Notebooks) -> None:
        self._notebooks = notebooks

    async def create(self, call: Call, arguments: Create) -> ScratchpadCreated:
        metadata = arguments.metadata or {}
        new = NewScratchpad(
            scratch_id=arguments.scratch_id,
            metadata=metadata,
            schemas=parse_schemas(metadata.get("schemas")),
            cells=[cell.as_cell() for cell in arguments.cells or ()],
            reset_existing=arguments.on_exists == "reset",
        )
        return await self._notebooks.create(call, new)

    async def read(self, call: Call, arguments: Read) -> ScratchpadRead:
        choice = CellChoice(_ids(arguments.cell_ids), once(arguments.tags), once(arguments.namespaces))
        return await self._notebooks.read(call, arguments.scratch_id, choice, arguments.include_metadata)

    async def update(self, call: Call, arguments: Update) -> ScratchpadChanged:
        if "schemas" in arguments.metadata:
            raise InvalidArgument.at("metadata.schemas", "is changed with scratch_upsert_schema")
        return await self._notebooks.update(call, arguments.scratch_id, arguments.metadata, arguments.expected_version)

    async def delete(self, call: Call, arguments: Delete) -> ScratchpadDeleted:
        return await self._notebooks.delete(call, arguments.scratch_id)

    async def list(self, call: Call, arguments: List) -> ScratchpadList:
        wanted = PadFilter(once(arguments.namespaces), once(arguments.tags), limit=arguments.limit)
        return await self._notebooks.list(call, wanted, arguments.cursor)

    async def list_cells(self, call: Call, arguments: ListCells) -> CellList:
        choice = CellChoice(
            _ids(arguments.cell_ids), once(arguments.tags), once(arguments.namespaces), limit=arguments.limit
        )
        return await self._notebooks.list_cells(call, arguments.scratch_id, choice, arguments.cursor)

    async def validate(self, call: Call, arguments: Validate) -> Validated:
        choice = CellChoice(_ids(arguments.cell_ids), indices=tuple(arguments.indices or ()) or None)
        return await self._notebooks.validate(call, arguments.scratch_id, choice)

    async def list_tags(self, call: Call, arguments: ListTags) -> TagList:
        return await self._notebooks.list_tags(call, once(arguments.namespaces))


def notebook_tools(tools: NotebookTools) -> list[Tool[Any]]:
    tool: Any = partial(Tool, group="notebooks", scope=Scope.TENANT)
    return [*_making(tool, tools), _deleting(tool, tools), *_reading(tool, tools), *_looking(tool, tools)]


def _making(tool: Any, tools: NotebookTools) -> list[Tool[Any]]:
    return [
        tool(
            name="scratch_create",
            title="Create a scratchpad",
            description="Create a scratchpad of typed cells, or reset the one with that id; the answer has no content.",
            arguments=Create,
            result=ScratchpadCreated,
            run=tools.create,
            roles=WORKERS,
            audited_as="scratchpad_created",
            writes=True,
            destructive=True,
            routes=(Route("POST", "/scratchpads", 201),),
        ),
        tool(
            name="scratch_update",
            title="Describe a scratchpad",
            description="Change title, description, summary, tags, namespace or other metadata of a scratchpad.",
            arguments=Update,
            result=ScratchpadChanged,
            run=tools.update,
            roles=WORKERS,
            audited_as="scratchpad_updated",
            writes=True,
            repeatable=True,
            routes=(Route("PUT", ONE),),
        ),
    ]


def _deleting(tool: Any, tools: NotebookTools) -> Tool[Any]:
    deleting: Tool[Any] = tool(
        name="scratch_delete",
        title="Delete a scratchpad",
        description="Delete a scratchpad and its cells; a person can restore it from the trash for a while.",
        arguments=Delete,
        result=ScratchpadDeleted,
        run=tools.delete,
        frees=True,
        roles=WORKERS,
        audited_as="scratchpad_deleted",
        writes=True,
        destructive=True,
        repeatable=True,
        routes=(Route("DELETE", ONE),),
    )
    return deleting


def _reading(tool: Any, tools: NotebookTools) -> list[Tool[Any]]:
    return [
        tool(
            name="scratch_read",
            title="Read a scratchpad",
            description="Read a scratchpad with the content of its cells, all of them or those you choose.",
            arguments=Read,
            result=ScratchpadRead,
            run=tools.read,
            roles=EVERYONE,
            audited_as="scratchpad_read",
            routes=(Route("GET", ONE),),
        ),
        tool(
            name="scratch_list",
            title="List scratchpads",
            description="List scratchpads by id, title, description and namespace, without their cells.",
            arguments=List,
            result=ScratchpadList,
            run=tools.list,
            roles=EVERYONE,
            audited_as="scratchpads_listed",
            routes=(Route("GET", "/scratchpads"),),
        ),
    ]


def _looking(tool: Any, tools: NotebookTools) -> list[Tool[Any]]:
    return [
        tool(
            name="scratch_list_cells",
            title="List the cells of a scratchpad",
            description="List the cells of a scratchpad with a short preview of each, to find the ones to read.",
            arguments=ListCells,
            result=CellList,
            run=tools.list_cells,
            roles=EVERYONE,
            audited_as="cells_listed",
            routes=(Route("GET", f"{ONE}/cells"),),
        ),
        tool(
            name="scratch_validate",
            title="Check cells",
            description="Check the syntax of cells, and their values against their JSON Schema; changes nothing.",
            arguments=Validate,
            result=Validated,
            run=tools.validate,
            roles=EVERYONE,
            audited_as="cells_validated",
            routes=(Route("POST", f"{ONE}/validate"),),
        ),
        tool(
            name="scratch_list_tags",
            title="List tags",
            description="List the tags of scratchpads and of cells that are in use.",
            arguments=ListTags,
            result=TagList,
            run=tools.list_tags,
            roles=EVERYONE,
            audited_as="tags_listed",
            routes=(Route("GET", "/tags"),),
        ),
    ]


def _ids(cell_ids: list[str] | None) -> tuple[str, ...] | None:
    return None if cell_ids is None else once(cell_ids)
