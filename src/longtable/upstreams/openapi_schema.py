"""Schemas of an OpenAPI document as self-contained JSON Schema: references are included, nothing is fetched, and no
keyword is lost."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

_MAX_DEPTH = 100
_MAX_DEFINITIONS = 2_000
_FOREIGN = re.compile(r"[^A-Za-z0-9_.-]+")
_SCHEMAS_BY_NAME = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_VALUES = frozenset(
    {"enum", "const", "default", "example", "examples", "required", "discriminator", "externalDocs", "xml"}
)
"""Keywords that hold values, in which a `$ref` or a `type` is not a keyword."""


def follow(document: Mapping[str, Any], value: Any) -> Any:
    """Resolves references inside the document; None for one that leads nowhere or out of it."""
    for _ in range(_MAX_DEPTH):
        reference = value.get("$ref") if isinstance(value, dict) else None
        if not isinstance(reference, str):
            return value
        value = _lookup(document, reference)
    return None


def _lookup(document: Any, reference: str) -> Any:
    if reference == "#":
        return document
    if not reference.startswith("#/"):
        return None
    for part in reference[2:].split("/"):
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(document, list) and key.isdecimal() and int(key) < len(document):
            document = document[int(key)]
        elif isinstance(document, Mapping) and key in document:
            document = document[key]
        else:
            return None
    return document


class ComponentSchemas:
    """`is_old` is version 3.0, whose schemas differ from JSON Schema in a few keywords."""

    def __init__(self, document: Mapping[str, Any], *, is_old: bool) -> None:
        self._document = document
        self._is_old = is_old
        self._names: dict[str, str] = {}
        self._definitions: dict[str, Any] = {}

    def schema(self, raw: Any, depth: int = 0) -> Any:
        """With references into `$defs`."""
        if isinstance(raw, bool):
            return raw
        if not isinstance(raw, Mapping) or depth > _MAX_DEPTH:
            return {}
        schema = {str(key): self._keyword(str(key), value, depth) for key, value in raw.items()}
        return _as_json_schema(schema) if self._is_old else schema

    def _keyword(self, key: str, value: Any, depth: int) -> Any:
        if key == "$ref" and isinstance(value, str):
            return self._reference(value, depth)
        if key in _VALUES or key.startswith("x-"):
            return value
        if isinstance(value, Mapping) and key in _SCHEMAS_BY_NAME:
            return {str(name): self.schema(each, depth + 1) for name, each in value.items()}
        if isinstance(value, list):
            return [self._value(each, depth) for each in value]
        return self._value(value, depth)

    def _value(self, value: Any, depth: int) -> Any:
        return self.schema(value, depth + 1) if isinstance(value, Mapping) else value

    def _reference(self, reference: str, depth: int) -> str:
        if reference not in self._names:
            if len(self._names) >= _MAX_DEFINITIONS:
                return "#/$defs/unknown"
            name = _FOREIGN.sub("_", reference.rpartition("/")[2]) or "root"
            while name in self._definitions:
                name += "_"
            self._names[reference] = name
            # Named before it is read: it may refer to itself.
            self._definitions[name] = {}
            found = _lookup(self._document, reference)
            self._definitions[name] = self.schema(found, depth + 1) if found is not None else {}
        return f"#/$defs/{self._names[reference]}"

    def with_definitions(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Adds all definitions that it references, and no others."""
        needed: dict[str, Any] = {}
        waiting = [schema]
        while waiting:
            for name in _referenced_names(waiting.pop()):
                if name not in needed:
                    needed[name] = self._definitions.get(name, {})
                    waiting.append(needed[name])
        return {**schema, "$defs": needed} if needed else schema


def _referenced_names(value: Any) -> set[str]:
    names: set[str] = set()
    stack = [value]
    while stack:
        each = stack.pop()
        if isinstance(each, Mapping):
            reference = each.get("$ref")
            if isinstance(reference, str) and reference.startswith("#/$defs/"):
                names.add(reference.removeprefix("#/$defs/"))
            stack.extend(each.values())
        elif isinstance(each, list):
            stack.extend(each)
    return names


def _as_json_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Translates the keywords of 3.0 that differ."""
    if schema.pop("nullable", None) is True:
        if isinstance(schema.get("type"), str):
            schema["type"] = [schema["type"], "null"]
            if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
                schema["enum"] = [*schema["enum"], None]
        elif schema:
            schema = {"anyOf": [schema, {"type": "null"}]}
    for limit, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(schema.get(exclusive), bool) and schema.pop(exclusive) and limit in schema:
            schema[exclusive] = schema.pop(limit)
    return schema
