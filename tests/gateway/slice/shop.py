"""A server with tools of every kind, which writes down each call that reaches it.

Argument: the file for that."""

import json
import os
import sys
import time
from pathlib import Path

from tests.gateway.hostile.wire import Message, StdioWire, Tool, text, tool

_JOURNAL = Path(sys.argv[1])
_ORDER = {
    "type": "object",
    "properties": {
        "post": {
            "type": "object",
            "properties": {"id": {"type": ["integer", "string"]}, "tags": {"type": "array"}},
            "required": ["id"],
        },
        "force": {"type": "boolean"},
        "note": {"type": ["string", "null"]},
    },
}
_REFERRING = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "tree": {"$ref": "#/$defs/node"},
        "size": {"type": "integer", "minimum": 1, "maximum": 10, "multipleOf": 2},
        "example": {"const": {"$ref": "#/$defs/node"}},
        "default": {"$ref": "#/$defs/word"},
    },
    "required": ["tree"],
    "additionalProperties": False,
    "$defs": {
        "word": {"type": "string", "pattern": "^[a-z]+$"},
        "node": {
            "type": "object",
            "properties": {
                "name": {"$ref": "#/$defs/word"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            },
            "required": ["name"],
        },
    },
}
_NAMED = {
    "$id": "https://example.org/named.json",
    "type": "object",
    "properties": {"word": {"$ref": "#/$defs/word"}},
    "$defs": {"word": {"type": "string", "maxLength": 3}},
}
_OURS = ("workspace_id", "confirm_token", "idempotency_key", "_context", "inputs", "conversation_id")
_RESERVED = {"type": "object", "properties": {name: {"type": "string"} for name in _OURS}}


def tools() -> list[Tool]:
    return [
        tool("delete_post", "Deletes a post.", inputSchema=_ORDER),
        tool("list_posts", "Lists the posts.", annotations={"readOnlyHint": True}),
        tool("get_post", "Gets a post.", inputSchema={"type": "object", "properties": {"id": {"type": "integer"}}}),
        tool("get_tree", "Gets a tree.", inputSchema=_REFERRING),
        tool("get_named", "Gets a word.", inputSchema=_NAMED),
        tool("get_reserved", "Has arguments named like ours.", inputSchema=_RESERVED),
        tool("get_environment", "Tells what it was started with."),
        tool("get_slow", "Takes a while."),
        tool("get_failure", "Fails."),
        tool("get-hyphen", "Has a hyphen."),
        tool("get.dotted", "Has a dot."),
        tool("Get_Case", "Has capitals."),
        tool("get_größe", "Has an umlaut."),
        tool("checkout", "Buys all that is in the basket."),
        tool("debug_dump", "Is internal."),
        tool("admin_reset", "Is internal."),
        tool("internal_get", "Is internal."),
    ]


def call(wire: StdioWire, message: Message) -> Message:
    name, arguments = message["params"]["name"], message["params"].get("arguments") or {}
    with _JOURNAL.open("a") as journal:
        journal.write(json.dumps({"tool": name, "arguments": arguments}) + "\n")
    if name == "get_environment":
        return {**text(""), "structuredContent": {"environment": dict(os.environ), "arguments": sys.argv}}
    if token := message["params"].get("_meta", {}).get("progressToken"):
        wire.notify("notifications/progress", progressToken=token, progress=0)
    if name == "get_slow":
        time.sleep(float(arguments["seconds"]))
    if name == "get_failure":
        return {**text("the disk is full"), "isError": True}
    return {**text(f"ran {name}"), "structuredContent": {"arguments": arguments}}


if __name__ == "__main__":
    StdioWire(tools, call).run()
