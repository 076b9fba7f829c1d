"""What is wrong with the arguments for a tool of another server, in the words that our own tools use."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import jsonschema_rs

from longtable.toolkit.allowed_values import Schema, allowed, names_of, referred
from longtable.toolkit.argument_errors import child_of, not_one_of, unknown_name

_SHOWN = frozenset({"type", "minimum", "maximum", "minLength", "maxLength", "pattern", "anyOf", "oneOf"})
"""Keywords that `allowed` puts into words."""
_LONGEST_RULE = 100
_PARTS = re.compile(r"\.([^.\[\]]+)|\[([0-9]{1,9})\]")


def schema_fault(error: jsonschema_rs.ValidationError, schema: Schema) -> tuple[str, str]:
    """The path of the argument, and what is allowed there."""
    *place, keyword = error.schema_path
    node = _node_at(place, schema)
    path = ["inputs", *(str(part) for part in error.instance_path)]
    if keyword == "required":
        name = str(getattr(error.kind, "property", ""))
        missing = (node.get("properties") or {}).get(name)
        return ".".join([*path, name]), f"is required: {allowed(missing if missing else {}, schema)}"
    if keyword == "additionalProperties" and (unexpected := getattr(error.kind, "unexpected", None)):
        owner = "an argument of this tool" if len(path) == 1 else "a field here"
        return ".".join([*path, unexpected[0]]), unknown_name(unexpected[0], names_of(node, schema), owner)
    return ".".join(path), _rule(error, str(keyword), node, schema)


def faults_by_path(paths: Iterable[str], schema: Schema) -> dict[str, str]:
    """The same where nothing is known but the path of each fault, such as `$.items[0].name`."""
    faults: dict[str, str] = {}
    for path in paths:
        node: Schema | None = schema
        for name, number in _PARTS.findall(path):
            node = None if node is None else child_of(node, int(number) if number else name, schema)
        words = "fit the tool's schema" if node is None else f"be {allowed(node, schema)}"
        faults.setdefault(f"inputs{path.removeprefix('$')}", f"must {words}")
    return faults


def _rule(error: jsonschema_rs.ValidationError, keyword: str, node: Schema, schema: Schema) -> str:
    if keyword in ("enum", "const"):
        return not_one_of(error.instance, node, schema)
    if keyword in _SHOWN and (node.keys() & {"type", "anyOf", "oneOf"}):
        return f"must be {allowed(node, schema)}"
    rule = json.dumps(node.get(keyword), ensure_ascii=False, default=str)
    return f"must satisfy {keyword} {rule[:_LONGEST_RULE]} of the tool's schema"


def _node_at(place: Sequence[int | str], schema: Schema) -> Schema:
    """The part of the schema that was not satisfied."""
    node: Any = schema
    for part in place:
        if part == "$ref" and isinstance(node, Mapping):
            node = referred(node.get("$ref"), schema)
        elif isinstance(node, Mapping):
            node = node.get(part)
        else:
            node = node[part] if isinstance(node, list) and isinstance(part, int) and part < len(node) else None
    return node if isinstance(node, Mapping) else {}
