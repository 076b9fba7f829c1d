"""While a server runs, the processes beside it on the same embedded store use its upstreams."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from longtable.app import App
from longtable.kernel.logs import logger
from longtable.server.unix import open_unix
from longtable.settings.options import Settings

SOCKET = "upstreams.sock"


def lender_of(settings: Settings) -> Path | None:
    """Where a server on this store would lend; None where processes need not be on one machine."""
    shared = settings.store == "sqlite" and sys.platform != "win32"
    return settings.data_dir / SOCKET if shared else None


@asynccontextmanager
async def lends_upstreams(app: App) -> AsyncIterator[None]:
    """Where another server does so already, or there can be no socket, others start their own."""
    path, file = lender_of(app.settings), app.gateway_file
    if path is None or file is None:
        yield
        return
    from longtable.upstreams.entries import StdioEntry
    from longtable.upstreams.lending import Lender, mark_of

    names = {mark_of(entry): entry.name for entry in file.mcp if isinstance(entry, StdioEntry)}
    try:
        listener = open_unix(path) if names else None
    except OSError as error:
        logger.info("upstreams_not_lent", reason=error.strerror or str(error))
        listener = None
    if listener is None:
        yield
        return
    lender = Lender(lambda mark: app.assembly.slices.gateway.desk.upstreams().get(names.get(mark, "")))
    try:
        async with lender.lending(listener):
            yield
    finally:
        path.unlink(missing_ok=True)
