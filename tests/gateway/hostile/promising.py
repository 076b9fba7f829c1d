"""Promises what it answers with, in a strict schema that refers to itself. `leaves` says how much of it."""

from tests.gateway.hostile.wire import Message, StdioWire, Tool, text, tool

_TREE = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {"name": {"$ref": "#/definitions/word"}, "children": {"type": "array", "items": {"$ref": "#"}}},
    "required": ["name", "children"],
    "additionalProperties": False,
    "definitions": {"word": {"type": "string"}},
}
_INPUTS = {"type": "object", "properties": {"leaves": {"type": "integer"}}}


def tools() -> list[Tool]:
    return [
        tool("get_tree", "Gets a tree.", inputSchema=_INPUTS, outputSchema=_TREE),
        tool("delete_tree", "Fells a tree.", inputSchema=_INPUTS, outputSchema=_TREE),
    ]


def call(wire: StdioWire, message: Message) -> Message:
    leaves = [{"name": "leaf", "children": []}] * message["params"]["arguments"].get("leaves", 1)
    return {**text("a tree"), "structuredContent": {"name": "root", "children": leaves}}


if __name__ == "__main__":
    StdioWire(tools, call).run()
