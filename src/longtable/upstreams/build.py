"""Makes the upstreams of a gateway file. Each starts when it is first needed, and fails alone."""

from longtable.kernel.background import BackgroundTasks
from longtable.upstreams.config import GatewayFile
from longtable.upstreams.entries import StdioEntry
from longtable.upstreams.port import Upstream, UpstreamHost


def build_upstreams(
    file: GatewayFile, *, host: UpstreamHost | None = None, background: BackgroundTasks | None = None
) -> dict[str, Upstream]:
    """By name. Nothing is started or connected yet; `host` may run the programs already."""
    # The SDK is loaded only where there are upstreams.
    from longtable.upstreams.mcp_upstream import McpUpstream
    from longtable.upstreams.openapi_upstream import OpenApiUpstream
    from longtable.upstreams.process_proxy import HOST_SECONDS, ForbiddenProgram, ProcessProxy, ProxiedUpstream

    hosts = file.allowed_hosts
    proxy = ProcessProxy(host.socket, timeout=HOST_SECONDS if host.is_only else 0.0) if host is not None else None
    upstreams: dict[str, Upstream] = {}
    for entry in file.mcp:
        own = McpUpstream(entry, allowed_hosts=hosts)
        own.background = background or own.background
        upstreams[entry.name] = own
        if host is not None and proxy is not None and isinstance(entry, StdioEntry):
            fallback = ForbiddenProgram(entry.name) if host.is_only else own
            upstreams[entry.name] = ProxiedUpstream(fallback, entry, proxy)
    return upstreams | {entry.name: OpenApiUpstream(entry, allowed_hosts=hosts) for entry in file.openapi}
