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

_MAX_LINKS = 10


def tool_result(entry: McpEntry, answer: ToolAnswer) -> UpstreamResult:
    most = entry.limits.max_response_bytes
    # What the server says of itself would stand beside what we say of ourselves.
    meta = {name: value for name, value in answer.meta.items() if name != types.SERVER_INFO_META_KEY}
    return limited_result(answer.content, answer.structured, most=most, is_error=answer.is_error, meta=meta)


def tool_failure(entry: McpEntry, error: MCPError) -> UpstreamResult:
    """An error response is the result of the call. Links that have to be opened first stand in its text: the error
    itself stays between the server and us."""
    most = entry.limits.max_response_bytes
    lines = [error.error.message, *_links(error.error)]
    return error_result(entry.mask("\n".join(lines)), most, code=error.error.code)


def _links(error: types.ErrorData) -> list[str]:
    elicitations = error.data.get("elicitations") if isinstance(error.data, dict) else None
    if error.code != types.URL_ELICITATION_REQUIRED or not isinstance(elicitations, list):
        return []
    pages = [each for each in elicitations[:_MAX_LINKS] if isinstance(each, dict)]
    return [
        f"{str(each.get('message', ''))[:500]} Open {each['url'][:2000]}".strip()
        for each in pages
        if isinstance(each.get("url"), str) and each["url"].startswith(("https://", "http://"))
    ]


def raise_if_broken(entry: McpEntry, connection: UpstreamConnection, error: MCPError) -> None:
    """A transport error is raised; an error response of the server is its answer."""
    closed = error.error.code == types.CONNECTION_CLOSED
    lost = closed and (not isinstance(entry, StdioEntry) or not connection.is_open)
    if lost or transport_status(error) is not None:
        reason = connection.problem if not connection.is_open else error.error.message[:300]
        problem = f"{entry.name} broke off: {entry.mask(reason)}"
        raise UpstreamError(problem, upstream=entry.name) from None
