"""Every list and every object in the arguments of a tool has a largest length."""

from collections.abc import Iterator
from typing import Any

import pytest

from longtable.toolkit.tool import Tool
from scripts import docs

TOOLS = pytest.mark.parametrize("tool", docs.every_tool(), ids=lambda tool: str(tool.name))


def unbounded(schema: Any, path: str) -> Iterator[str]:
    if isinstance(schema, list):
        for part in schema:
            yield from unbounded(part, path)
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "array" and "maxItems" not in schema:
        yield path
    takes_any_name = schema.get("type") == "object" and schema.get("additionalProperties", True) is not False
    if takes_any_name and "maxProperties" not in schema:
        yield path
    for key, part in schema.items():
        yield from unbounded(part, f"{path}.{key}")


@TOOLS
def test_no_model_takes_a_list_or_object_of_any_length(tool: Tool[Any]) -> None:
    assert list(unbounded(tool.arguments.model_json_schema(), tool.name)) == []
