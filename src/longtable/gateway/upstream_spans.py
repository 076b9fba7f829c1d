"""A call of an upstream as a span: by the conventions for MCP where the upstream speaks it."""

from collections.abc import Iterator
from contextlib import contextmanager

from longtable.kernel.tracing import Operation, is_recording, operation, span
from longtable.upstreams.entries import StdioEntry
from longtable.upstreams.port import Upstream, UpstreamCall
from longtable.upstreams.requests import McpRequests


@contextmanager
def upstream_span(upstream: Upstream, call: UpstreamCall, decision_id: str | None) -> Iterator[Operation | None]:
    if not is_recording():
        yield None
        return
    names = {"longtable.upstream": upstream.name}
    if decision_id is not None:
        names["longtable.decision_id"] = decision_id
    if not isinstance(upstream, McpRequests):
        with span(f"execute_tool {call.tool}", **{**names, "gen_ai.operation.name": "execute_tool"}):
            yield None
        return
    transport = "pipe" if isinstance(upstream.entry, StdioEntry) else "tcp"
    with operation("client", "tools/call", call.tool, {**names, "network.transport": transport}) as under_way:
        yield under_way
