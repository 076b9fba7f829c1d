"""What an MCP server answers to a call, as a result of an upstream."""

import mcp_types as types
from mcp.shared.exceptions import MCPError

from longtable.kernel.errors import UpstreamError
from longtable.upstreams.connection import UpstreamConnection
from longtable.upstreams.entries import McpEntry, StdioEntry
from longtable.upstreams.mcp_http import transport_status
from longtable.upstreams.port import UpstreamResult
from longtable.upstreams.results import error_result, limited_result
from longtable.upstreams.tool_answer import ToolAnswer


def tool_result(entry: McpEntry, answer: ToolAnswer) -> UpstreamResult:
    most = entry.limits.max_response_bytes
    # What the server says of itself would stand beside what we say of ourselves.
    meta = {name: value for name, value in answer.meta.items() if name != types.SERVER_INFO_META_KEY}
    return limited_result(answer.content, answer.structured, most=most, is_error=answer.is_error, meta=meta)


def tool_failure(entry: McpEntry, error: MCPError) -> UpstreamResult:
    """An error response is the result of the call."""
    most = entry.limits.max_response_bytes
    return error_result(entry.mask(error.error.message), most, code=error.error.code)


def raise_if_broken(entry: McpEntry, connection: UpstreamConnection, error: MCPError) -> None:
    """A transport error is raised; an error response of the server is its answer."""
    closed = error.error.code == types.CONNECTION_CLOSED
    lost = closed and (not isinstance(entry, StdioEntry) or not connection.is_open)
    if lost or transport_status(error) is not None:
        reason = connection.problem if not connection.is_open else error.error.message[:300]
        problem = f"{entry.name} broke off: {entry.mask(reason)}"
        raise UpstreamError(problem, upstream=entry.name) from None
