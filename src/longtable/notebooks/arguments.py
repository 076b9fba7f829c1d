"""What the notebook tools take."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from longtable.checkers.languages import LANGUAGES
from longtable.kernel.content import Text
from longtable.notebooks.model import MAX_CELL_IDS, MAX_FILENAME, MAX_NAMESPACE, MAX_TAG, Cell, Tags, preview_of
from longtable.toolkit.tool import MAX_ITEMS, Arguments, WriteArguments


def _language(text: str) -> str:
    if text not in LANGUAGES:
        raise ValueError(f"must be one of {', '.join(LANGUAGES)}")
    return text


ScratchId = Annotated[str, Field(description="Id of the scratchpad.")]
CellId = Annotated[Text, Field(description="Id of the cell.")]
Tag = Annotated[Text, StringConstraints(min_length=1, max_length=MAX_TAG, pattern=r"\S")]
Namespace = Annotated[Text, StringConstraints(min_length=1, max_length=MAX_NAMESPACE, pattern=r"\S")]
Language = Annotated[Text, AfterValidator(_language), Field(json_schema_extra={"enum": list(LANGUAGES)})]
Version = Annotated[int, Field(ge=1, le=2**62)]

TAGS = "Only what has any of these tags."
NAMESPACES = "Only scratchpads in one of these namespaces."


class CellInput(Arguments):
    language: Language = Field(description="What the content is written in.")
    content: Text = Field(description="The text of the cell, kept as it is.")
    validate_: bool = Field(
        default=False, alias="validate", description="Check it and say what is wrong; it is stored all the same."
    )
    json_schema: Annotated[dict[str, Any], Field(max_length=MAX_ITEMS)] | Text | None = Field(
        default=None,
        description='JSON Schema for the value, or {"$ref": "scratchpad://schemas/<name>"} for a shared one.',
    )
    metadata: dict[str, Any] | None = Field(
        default=None, max_length=MAX_ITEMS, description="Anything else to keep with the cell."
    )
    filename: Annotated[Text, StringConstraints(min_length=1, max_length=MAX_FILENAME)] | None = Field(
        default=None,
        description="Name of the file it comes from or goes to. Kept in the metadata; its ending tells the checkers "
        "which dialect it is (d.ts, jsonc, hpp).",
    )
    tags: list[Tag] = Field(default_factory=list, max_length=MAX_ITEMS, description="Words to find it by.")

    def cell(self, cell_id: str, position: int = 0) -> Cell:
        return Cell(
            cell_id=cell_id,
            position=position,
            language=self.language,
            tags=once(self.tags),
            metadata={**(self.metadata or {}), **({"filename": self.filename} if self.filename is not None else {})},
            validate=self.validate_,
            version=1,
            preview=preview_of(self.content),
            content=self.content,
            json_schema=self.json_schema,
        )


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


class Update(WriteArguments):
    scratch_id: ScratchId
    metadata: dict[str, Any] = Field(
        max_length=MAX_ITEMS,
        description="What to change: title, description, summary, namespace, tags, pinned or others; null removes.",
    )
    expected_version: Version | None = Field(default=None, description="Refuse if it is not at this version.")


class Delete(WriteArguments):
    scratch_id: ScratchId


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


class AppendCell(WriteArguments):
    scratch_id: ScratchId
    cell: CellInput


class ReplaceCell(WriteArguments):
    scratch_id: ScratchId
    cell_id: CellId
    cell: CellInput
    new_index: int | None = Field(default=None, description="Move it to this place as well, from 0.")
    expected_version: Version | None = Field(default=None, description="Refuse if the cell is not at this version.")


class MoveCell(WriteArguments):
    scratch_id: ScratchId
    cell_id: CellId
    new_index: int = Field(description="Its new place, from 0.")


class DeleteCell(WriteArguments):
    scratch_id: ScratchId
    cell_id: CellId


class SchemaInput(Arguments):
    id: Text | None = Field(default=None, description="UUID of the schema to change, or for a new one.")
    name: Namespace | None = Field(default=None, description="What references call it: scratchpad://schemas/<name>.")
    description: Text = Field(description="What it is for.")
    schema_: dict[str, Any] = Field(alias="schema", max_length=MAX_ITEMS, description="The JSON Schema.")


class ListSchemas(Arguments):
    scratch_id: ScratchId


class GetSchema(Arguments):
    scratch_id: ScratchId
    schema_id: Text = Field(description="UUID or name of the schema.")


class UpsertSchema(WriteArguments):
    scratch_id: ScratchId
    schema_: SchemaInput = Field(alias="schema", description="The schema; by its id, else by its name.")


class DeleteSchema(WriteArguments):
    scratch_id: ScratchId
    schema_id: Text = Field(description="UUID or name of the schema.")


class ListNamespaces(Arguments):
    pass


class CreateNamespace(WriteArguments):
    namespace: Namespace = Field(description="1 to 128 characters; case counts.")


class RenameNamespace(WriteArguments):
    old_namespace: Namespace
    new_namespace: Namespace
    migrate_scratchpads: bool = Field(default=True, description="Take its scratchpads along; else it must have none.")


class DeleteNamespace(WriteArguments):
    namespace: Namespace
    delete_scratchpads: bool = Field(default=False, description="Delete its scratchpads too; else it must have none.")


class ListTrash(Arguments):
    limit: int = Field(default=100, ge=1, le=1000)
    cursor: str | None = None


class Restore(WriteArguments):
    trash_id: Text = Field(description="Id of the entry, or of a scratchpad for its newest entry.")


def once(values: Sequence[str] | None) -> Tags:
    """Each once, in their order."""
    return tuple(dict.fromkeys(values or ()))
