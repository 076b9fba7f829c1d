"""How a refusal looks on an MCP endpoint before any tool has run. Clients show nothing but JSON-RPC."""

import json
from typing import Any

from pydantic_core import from_json
from starlette.responses import Response

from longtable.kernel.errors import LongtableError
from longtable.rest.replies import headers_for

REFUSED = -32_000
"""The JSON-RPC code of a refusal of ours; the code that matters is in `error.data.code`."""


PARSE_ERROR = -32_700
_LARGE = 65_536


def rpc_error(error: LongtableError, body: bytes | None, code: int = REFUSED) -> Response:
    """Carries the id of the request that it answers, if the request has one."""
    data = {"code": error.code, "details": error.details}
    problem = {"code": code, "message": error.message, "data": data}
    reply = {"jsonrpc": "2.0", "id": _request_id(body), "error": problem}
    # In ASCII: an id may hold half a character, which has no bytes of its own.
    return Response(json.dumps(reply), error.status, headers_for(error), "application/json")


def _request_id(body: bytes | None) -> Any:
    try:
        # The faster one does not take half a character, which the other does.
        message = (
            json.loads(body or b"null") if len(body or b"") < _LARGE else from_json(body or b"", cache_strings="none")
        )
    except (ValueError, RecursionError):
        return None
    request_id = message.get("id") if isinstance(message, dict) else None
    return request_id if isinstance(request_id, str | int) and not isinstance(request_id, bool) else None
