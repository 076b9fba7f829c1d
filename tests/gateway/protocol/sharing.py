"""A program that one process runs, and another one uses."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

from longtable.upstreams.directory import InstanceKey
from longtable.upstreams.entries import StdioEntry
from longtable.upstreams.forbidden_program import ForbiddenProgram
from longtable.upstreams.mcp_upstream import McpUpstream
from longtable.upstreams.port import Upstream
from longtable.upstreams.process_proxy import ProcessProxy, ProxiedUpstream
from longtable.upstreams.process_proxy_server import ProcessProxyServer, ProgramOffer


class OneProgram:
    """All that this host runs."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream

    def find(self, key: str, instance: InstanceKey) -> Any:
        return nullcontext(self._upstream)

    def accept(self, key: str, offer: ProgramOffer) -> bool:
        return True

    async def end(self, key: str) -> None:
        """It ends with the test."""


@asynccontextmanager
async def shared_program(entry: StdioEntry, place: Path) -> AsyncIterator[ProxiedUpstream]:
    """As the other process has it; `place` is for the socket between them."""
    program, proxy = McpUpstream(entry), ProcessProxy(place)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen()
        async with ProcessProxyServer(OneProgram(program)).serving(listener):
            yield ProxiedUpstream(ForbiddenProgram(entry.name), entry, proxy, InstanceKey(entry.name))
            await proxy.close()
    await program.close()
