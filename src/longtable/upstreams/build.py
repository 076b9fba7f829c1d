"""Makes upstreams of their entries. Each starts when it is first needed, and fails alone."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from longtable.kernel.background import BackgroundTasks
from longtable.upstreams.directory import InstanceKey
from longtable.upstreams.entries import HttpEntry, OpenApiEntry, StdioEntry, UpstreamEntry
from longtable.upstreams.instance_entry import instance_entry, remove_folder
from longtable.upstreams.instance_limits import InstanceLimits
from longtable.upstreams.port import Upstream, UpstreamHost

if TYPE_CHECKING:
    from longtable.upstreams.authorization import Authorization
    from longtable.upstreams.process_proxy import ProcessProxy


class EntryUpstreams:
    """`host` may run the programs already; `folder` is for the files of programs of one tenant or session; `authorize`
    has the tokens of a tenant for an upstream with `oauth`."""

    def __init__(
        self,
        *,
        allowed_hosts: frozenset[str] = frozenset(),
        host: UpstreamHost | None = None,
        background: BackgroundTasks | None = None,
        folder: Path = Path("upstreams"),
        authorize: "Callable[[str, HttpEntry], Authorization] | None" = None,
    ) -> None:
        self.allowed_hosts = allowed_hosts
        self._host = host
        self._background = background or BackgroundTasks()
        self._authorize = authorize
        self._folder = folder
        self._limits = InstanceLimits(self._background)
        self._proxy: ProcessProxy | None = None

    def build(self, entry: UpstreamEntry, key: InstanceKey) -> Upstream:
        # The SDK is loaded only where there are upstreams.
        from longtable.upstreams.openapi_upstream import OpenApiUpstream

        if isinstance(entry, OpenApiEntry):
            return OpenApiUpstream(entry, allowed_hosts=self.allowed_hosts)
        assert isinstance(entry, StdioEntry | HttpEntry)  # there are no others
        if isinstance(entry, HttpEntry):
            return self._own(entry, key)
        return self._program(entry, key)

    async def end(self, upstream: Upstream) -> None:
        from longtable.upstreams.process_proxy import ProxiedUpstream

        if isinstance(upstream, ProxiedUpstream):
            await upstream.end()

    async def remove_files(self, owner: str, name: str) -> None:
        await asyncio.to_thread(remove_folder, self._folder, owner, name)

    async def close(self) -> None:
        await self._limits.close()
        if self._proxy is not None:
            await self._proxy.close()

    def _own(self, entry: StdioEntry | HttpEntry, key: InstanceKey) -> Upstream:
        from longtable.upstreams.mcp_upstream import McpUpstream

        own = McpUpstream(entry, allowed_hosts=self.allowed_hosts)
        own.background = self._background
        if self._authorize is not None and isinstance(entry, HttpEntry) and entry.oauth is not None:
            assert key.tenant is not None  # it is not shared: the tokens are a tenant's
            own.authorization = self._authorize(key.tenant, entry)
        self._limits.add(own, key)
        return own

    def _program(self, source: StdioEntry, key: InstanceKey) -> Upstream:
        from longtable.upstreams.forbidden_program import ForbiddenProgram
        from longtable.upstreams.process_proxy import HOST_SECONDS, ProcessProxy, ProxiedUpstream
        from longtable.upstreams.process_proxy_server import program_key

        entry, host = instance_entry(source, key, self._folder), self._host
        if host is None:
            return self._own(entry, key)
        if self._proxy is None:
            self._proxy = ProcessProxy(host.socket, timeout=HOST_SECONDS if host.is_only else 0.0)
        fallback = ForbiddenProgram(entry.name) if host.is_only else self._own(entry, key)
        return ProxiedUpstream(fallback, entry, self._proxy, key, source=program_key(source))
