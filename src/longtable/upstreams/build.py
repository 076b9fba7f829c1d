"""Makes upstreams of their entries. Each starts when it is first needed, and fails alone."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from longtable.kernel.background import BackgroundTasks
from longtable.upstreams.directory import InstanceKey
from longtable.upstreams.entries import HttpEntry, OpenApiEntry, StdioEntry, UpstreamEntry
from longtable.upstreams.port import Upstream, UpstreamHost

if TYPE_CHECKING:
    from longtable.upstreams.authorization import Authorization
    from longtable.upstreams.process_proxy import ProcessProxy


class EntryUpstreams:
    """`host` may run the programs already; `authorize` has the tokens of a tenant for an upstream with `oauth`."""

    def __init__(
        self,
        *,
        allowed_hosts: frozenset[str] = frozenset(),
        host: UpstreamHost | None = None,
        background: BackgroundTasks | None = None,
        authorize: "Callable[[str, HttpEntry], Authorization] | None" = None,
    ) -> None:
        self._allowed_hosts = allowed_hosts
        self._host = host
        self._background = background
        self._authorize = authorize
        self._proxy: ProcessProxy | None = None

    def build(self, entry: UpstreamEntry, key: InstanceKey) -> Upstream:
        # The SDK is loaded only where there are upstreams.
        from longtable.upstreams.mcp_upstream import McpUpstream
        from longtable.upstreams.openapi_upstream import OpenApiUpstream

        if isinstance(entry, OpenApiEntry):
            return OpenApiUpstream(entry, allowed_hosts=self._allowed_hosts)
        assert isinstance(entry, StdioEntry | HttpEntry)  # there are no others
        own = McpUpstream(entry, allowed_hosts=self._allowed_hosts)
        own.background = self._background or own.background
        if self._authorize is not None and isinstance(entry, HttpEntry) and entry.oauth is not None:
            assert key.tenant is not None  # it is not shared: the tokens are a tenant's
            own.authorization = self._authorize(key.tenant, entry)
        if self._host is None or isinstance(entry, HttpEntry):
            return own
        return self._proxied(own, entry, key, self._host)

    async def end(self, upstream: Upstream) -> None:
        from longtable.upstreams.process_proxy import ProxiedUpstream

        if isinstance(upstream, ProxiedUpstream):
            await upstream.end()

    async def close(self) -> None:
        if self._proxy is not None:
            await self._proxy.close()

    def _proxied(self, own: Upstream, entry: StdioEntry, key: InstanceKey, host: UpstreamHost) -> Upstream:
        from longtable.upstreams.process_proxy import HOST_SECONDS, ForbiddenProgram, ProcessProxy, ProxiedUpstream

        if self._proxy is None:
            self._proxy = ProcessProxy(host.socket, timeout=HOST_SECONDS if host.is_only else 0.0)
        fallback = ForbiddenProgram(entry.name) if host.is_only else own
        return ProxiedUpstream(fallback, entry, self._proxy, key)
