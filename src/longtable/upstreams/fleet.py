"""All upstreams of a gateway file together. Each starts when it is first needed, and fails alone."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence

from longtable.governance.model import ToolDefinition
from longtable.kernel.background import BackgroundTasks, owned_task
from longtable.kernel.errors import LongtableError
from longtable.upstreams.config import GatewayFile
from longtable.upstreams.entries import StdioEntry
from longtable.upstreams.port import Upstream, UpstreamHost

PATIENCE = 2.0
"""Seconds that a list waits for an upstream which does not answer; later lists do not wait for it again."""


class Fleet:
    def __init__(self, upstreams: Sequence[Upstream], *, patience: float = PATIENCE) -> None:
        self._upstreams = {upstream.name: upstream for upstream in upstreams}
        self._patience = patience
        self._asking: dict[str, tuple[float, asyncio.Task[Sequence[ToolDefinition]]]] = {}
        self._known: dict[str, Sequence[ToolDefinition]] = {}

    @property
    def upstreams(self) -> Mapping[str, Upstream]:
        return self._upstreams

    def on_change(self, callback: Callable[[], None]) -> None:
        for upstream in self._upstreams.values():
            upstream.on_change(callback)

    async def definitions(self) -> dict[str, Sequence[ToolDefinition]]:
        """By upstream. One that fails is not there; one that takes its time is there as it was before."""
        asking = {name: self._ask(name) for name in self._upstreams}
        now = time.monotonic()
        # Whoever has been waited for once is not waited for again.
        waiting = [task for started, task in asking.values() if now - started < self._patience]
        if waiting:
            await asyncio.wait(waiting, timeout=self._patience)
        for name, (_, task) in asking.items():
            if task.done():
                self._settle(name, task)
        return {name: self._known[name] for name in self._upstreams if name in self._known}

    def _ask(self, name: str) -> tuple[float, "asyncio.Task[Sequence[ToolDefinition]]"]:
        if name not in self._asking:
            task = owned_task(self._upstreams[name].definitions())
            self._asking[name] = (time.monotonic(), task)
        return self._asking[name]

    def _settle(self, name: str, task: "asyncio.Task[Sequence[ToolDefinition]]") -> None:
        self._asking.pop(name, None)
        try:
            self._known[name] = task.result()
        except (LongtableError, asyncio.CancelledError):
            self._known.pop(name, None)

    async def close(self) -> None:
        tasks = [task for _, task in self._asking.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(upstream.close() for upstream in self._upstreams.values()))


def build_fleet(
    file: GatewayFile,
    *,
    host: UpstreamHost | None = None,
    patience: float = PATIENCE,
    background: BackgroundTasks | None = None,
) -> Fleet:
    """Nothing is started or connected yet. `host` may run the programs already."""
    # The SDK is loaded only where there are upstreams.
    from longtable.upstreams.mcp_upstream import McpUpstream
    from longtable.upstreams.openapi_upstream import OpenApiUpstream
    from longtable.upstreams.process_proxy import HOST_SECONDS, ForbiddenProgram, ProcessProxy, ProxiedUpstream

    hosts = file.allowed_hosts
    own = [McpUpstream(entry, allowed_hosts=hosts) for entry in file.mcp]
    if background is not None:
        for upstream in own:
            upstream.background = background
    mcp: list[Upstream] = list(own)
    if host is not None:
        proxy = ProcessProxy(host.socket, timeout=HOST_SECONDS if host.is_only else 0.0)
        mcp = [
            ProxiedUpstream(ForbiddenProgram(entry.name) if host.is_only else each, entry, proxy)
            if isinstance(entry, StdioEntry)
            else each
            for each, entry in zip(own, file.mcp, strict=True)
        ]
    web: list[Upstream] = [OpenApiUpstream(entry, allowed_hosts=hosts) for entry in file.openapi]
    return Fleet([*mcp, *web], patience=patience)
