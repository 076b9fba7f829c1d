"""Whether what a server lists has the form of a tool. One that has not is left out alone, with the reason."""

import json
from collections.abc import Mapping
from typing import Any

import jsonschema_rs
import mcp_types as types
from mcp.shared.inbound import X_MCP_HEADER_KEY, find_invalid_x_mcp_header
from pydantic import ValidationError

from longtable.governance.model import MAX_DEPTH, is_deeper_than

MAX_NAME = 256
MAX_CHARACTERS = 262_144
"""The most characters of a whole definition, as JSON."""
_DRAFTS = frozenset(
    {
        *(f"http://json-schema.org/draft-0{number}/schema" for number in (4, 6, 7)),
        *(f"https://json-schema.org/draft/{year}/schema" for year in ("2019-09", "2020-12")),
    }
)


class MalformedTool(Exception):
    """The message says what is wrong with it."""


def parse_tool(raw: Any) -> types.Tool:
    """Raises MalformedTool."""
    if not isinstance(raw, dict):
        raise MalformedTool("it is not an object")
    _check_name(raw.get("name"))
    _check_text(raw)
    try:
        tool = types.Tool.model_validate(raw, by_name=False)
    except ValidationError as error:
        mistake = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in mistake["loc"])
        raise MalformedTool(f"{place}: {mistake['msg']}"[:300]) from None
    _check_schema("inputSchema", tool.input_schema)
    if tool.input_schema.get("type", "object") != "object":
        raise MalformedTool("inputSchema: its type must be object")
    problem = find_invalid_x_mcp_header(tool.input_schema)
    if problem is not None:
        raise MalformedTool(problem[:300])
    if tool.output_schema is not None:
        _check_schema("outputSchema", tool.output_schema)
    return tool


def for_sdk(raw: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the SDK must know of a tool: which of its arguments are sent as headers. None if it has no such arguments,
    or is malformed."""
    try:
        if X_MCP_HEADER_KEY not in json.dumps(raw.get("inputSchema")):
            return None
        tool = parse_tool(raw)
    except (ValueError, RecursionError, MalformedTool):
        return None
    return {"name": tool.name, "inputSchema": {**tool.input_schema, "type": "object"}}


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME or not name.isprintable():
        raise MalformedTool(f"its name must be a text of 1 to {MAX_NAME} printable characters")


def _check_text(raw: Mapping[str, Any]) -> None:
    if is_deeper_than(raw, MAX_DEPTH):
        raise MalformedTool("it is nested too deeply")
    try:
        text = json.dumps(raw, ensure_ascii=False, allow_nan=False)
        text.encode()
    except ValueError:
        raise MalformedTool("it holds text that is not valid Unicode, or a number that JSON does not have") from None
    if len(text) > MAX_CHARACTERS:
        raise MalformedTool(f"it has {len(text)} characters; at most {MAX_CHARACTERS} are allowed")


def _check_schema(place: str, schema: Mapping[str, Any]) -> None:
    declared = schema.get("$schema")
    if not isinstance(declared, str) or declared.rstrip("#") not in _DRAFTS:
        # The validator would fetch a dialect that it does not know.
        schema = {name: value for name, value in schema.items() if name != "$schema"}
    try:
        jsonschema_rs.meta.validate(dict(schema))
    except (ValueError, jsonschema_rs.ValidationError) as error:
        raise MalformedTool(f"{place}: {str(error).partition(chr(10))[0][:200]}") from None
