"""Lists what is no tool beside one that is, or no list at all; only while a file is there, which says which."""

import sys
from pathlib import Path
from typing import Any

from tests.gateway.hostile.wire import Message, StdioWire, text, tool


def _nested() -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(400):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


SHAPELESS: list[Any] = [
    {"name": "get_shapeless"},
    tool("get_wrong_schema", inputSchema={"type": "object", "properties": ["a"]}),
    tool("get_unknown_type", inputSchema={"type": "object", "properties": {"a": {"type": "objekt"}}}),
    tool("get_text_schema", inputSchema={"type": "string"}),
    tool("get_wrong_output", outputSchema={"required": "all"}),
    tool("get_strange_dialect", inputSchema={"$schema": "http://127.0.0.1:9/never-fetched", "required": 7}),
    tool("get_deep", inputSchema=_nested()),
    tool("get_huge", "x" * 300_000),
    tool("get_number", annotations={"readOnlyHint": "perhaps"}),
    {**tool("get_described"), "description": 7},
    tool("get_twice"),
    tool("get_twice", "Another one."),
    tool("get_header", inputSchema={"type": "object", "properties": {"a": {"type": "array", "x-mcp-header": "A"}}}),
    tool("get_\ud800half"),
    tool("get_\0zero"),
    tool(""),
    tool("get_" + "long" * 80),
    {**tool(""), "name": 7},
    {"inputSchema": {"type": "object"}},
    "get_text",
    None,
    ["get_list"],
]


def tools() -> Any:
    bad_day = Path(sys.argv[1])
    if not bad_day.exists():
        return [tool("get_on", "Goes on.")]
    return (
        [*SHAPELESS[:11], tool("get_on", "Goes on."), *SHAPELESS[11:]] if bad_day.read_text() != "no list" else "none"
    )


def call(wire: StdioWire, message: Message) -> Message:
    return text("on")


if __name__ == "__main__":
    StdioWire(tools, call).run()
