"""What came instead of a JSON-RPC message, and the error that its sender gets."""

from typing import Any, Protocol

from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

NOT_A_MESSAGE = "must be a JSON-RPC 2.0 message: an object with jsonrpc, method, params and, for a request, id"


class Replies(Protocol):
    async def send(self, item: SessionMessage) -> Any: ...


async def refuse_line(replies: Replies, error: Exception) -> None:
    """Answers a line of standard input, so that whoever sent it does not wait. A blank one is passed over."""
    fault = error.errors(include_url=False)[0] if isinstance(error, ValidationError) else None
    if fault is None or not str(fault["input"]).strip():
        return
    code, words = INVALID_REQUEST, f"Invalid request: {NOT_A_MESSAGE}"
    if fault["type"] == "json_invalid":
        code, words = PARSE_ERROR, "Parse error: the line is not JSON"
    await replies.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=code, message=words))))
