"""Serves the fixtures behind the product's own edges, on a free port of the loopback interface; prints the address."""

import asyncio
import socket
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from starlette.types import ASGIApp

from longtable.app import open_app
from longtable.server.http import HttpApp
from longtable.settings.load import load
from tests.conformance import fast_path
from tests.conformance.fixtures import build_server


@asynccontextmanager
async def build_app(server: Server[Any], data_dir: str) -> AsyncIterator[ASGIApp]:
    """Our guard and our transports around the fixtures. Streams, as some scenarios want to see progress."""
    settings = load({"data_dir": data_dir, "log_level": "warning"}, {}).settings
    async with open_app(settings, "conformance") as app:
        http = HttpApp(app, server=server)
        app.dispatcher.tools = {**app.dispatcher.tools, **fast_path.TOOLS}
        async with http.running():
            yield http


async def serve(listener: socket.socket, data_dir: str) -> None:
    """Runs until a signal ends it."""
    async with build_app(build_server(), data_dir) as app:
        config = uvicorn.Config(
            app,
            http="httptools",
            loop="none",
            lifespan="off",
            log_level="warning",
            timeout_graceful_shutdown=1,
        )
        await uvicorn.Server(config).serve([listener])


def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    with tempfile.TemporaryDirectory() as data_dir:
        asyncio.run(serve(listener, data_dir))


if __name__ == "__main__":
    main()
