"""What the notebook tools take."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from longtable.checkers.languages import LANGUAGES
from longtable.kernel.content import Text
from longtable.notebooks.model import MAX_CELL_IDS, MAX_FILENAME, MAX_NAMESPACE, MAX_TAG, Cell, Tags, preview_of
from longtable.toolkit.answer_size import MaxChars, Offset
from longtable.toolkit.json_objects import JsonObject
from longtable.toolkit.tool import MAX_ITEMS, Arguments, WriteArguments


def _language(text: str) -> str:
    if text not in LANGUAGES:
        raise ValueError(f"must be one of {', '.join(LANGUAGES)}")
    return text


ScratchId = Annotated[str, Field(description="Its id.")]
CellId = Annotated[Text, Field(description="The cell.")]
Tag = Annotated[Text, StringConstraints(min_length=1, max_length=MAX_TAG, pattern=r"\S")]
Namespace = Annotated[Text, StringConstraints(min_length=1, max_length=MAX_NAMESPACE, pattern=r"\S")]
Language = Annotated[Text, AfterValidator(_language), Field(json_schema_extra={"enum": list(LANGUAGES)})]
Version = Annotated[int, Field(ge=1, le=2**62)]

TAGS = "With any of these."
NAMESPACES = "In one of these."


class CellInput(Arguments):
    language: Language = Field(description="File ending: py, ts, sh, json, md, txt...")
    content: Text = Field(description="Its text.")
    validate_: bool = Field(default=False, alias="validate", description="Check it too.")
    json_schema: Annotated[dict[str, Any], Field(max_length=MAX_ITEMS)] | Text | None = Field(
        default=None,
        description='JSON Schema, or {"$ref": "scratchpad://schemas/<name>"}.',
    )
    metadata: JsonObject | None = Field(default=None, description="Your own JSON object.")
    filename: Annotated[Text, StringConstraints(min_length=1, max_length=MAX_FILENAME)] | None = Field(
        default=None, description="Tells the dialect."
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


class Create(WriteArguments, MaxChars):
    scratch_id: str | None = Field(default=None, description="Default: a new UUID.")
    metadata: JsonObject | None = Field(
        default=None,
        description="JSON object: title, description, summary, namespace, tags, pinned, schemas (by name), others. "
        "Reuse namespaces.",
    )
    cells: list[CellInput] | None = Field(default=None, max_length=MAX_CELL_IDS, description="First cells, in order.")
    on_exists: Literal["reset", "fail"] = Field(default="reset", description="If it is there.")


class Update(WriteArguments, MaxChars):
    scratch_id: ScratchId
    metadata: JsonObject = Field(
        description="JSON object: As in scratch_create; null removes.",
    )
    expected_version: Version | None = Field(default=None, description="Must be current.")


class Delete(WriteArguments):
    scratch_id: ScratchId


class Read(Offset):
    unlisted = frozenset({"namespaces"})
    scratch_id: ScratchId
    cell_ids: list[Text] | None = Field(default=None, max_length=MAX_CELL_IDS, description="Only these cells.")
    tags: list[Tag] | None = Field(default=None, max_length=MAX_ITEMS, description="With any of these.")
    include_metadata: bool = Field(default=True, description="false: without metadata.")
    cursor: str | None = Field(default=None, description="From next_cursor.")
    namespaces: list[Namespace] | None = Field(
        default=None, max_length=MAX_ITEMS, description="It must be in one of these."
    )


class List(MaxChars):
    namespaces: list[Namespace] | None = Field(default=None, max_length=MAX_ITEMS, description=NAMESPACES)
    tags: list[Tag] | None = Field(default=None, max_length=MAX_ITEMS, description=TAGS)
    limit: int = Field(default=100, ge=1, le=1000, description="Most of them.")
    cursor: str | None = Field(default=None, description="From next_cursor.")


class ListCells(MaxChars):
    unlisted = frozenset({"namespaces"})
    scratch_id: ScratchId
    cell_ids: list[Text] | None = Field(default=None, max_length=MAX_CELL_IDS, description="Only these cells.")
    tags: list[Tag] | None = Field(default=None, max_length=MAX_ITEMS, description="With any of these.")
    namespaces: list[Namespace] | None = Field(
        default=None, max_length=MAX_ITEMS, description="It must be in one of these."
    )
    limit: Annotated[int, Field(ge=1, le=1000)] | None = Field(default=None, description="Cells in one answer.")
    cursor: str | None = Field(default=None, description="From next_cursor.")


class Validate(MaxChars):
    unlisted = frozenset({"indices"})

    scratch_id: ScratchId
    cell_ids: list[Text] | None = Field(default=None, max_length=MAX_CELL_IDS, description="Only these cells.")
    indices: list[int] | None = Field(
        default=None, max_length=MAX_CELL_IDS, description="Only at these places, from 0."
    )


class ListTags(MaxChars):
    namespaces: list[Namespace] | None = Field(default=None, max_length=MAX_ITEMS, description=NAMESPACES)


class AppendCell(WriteArguments, MaxChars):
    scratch_id: ScratchId
    cell: CellInput = Field(description="The cell.")


class ReplaceCell(WriteArguments, MaxChars):
    scratch_id: ScratchId
    cell_id: CellId
    cell: CellInput = Field(description="The cell.")
    new_index: int | None = Field(default=None, description="Also move it here, from 0.")
    expected_version: Version | None = Field(default=None, description="Must be current.")


class MoveCell(WriteArguments, MaxChars):
    scratch_id: ScratchId
    cell_id: CellId
    new_index: int = Field(description="Its new place, from 0.")


class DeleteCell(WriteArguments, MaxChars):
    scratch_id: ScratchId
    cell_id: CellId


class SchemaInput(Arguments):
    id: Text | None = Field(default=None, description="UUID.")
    name: Namespace | None = Field(default=None, description="The <name> in references.")
    description: Text = Field(description="What it is for.")
    schema_: JsonObject = Field(alias="schema", description="The JSON Schema.")


class ListSchemas(MaxChars):
    scratch_id: ScratchId


class GetSchema(MaxChars):
    scratch_id: ScratchId
    schema_id: Text = Field(description="UUID or name.")


class UpsertSchema(WriteArguments, MaxChars):
    scratch_id: ScratchId
    schema_: SchemaInput = Field(alias="schema", description="By its id, else its name.")


class DeleteSchema(WriteArguments):
    scratch_id: ScratchId
    schema_id: Text = Field(description="UUID or name.")


class ListNamespaces(MaxChars):
    pass


class CreateNamespace(WriteArguments):
    namespace: Namespace = Field(description="At most 128 characters.")


class RenameNamespace(WriteArguments):
    old_namespace: Namespace = Field(description="Its name now.")
    new_namespace: Namespace = Field(description="Its new name.")
    migrate_scratchpads: bool = Field(default=True, description="false: it must be empty.")


class DeleteNamespace(WriteArguments):
    namespace: Namespace = Field(description="Its name.")
    delete_scratchpads: bool = Field(default=False, description="false: it must be empty.")


class ListTrash(Arguments):
    limit: int = Field(default=100, ge=1, le=1000, description="Most of them.")
    cursor: str | None = None


class Restore(WriteArguments):
    trash_id: Text = Field(description="Id of the entry, or of a scratchpad for its newest entry.")


def once(values: Sequence[str] | None) -> Tags:
    """Each once, in their order."""
    return tuple(dict.fromkeys(values or ()))
