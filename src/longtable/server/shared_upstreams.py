"""While a server runs, the processes beside it on the same embedded store use the programs of its upstreams."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from longtable.kernel.logs import logger
from longtable.server.unix import open_unix
from longtable.settings.options import Settings

# The process that runs the programs needs no application.
if TYPE_CHECKING:
    from longtable.app import App
    from longtable.upstreams.port import UpstreamHost

SOCKET = "upstreams.sock"


def host_beside(settings: Settings) -> "UpstreamHost | None":
    """Who may run the programs for a process on this store."""
    path = shared_socket_of(settings)
    if path is None or settings.gateway_config is None:
        return None
    # Loaded only where there are upstreams.
    from longtable.upstreams.port import UpstreamHost

    return UpstreamHost(path)


def shared_socket_of(settings: Settings) -> Path | None:
    """Where the programs of a server on this store can be asked for; None where that may be elsewhere."""
    shared = settings.store == "sqlite" and sys.platform != "win32"
    return settings.data_dir / SOCKET if shared else None


@asynccontextmanager
async def shares_upstreams(app: "App") -> AsyncIterator[None]:
    """Where another server does so already, or there can be no socket, others start their own."""
    path, file = shared_socket_of(app.settings), app.gateway_file
    if path is None or file is None:
        yield
        return
    from longtable.upstreams.entries import StdioEntry
    from longtable.upstreams.process_proxy_server import ProcessProxyServer, program_key

    names = {program_key(entry): entry.name for entry in file.mcp if isinstance(entry, StdioEntry)}
    try:
        listener = open_unix(path) if names else None
    except OSError as error:
        logger.info("upstreams_not_lent", reason=error.strerror or str(error))
        listener = None
    if listener is None:
        yield
        return
    proxy_server = ProcessProxyServer(lambda key: app.slices.gateway.dependencies.upstreams.get(names.get(key, "")))
    try:
        async with proxy_server.serving(listener):
            yield
    finally:
        path.unlink(missing_ok=True)
