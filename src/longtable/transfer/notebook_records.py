"""What an export has of scratchpads: a type of record for each table."""

from typing import Any, Final

from longtable.checkers.languages import LANGUAGES
from longtable.kernel.errors import ValidationFailed
from longtable.notebooks.ids import SCRATCH_ID
from longtable.notebooks.model import (
    MAX_DESCRIPTION,
    MAX_METADATA_BYTES,
    MAX_NAMESPACE,
    MAX_SCHEMA_BYTES,
    MAX_SCHEMAS,
    MAX_TAG,
    MAX_TAGS,
    MAX_TITLE,
    schema_of,
)
from longtable.transfer.record_type import RecordType, field
from longtable.transfer.values import (
    COUNT,
    FLAG,
    MOMENT,
    NUMBER,
    ValueKind,
    choice,
    integer,
    json_value,
    pattern,
    text,
    text_list,
    unique_texts,
)

_PAD: Final = pattern(SCRATCH_ID, "must have 1 to 128 letters, digits, '.', '_', '-'; the first a letter or digit")
_ID: Final = text(200, minimum=1)

SCRATCHPAD: Final = RecordType(
    "scratchpad",
    "scratchpads",
    (
        field("id", _PAD, "scratch_id"),
        field("title", text(MAX_TITLE), optional=True),
        field("description", text(MAX_DESCRIPTION), optional=True),
        field("summary", text(MAX_DESCRIPTION), optional=True),
        field("namespace", text(MAX_NAMESPACE, minimum=1), optional=True),
        field("tags", unique_texts(MAX_TAGS, MAX_TAG)),
        field("metadata", json_value(MAX_METADATA_BYTES, dict)),
        field("pinned", FLAG),
        field("version", NUMBER),
        field("cells", COUNT, "cell_count"),
        field("schemas", integer(0, MAX_SCHEMAS), "schema_count"),
        field("created_at", MOMENT),
        field("updated_at", MOMENT),
    ),
    ("scratch_id",),
    has_origin=True,
)
SCHEMA: Final = RecordType(
    "schema",
    "scratchpad_schemas",
    (
        field("id", _ID, "schema_id"),
        field("name", text(1_000, minimum=1)),
        field("description", text(MAX_DESCRIPTION)),
        field("document", json_value(MAX_SCHEMA_BYTES, dict)),
        field("created_at", MOMENT),
        field("updated_at", MOMENT),
    ),
    ("created_at", "schema_id"),
    frozenset({"schema_id"}),
)
_CELL_SCHEMA: Final = json_value(MAX_SCHEMA_BYTES, dict, str)


def _stored_schema(value: Any) -> str:
    stored: str = _CELL_SCHEMA.stored(value)
    try:
        schema_of(value, "")
    except ValidationFailed as error:
        raise ValueError(error.message.removeprefix(":").strip().rstrip(".")) from None
    return stored


CELL: Final = RecordType(
    "cell",
    "cells JOIN cell_texts USING (tenant, cell_id)",
    (
        field("id", _ID, "cell_id"),
        field("position", COUNT),
        field("language", choice(*LANGUAGES)),
        field("content", text()),
        field("json_schema", ValueKind(_CELL_SCHEMA.shown, _stored_schema), optional=True),
        field("tags", text_list(MAX_TAGS, MAX_TAG)),
        field("metadata", json_value(MAX_METADATA_BYTES, dict)),
        field("validate", FLAG),
        field("version", NUMBER),
        field("created_at", MOMENT),
        field("updated_at", MOMENT),
    ),
    ("position",),
)
NAMESPACE: Final = RecordType(
    "namespace",
    "namespaces",
    (field("namespace", text(MAX_NAMESPACE, minimum=1)), field("created_at", MOMENT)),
    ("namespace",),
    frozenset({"namespace"}),
)

IN_SCRATCHPAD: Final = (SCHEMA, CELL)
"""In the order of the file."""
