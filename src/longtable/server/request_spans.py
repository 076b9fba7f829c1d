"""Requests of MCP as spans: the trace that their sender is in, and a span of our own where traces are recorded."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from mcp.shared.exceptions import MCPError

from longtable.kernel.caller import Caller
from longtable.kernel.tracing import (
    TRACE_FIELDS,
    TRACEPARENT,
    Operation,
    annotate,
    continued,
    is_recording,
    is_under_way,
    operation,
    tool_failed,
)
from longtable.server.senders import Context, connection_of
from longtable.toolkit.dispatch import SUCCESS

_LONGEST_NAME: Final = 128


async def traced(ctx: Context, call_next: Any) -> Any:
    """A middleware in place of the SDK's, which knows no headers, no transport and no connection, and makes spans that
    nobody records."""
    with continued(_trace_of(ctx)):
        if not is_recording() or ctx.request_id is None or is_under_way():
            return await call_next(ctx)
        connection = connection_of(ctx)
        with request_span(
            ctx.method,
            _target(ctx.params),
            version=ctx.protocol_version,
            request_id=ctx.request_id,
            connection=None if connection is None else connection.row.connection_id,
            transport="pipe" if ctx.request is None else "tcp",
        ) as under_way:
            try:
                return await call_next(ctx)
            except MCPError as error:
                data = error.error.data
                known = data.get("code") if isinstance(data, Mapping) else None
                under_way.failed(str(known or error.error.code))
                raise


def note_outcome(caller: Caller, code: str) -> None:
    """Adds the outcome of a call of one of our own tools to its span."""
    annotate(tenant=caller.tenant, agent=caller.agent, session_id=caller.session_id)
    if code != SUCCESS:
        tool_failed(code)


@contextmanager
def request_span(
    method: str,
    target: str | None,
    *,
    version: str,
    request_id: str | int,
    connection: str | None,
    transport: str,
) -> Iterator[Operation]:
    attributes = {
        "mcp.protocol.version": version,
        "jsonrpc.request.id": str(request_id),
        "network.transport": transport,
    }
    if connection is not None:
        attributes["mcp.session.id"] = connection
    with operation("server", method, None if target is None else target[:_LONGEST_NAME], attributes) as under_way:
        yield under_way


def trace_of(meta: Mapping[str, Any], headers: Mapping[Any, Any]) -> dict[str, str]:
    """What `_meta` says counts before the headers."""
    source = meta if isinstance(meta.get(TRACEPARENT), str) else headers
    found = {name: source[name] for name in TRACE_FIELDS if name in source}
    return {name: value for name, value in found.items() if isinstance(value, str)}


def _trace_of(ctx: Context) -> dict[str, str]:
    return trace_of(ctx.meta or {}, {} if ctx.request is None else ctx.request.headers)


def _target(params: Mapping[str, Any] | None) -> str | None:
    """Of a call or a prompt. Addresses of resources say too much."""
    name = (params or {}).get("name")
    return name if isinstance(name, str) else None
