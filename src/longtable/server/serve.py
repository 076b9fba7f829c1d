"""Runs the listener: opens its sockets, serves, and stops in an orderly way."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import uvicorn

from longtable.app import STORE_FILE, open_app
from longtable.kernel.background import owned_task
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import ConfigError
from longtable.kernel.logs import logger
from longtable.server.http import HttpApp
from longtable.server.lent import lends_upstreams
from longtable.server.protocol import bounded_protocol
from longtable.server.unix import open_unix
from longtable.settings.checks import check_bind
from longtable.settings.options import Settings

DEFAULT_PROJECT = "default"
CLOSING_SECONDS = 3.0
Announce = Callable[[HttpApp, str], Awaitable[None]]
"""Told once, when the listener answers: the application and its address."""


async def serve(settings: Settings, announce: Announce | None = None) -> None:
    """Serves until a signal asks to stop; then lets requests in flight finish and returns."""
    if settings.store == "sqlite" and not (settings.data_dir / STORE_FILE).exists():
        # A store that is yet to be made remembers nothing: refuse before making it.
        check_bind(settings)
    async with open_app(settings, settings.project or DEFAULT_PROJECT) as app:
        check_bind(settings, app.auth)
        sockets = _open_sockets(settings)
        try:
            http = HttpApp(app)
            async with http.running(), lends_upstreams(app):
                await _listen(http, sockets, announce)
        finally:
            for listener in sockets:
                listener.close()
            if settings.http_socket_path is not None:
                settings.http_socket_path.unlink(missing_ok=True)


async def _listen(http: HttpApp, sockets: list[socket.socket], announce: Announce | None) -> None:
    address = _address(sockets[0])
    server = _Server(
        uvicorn.Config(
            http,
            http=bounded_protocol(http.intake),
            ws="none",
            loop="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
            timeout_keep_alive=75,
        )
    )
    # Before anybody hears of us: whoever does may ask us to stop at once.
    stopping = _signals()
    logger.info("started", address=address)
    serving = owned_task(server.serve(sockets))
    if announce is not None:
        await announce(http, address)
    await asyncio.wait([serving, stopping], return_when=asyncio.FIRST_COMPLETED)
    await _drain(http, server)
    server.should_exit = True
    await serving
    logger.info("stopped")


class _Server(uvicorn.Server):
    """Leaves signals to us: between the signal and the end lies the draining."""

    @contextlib.contextmanager
    def capture_signals(self):  # type: ignore[no-untyped-def]  # the parent's type is private
        yield


async def _drain(http: HttpApp, server: uvicorn.Server) -> None:
    for listener in server.servers:
        listener.close()
    http.app.wakeups.close()
    await http.drain(http.app.settings.shutdown_timeout / SECOND)
    # What is not done by now is stuck, in a store that another process holds for example, and so may closing be.
    forced = threading.Timer(CLOSING_SECONDS, os._exit, (0,))
    forced.daemon = True
    forced.start()


def _signals() -> "asyncio.Task[bool]":
    asked = asyncio.Event()

    def stop() -> None:
        if asked.is_set():
            os._exit(1)
        asked.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    return owned_task(asked.wait())


def _open_sockets(settings: Settings) -> list[socket.socket]:
    family = socket.AF_INET6 if ":" in settings.http_host else socket.AF_INET
    host = settings.http_host.strip("[]")
    try:
        sockets = [socket.create_server((host, settings.http_port), family=family, backlog=2048)]
    except OSError as error:
        raise ConfigError(
            f"http_port: cannot listen on {settings.http_host}:{settings.http_port} ({error.strerror}).",
            hint="Set http_port to another one, or stop what listens there.",
        ) from error
    if settings.http_socket_path is not None:
        sockets.append(_open_unix(settings.http_socket_path))
    return sockets


def _open_unix(path: Path) -> socket.socket:
    try:
        return open_unix(path)
    except OSError as error:
        raise ConfigError(
            f"http_socket_path: cannot listen on it ({error.strerror}).", hint="Name a path that is free."
        ) from error


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(settings: Settings, announce: Announce | None = None) -> None:
    if sys.platform == "win32":
        asyncio.run(serve(settings, announce))
        return
    import uvloop

    uvloop.run(serve(settings, announce))
