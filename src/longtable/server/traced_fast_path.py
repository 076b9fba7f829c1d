"""The fast path with a span for each request. Used in place of it where traces are recorded."""

from typing import Any

from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.types import Receive, Scope, Send

from longtable.connections.service import Connection
from longtable.kernel.tracing import TRACE_FIELDS, continued
from longtable.server.body import MESSAGE
from longtable.server.fast_path import FastPath, FastPathCall, FastPathList
from longtable.server.fast_path_lists import FastPathLists
from longtable.server.incoming_request import HEADERS
from longtable.server.request_spans import request_span, trace_of


class TracedFastPath(FastPath):
    async def answer(self, call: FastPathCall, scope: Scope, send: Send) -> None:
        connection = call.client.connection
        version = MODERN_PROTOCOL_VERSIONS[-1] if connection is None else connection.row.client.protocol_version
        with (
            continued(_trace(scope)),
            request_span(
                "tools/call",
                call.tool,
                version=version,
                request_id=call.request_id,
                connection=_name(connection),
                transport="tcp",
            ),
        ):
            await super().answer(call, scope, send)


class TracedFastPathLists(FastPathLists):
    async def answer(self, request: FastPathList, scope: Scope, receive: Receive, send: Send) -> None:
        with (
            continued(_trace(scope)),
            request_span(
                "tools/list",
                None,
                version=request.version,
                request_id=request.request_id,
                connection=_name(request.client.connection),
                transport="tcp",
            ),
        ):
            await super().answer(request, scope, receive, send)


def _name(connection: Connection | None) -> str | None:
    return None if connection is None else connection.row.connection_id


def _trace(scope: Scope) -> dict[str, str]:
    headers: dict[bytes, bytes] = scope[HEADERS] or {}
    decoded = {name: headers[name.encode()].decode("latin-1") for name in TRACE_FIELDS if name.encode() in headers}
    params: dict[str, Any] = scope[MESSAGE].get("params") or {}
    return trace_of(params.get("_meta") or {}, decoded)
