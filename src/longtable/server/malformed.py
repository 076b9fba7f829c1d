"""What came instead of a JSON-RPC message, and the error that its sender gets."""

from typing import Any, Protocol

from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, JSONRPCNotification
from pydantic import ValidationError
from pydantic_core import from_json

NOT_A_MESSAGE = "must be a JSON-RPC 2.0 message: an object with jsonrpc, method, params and, for a request, id"
ODD_ID = "id must be a string or an integer"


class OddId(ValueError):
    """A request whose id is neither a text nor an integer."""


class Replies(Protocol):
    async def send(self, item: SessionMessage) -> Any: ...


def has_odd_id(raw: Any) -> bool:
    """Whether it is a request that the SDK takes for a notification, which is never answered."""
    return isinstance(raw, dict) and "method" in raw and type(raw.get("id", 0)) not in (int, str)


def checked_line(item: SessionMessage | Exception, line: str) -> SessionMessage | Exception:
    """What came with a line of standard input; OddId for a request that would never be answered."""
    is_notification = isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCNotification)
    return OddId() if is_notification and '"id"' in line and has_odd_id(from_json(line)) else item


async def refuse_line(replies: Replies, error: Exception) -> None:
    """Answers a line of standard input, so that whoever sent it does not wait. A blank one is passed over."""
    if isinstance(error, OddId):
        await _refuse(replies, INVALID_REQUEST, f"Invalid request: {ODD_ID}")
        return
    fault = error.errors(include_url=False)[0] if isinstance(error, ValidationError) else None
    if fault is None or not str(fault["input"]).strip():
        return
    code, words = INVALID_REQUEST, f"Invalid request: {NOT_A_MESSAGE}"
    if fault["type"] == "json_invalid":
        code, words = PARSE_ERROR, "Parse error: the line is not JSON"
    await _refuse(replies, code, words)


async def _refuse(replies: Replies, code: int, words: str) -> None:
    await replies.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=code, message=words))))
