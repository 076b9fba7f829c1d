"""Results of the notebook tools. Only reads carry the content of cells."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from longtable.checkers.languages import TYPES, CellType
from longtable.kernel.clock import to_iso
from longtable.kernel.result import LimitedResult, Result, Value, omitted_if_none
from longtable.notebooks.model import Cell, Schema, Scratchpad
from longtable.validation.model import ValidationResult


class CellOutline(Value):
    """A cell without its content."""

    cell_id: str
    index: int
    language: str
    type: CellType
    tags: list[str]
    metadata: dict[str, Any]
    validate_: bool = Field(alias="validate")
    version: int
    validation: ValidationResult | None = omitted_if_none()


class FullCell(CellOutline):
    content: str
    json_schema: Any
    truncated: bool | None = omitted_if_none()


class ScratchpadOutline(Value):
    """`cells_omitted` says how many cells of a long scratchpad are not shown: a write shows those around its own."""

    scratch_id: str
    title: str | None
    description: str | None
    summary: str | None
    namespace: str | None
    tags: list[str]
    cell_tags: list[str]
    cells: list[CellOutline]
    cell_count: int
    cells_omitted: int | None = omitted_if_none()
    metadata: dict[str, Any]
    version: int
    created_at: str
    updated_at: str
    truncated: bool | None = omitted_if_none()


class FullScratchpad(Value):
    scratch_id: str
    title: str | None
    description: str | None
    summary: str | None
    namespace: str | None
    tags: list[str]
    cell_tags: list[str]
    cells: list[FullCell]
    cell_count: int
    metadata: dict[str, Any] | None = omitted_if_none()
    version: int
    created_at: str
    updated_at: str


class ScratchpadCreated(LimitedResult):
    scratchpad: ScratchpadOutline
    reset: bool
    evicted_scratchpads: list[str] | None = omitted_if_none()
    validation: list[ValidationResult] | None = omitted_if_none()


class ScratchpadChanged(LimitedResult):
    scratchpad: ScratchpadOutline
    validation: ValidationResult | None = omitted_if_none()


class ScratchpadRead(LimitedResult):
    """Cells that do not fit begin at `next_cursor`; with `next_offset`, at that character of the first of them."""

    scratchpad: FullScratchpad
    next_cursor: str | None = omitted_if_none()
    next_offset: int | None = omitted_if_none()


class ScratchpadDeleted(Result):
    scratch_id: str
    deleted: bool


class ListedScratchpad(Value):
    scratch_id: str
    title: str | None
    description: str | None
    namespace: str | None
    cell_count: int


class ScratchpadList(LimitedResult):
    scratchpads: list[ListedScratchpad]
    next_cursor: str | None = omitted_if_none()


class ListedCell(Value):
    index: int
    cell_id: str
    language: str
    tags: list[str]
    metadata: dict[str, Any] | None = omitted_if_none()
    preview: str


class CellList(LimitedResult):
    scratch_id: str
    cells: list[ListedCell]
    next_cursor: str | None = omitted_if_none()


class TagList(LimitedResult):
    scratchpad_tags: list[str]
    cell_tags: list[str]


class Validated(LimitedResult):
    scratch_id: str
    results: list[ValidationResult]


class SchemaView(Value):
    id: str
    name: str
    description: str
    schema_: dict[str, Any] | bool = Field(alias="schema")


class UpsertedSchema(Value):
    """As whoever shared it gets it back."""

    id: str
    name: str
    description: str
    schema_: dict[str, Any] | bool | None = Field(alias="schema", default=None, exclude_if=lambda shown: shown is None)


class SchemaList(LimitedResult):
    scratch_id: str
    schemas: list[SchemaView]


class SchemaRead(LimitedResult):
    schema_: SchemaView = Field(alias="schema")


class SchemaUpserted(LimitedResult):
    schema_: UpsertedSchema = Field(alias="schema")
    created: bool


class SchemaDeleted(Result):
    deleted: bool


class NamespaceView(Value):
    namespace: str
    scratchpad_count: int


class NamespaceList(LimitedResult):
    namespaces: list[NamespaceView]


class NamespaceCreated(Result):
    namespace: str
    created: bool


class NamespaceRenamed(Result):
    namespace: str
    migrated_count: int


class NamespaceDeleted(Result):
    deleted: bool
    removed_scratchpads: int


class TrashedScratchpad(Value):
    trash_id: str
    scratch_id: str
    title: str | None
    namespace: str | None
    cell_count: int
    reason: str
    trashed_at: str
    trashed_by: str
    expires_at: str


class TrashList(Result):
    trash: list[TrashedScratchpad]
    next_cursor: str | None = omitted_if_none()


class ScratchpadRestored(Result):
    scratchpad: ScratchpadOutline
    evicted_scratchpads: list[str] | None = omitted_if_none()


def full_cell(cell: Cell) -> FullCell:
    return FullCell.unchecked(
        **_cell_fields(cell), validation=None, content=cell.content or "", json_schema=cell.json_schema
    )


def listed_cell(cell: Cell) -> ListedCell:
    return ListedCell.unchecked(
        index=cell.position,
        cell_id=cell.cell_id,
        language=cell.language,
        tags=list(cell.tags),
        metadata=dict(cell.metadata) or None,
        preview=cell.preview,
    )


def scratchpad_fields(pad: Scratchpad, cell_tags: Sequence[str], schemas: Sequence[Schema]) -> dict[str, Any]:
    """All that a scratchpad shows besides its cells."""
    traits = pad.traits
    shown = {
        "title": traits.title,
        "description": traits.description,
        "summary": traits.summary,
        "namespace": traits.namespace,
        "tags": list(traits.tags),
        "cell_tags": list(cell_tags),
    }
    return {
        "scratch_id": pad.scratch_id,
        **shown,
        "cell_count": pad.cell_count,
        "metadata": {**traits.others, **shown, **_registry(schemas)},
        "version": pad.version,
        "created_at": to_iso(pad.created_at),
        "updated_at": to_iso(pad.updated_at),
    }


def schema_view(schema: Schema) -> SchemaView:
    document: Any = schema.document
    return SchemaView(id=schema.schema_id, name=schema.name, description=schema.description, schema_=document)


def _registry(schemas: Sequence[Schema]) -> Mapping[str, Any]:
    if not schemas:
        return {}
    entries = {
        schema.name: {"id": schema.schema_id, "description": schema.description, "schema": schema.document}
        for schema in schemas
    }
    return {"schemas": entries}


def _cell_fields(cell: Cell) -> dict[str, Any]:
    return {
        "cell_id": cell.cell_id,
        "index": cell.position,
        "language": cell.language,
        "type": TYPES[cell.language],
        "tags": list(cell.tags),
        "metadata": dict(cell.metadata),
        "validate_": cell.validate,
        "version": cell.version,
    }
