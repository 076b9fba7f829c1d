"""What an MCP server answers to a call of a tool, checked."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

import mcp_types as types
from mcp_types import methods
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter

CALL: Final = "tools/call"
CallOutcome = types.CallToolResult | types.InputRequiredResult
RESULT: Final[TypeAdapter[CallOutcome]] = TypeAdapter(CallOutcome)
_PLAIN: Final = frozenset({"content", "structuredContent", "isError", "_meta", "resultType"})
_TEXT: Final = {"type", "text"}


class ToolAnswer(NamedTuple):
    """As the protocol has it."""

    content: list[dict[str, Any]]
    structured: Any
    is_error: bool
    meta: Mapping[str, Any]


def answer_of(result: types.CallToolResult) -> ToolAnswer:
    content = [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in result.content]
    return ToolAnswer(content, result.structured_content, bool(result.is_error), result.meta or {})


def plain_answer(raw: Mapping[str, Any], version: str | None) -> ToolAnswer | None:
    """None for what is not plainly right, and for what is more than texts: the SDK's types know about that."""
    is_modern = version in MODERN_PROTOCOL_VERSIONS
    if raw.get("resultType") != ("complete" if is_modern else None) or not raw.keys() <= _PLAIN:
        return None
    content, structured = raw.get("content"), raw.get("structuredContent")
    is_error, meta = raw.get("isError", False), raw.get("_meta", {})
    if type(content) is not list or type(is_error) is not bool or type(meta) is not dict:
        return None
    if not (structured is None or type(structured) is dict) or not all(map(_is_text, content)):
        return None
    return ToolAnswer(content, structured, is_error, meta)


def _is_text(block: Any) -> bool:
    return type(block) is dict and block.keys() == _TEXT and block["type"] == "text" and type(block["text"]) is str


def parsed_outcome(raw: Mapping[str, Any], version: str | None) -> CallOutcome:
    """By the SDK's types, as its session does. Raises ValidationError."""
    with suppress(KeyError):
        methods.validate_server_result(CALL, version or types.LATEST_PROTOCOL_VERSION, raw)
    if version in MODERN_PROTOCOL_VERSIONS:
        return RESULT.validate_python(raw, by_name=False)
    older = {name: value for name, value in raw.items() if name != "resultType"}
    return types.CallToolResult.model_validate(older, by_name=False)
