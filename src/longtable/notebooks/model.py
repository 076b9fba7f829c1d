"""A scratchpad, its cells and its schemas, and the limits on what they hold."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longtable.kernel.content import check_bytes, check_characters, check_count, check_json
from longtable.kernel.errors import InvalidArgument, InvalidId, ValidationFailed
from longtable.notebooks.ids import SCRATCH_ID

SCHEMA_URI = "scratchpad://schemas/"
PREVIEW = 80
MAX_TAGS = 64
MAX_TAG = 128
MAX_NAMESPACE = 128
MAX_FILENAME = 255
MAX_TITLE = 1_000
MAX_DESCRIPTION = 10_000
MAX_METADATA_BYTES = 65_536
MAX_SCHEMA_BYTES = 262_144
MAX_SCHEMAS = 256
MAX_FILTERS = 1_000
MAX_CELL_IDS = 10_000

CANONICAL = ("title", "description", "summary", "namespace", "tags", "cell_tags")
"""Shown both beside the metadata of a scratchpad and in it."""

Tags = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Traits:
    """What describes a scratchpad, apart from its cells."""

    title: str | None = None
    description: str | None = None
    summary: str | None = None
    namespace: str | None = None
    tags: Tags = ()
    pinned: bool = False
    others: Mapping[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        for name, text, limit in (
            ("title", self.title, MAX_TITLE),
            ("description", self.description, MAX_DESCRIPTION),
            ("summary", self.summary, MAX_DESCRIPTION),
        ):
            check_characters(f"metadata.{name}", text or "", limit)
        check_tags("metadata.tags", self.tags)
        check_json("metadata", dict(self.others), MAX_METADATA_BYTES)


@dataclass(frozen=True, slots=True)
class Scratchpad:
    pad: int
    scratch_id: str
    traits: Traits
    version: int
    cell_count: int
    schema_count: int
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class Cell:
    """`content` and `json_schema` are None where only the outline was read."""

    cell_id: str
    position: int
    language: str
    tags: Tags
    metadata: Mapping[str, Any]
    validate: bool
    version: int
    preview: str
    content: str | None = None
    json_schema: Any = None

    def check(self, field: str, max_bytes: int) -> None:
        if max_bytes:
            check_bytes(f"{field}.content", self.content or "", max_bytes)
        check_json(f"{field}.metadata", dict(self.metadata), MAX_METADATA_BYTES)
        check_tags(f"{field}.tags", self.tags)
        if self.json_schema is not None:
            check_json(f"{field}.json_schema", self.json_schema, MAX_SCHEMA_BYTES)
            schema_of(self.json_schema, f"{field}.json_schema")


@dataclass(frozen=True, slots=True)
class Schema:
    schema_id: str
    name: str
    description: str
    document: Mapping[str, Any]
    created_at: int


def check_scratch_id(text: str) -> str:
    if SCRATCH_ID.fullmatch(text) is None:
        raise InvalidId("scratch_id: must be 1 to 128 letters, digits, '.', '_', '-'; the first a letter or digit.")
    return text


def check_cursor(scratch_id: str) -> str:
    """A page begins after an id; anything else is no cursor of ours."""
    if SCRATCH_ID.fullmatch(scratch_id) is None:
        raise InvalidArgument.at("cursor", "must be a cursor from an earlier page of the same list")
    return scratch_id


def new_id() -> str:
    return str(uuid.uuid4())


def check_tags(field: str, tags: Sequence[str]) -> None:
    check_count(field, tags, MAX_TAGS)
    for position, tag in enumerate(tags):
        check_characters(f"{field}.{position}", tag, MAX_TAG)


def check_storable(field: str, text: str) -> str:
    """Values inside metadata arrive unchecked."""
    if "\0" in text:
        raise InvalidArgument.at(field, "must not hold the character NUL")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidArgument.at(field, "must be valid Unicode") from None
    return text


def preview_of(content: str) -> str:
    """The first words on one line."""
    return " ".join(content[: PREVIEW * 4].split())[:PREVIEW]


def schema_of(value: Any, field: str) -> dict[str, Any] | bool:
    """The JSON Schema that a cell names: an object, JSON text of one, or a reference written as text."""
    if isinstance(value, str):
        if value.startswith(SCHEMA_URI):
            return {"$ref": value}
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise ValidationFailed(f"{field}: is neither a JSON Schema nor a reference to one.", field=field) from None
    if not isinstance(value, dict | bool):
        raise ValidationFailed(f"{field}: must be a JSON Schema: an object, or JSON text of one.", field=field)
    return value


def filename_of(metadata: Mapping[str, Any]) -> str | None:
    """The name of a file that a cell carries, if it is one."""
    name = metadata.get("filename")
    return name if isinstance(name, str) and len(name) <= MAX_FILENAME else None


def references_shared(schema: Any) -> bool:
    """Whether a schema names a shared one anywhere."""
    return SCHEMA_URI in json.dumps(schema, ensure_ascii=False)


def parse_traits(metadata: Mapping[str, Any], base: Traits | None = None) -> Traits:
    """The traits in `metadata`. With a `base` they are a merge patch of it: null removes a key, an absent one stays.
    `pinned` is also kept with the others."""
    others = {name: value for name, value in metadata.items() if name not in _APART}
    check_json("metadata", others, MAX_METADATA_BYTES)
    if base is not None:
        others = merged(base.others, others)
    base = base or Traits()
    known: dict[str, Any] = {
        name: read(f"metadata.{name}", metadata[name]) if name in metadata else getattr(base, name)
        for name, read in _READERS.items()
    }
    traits = Traits(**known, others=others)
    traits.check()
    return traits


def merged(old: Any, patch: Any) -> Any:
    """A JSON merge patch (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    result = dict(old) if isinstance(old, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


def _text(field: str, value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InvalidArgument.at(field, "must be a text or null")
    return None if value is None else check_storable(field, value)


def _namespace(field: str, value: Any) -> str | None:
    if value is not None and (not isinstance(value, str) or not value.strip() or len(value) > MAX_NAMESPACE):
        raise InvalidArgument.at(field, f"must be a text of 1 to {MAX_NAMESPACE} characters, or null")
    return None if value is None else check_storable(field, value)


def _tags(field: str, value: Any) -> Tags:
    tags = [] if value is None else value
    if not isinstance(tags, list) or not all(isinstance(tag, str) and tag.strip() for tag in tags):
        raise InvalidArgument.at(field, "must be a list of texts that are not empty")
    return tuple(dict.fromkeys(check_storable(field, tag) for tag in tags))


def _flag(field: str, value: Any) -> bool:
    if value is not None and not isinstance(value, bool):
        raise InvalidArgument.at(field, "must be true or false")
    return bool(value)


_READERS: Mapping[str, Any] = {
    "title": _text,
    "description": _text,
    "summary": _text,
    "namespace": _namespace,
    "tags": _tags,
    "pinned": _flag,
}
_APART = {*CANONICAL, "schemas"}
