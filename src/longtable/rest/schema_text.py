"""JSON schemas as short text, for documentation pages."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]

_MANY = {"string": "strings", "integer": "integers", "number": "numbers", "boolean": "booleans", "object": "objects"}


@dataclass(frozen=True, slots=True)
class FieldDescription:
    """One field. `path` is dotted, with `[]` after a list; `default` is JSON, or empty where there is none."""

    path: str
    type: str
    required: bool
    default: str
    limits: str
    description: str


def type_text(schema: Schema) -> str:
    if "$ref" in schema:
        return name_of(schema)
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return ", ".join(json.dumps(value) for value in schema["enum"])
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return " or ".join(dict.fromkeys(type_text(choice) for choice in choices))
    if schema.get("type") == "array":
        return f"list of {_plural(schema.get('items', {}))}"
    return str(schema.get("type", "any JSON"))


def limit_text(schema: Schema) -> str:
    parts = [
        _range(schema.get("minLength"), schema.get("maxLength"), " characters"),
        _range(schema.get("minItems"), schema.get("maxItems"), " items"),
        _range(schema.get("minimum"), schema.get("maximum"), ""),
        f"matches `{schema['pattern']}`" if "pattern" in schema else "",
    ]
    if schema.get("type") == "array":
        each = limit_text(schema.get("items", {}))
        parts.append(f"each {each}" if each else "")
    return "; ".join(part for part in parts if part)


def described_fields(schema: Schema, components: Mapping[str, Any]) -> Iterator[FieldDescription]:
    """Every field of an object and of the objects in it, in the order they are declared."""
    yield from _fields(schema, components, "", frozenset())


def name_of(reference: Schema) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def _fields(
    schema: Schema, components: Mapping[str, Any], above: str, inside: frozenset[str]
) -> Iterator[FieldDescription]:
    required = schema.get("required", [])
    for name, part in schema.get("properties", {}).items():
        path = f"{above}{name}"
        yield FieldDescription(
            path=path,
            type=type_text(part),
            required=name in required,
            default=json.dumps(part["default"], ensure_ascii=False) if "default" in part else "",
            limits=limit_text(part),
            description=part.get("description", ""),
        )
        for mark, reference in _references(part):
            nested = name_of(reference)
            # A type may contain itself: its fields are listed once on the way down.
            if nested not in inside:
                yield from _fields(components[nested], components, f"{path}{mark}.", inside | {nested})


def _references(schema: Schema, mark: str = "") -> Iterator[tuple[str, Schema]]:
    if "$ref" in schema:
        yield mark, schema
    for choice in schema.get("anyOf", []):
        yield from _references(choice, mark)
    if "items" in schema:
        yield from _references(schema["items"], f"{mark}[]")


def _plural(items: Schema) -> str:
    words = type_text(items)
    return _MANY.get(words, words)


def _range(least: float | None, most: float | None, unit: str) -> str:
    if least is None and most is None:
        return ""
    if most is None:
        return "not empty" if least == 1 and unit else f"at least {least}{unit}"
    return f"at most {most}{unit}" if least is None else f"{least} to {most}{unit}"
