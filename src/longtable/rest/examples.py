"""Examples of requests: readers of the documentation copy them, so each must be valid."""

from collections.abc import Mapping
from typing import Any

SESSION_EXAMPLE = "session_0123456789abcdef"

EXAMPLES: Mapping[str, Any] = {
    "purpose": "Write the launch post",
    "content": "The corner shop sells coffee for 3 EUR.",
    "tags": ["price"],
    "ttl": "24h",
}
"""Arguments by name. One without a line here appears in an example only when it is required, made from its type."""

_BY_TYPE: Mapping[str, Any] = {"string": "text", "number": 1.5, "boolean": True, "null": None}


def example_of(schema: Mapping[str, Any], components: Mapping[str, Any]) -> dict[str, Any]:
    """An object with what `schema` requires, and with whatever we have a good example of."""
    required = schema.get("required", [])
    return {
        name: EXAMPLES[name] if name in EXAMPLES else _example(part, components)
        for name, part in schema.get("properties", {}).items()
        if name in required or name in EXAMPLES
    }


def _example(schema: Mapping[str, Any], components: Mapping[str, Any]) -> Any:
    if "$ref" in schema:
        return _example(components[schema["$ref"].rpartition("/")[2]], components)
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if "enum" in schema:
        return schema["enum"][0]
    for choices in ("anyOf", "oneOf"):
        if choices in schema:
            return _example(schema[choices][0], components)
    return _of_type(schema, components)


def _of_type(schema: Mapping[str, Any], components: Mapping[str, Any]) -> Any:
    kind = schema.get("type", "object")
    if kind == "integer":
        return schema.get("minimum", 1)
    if kind == "array":
        return [_example(schema.get("items", {}), components)]
    if kind == "object":
        return example_of(schema, components)
    return _BY_TYPE[kind]
