"""Serves in one process: opens its sockets, serves, and stops in an orderly way. A worker of a supervisor shares the
second half of it."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Awaitable, Callable

import uvicorn

from longtable.app import open_app
from longtable.kernel.background import owned_task
from longtable.kernel.clock import SECOND
from longtable.kernel.logs import logger
from longtable.kernel.stop_signals import call_on_stop_signals
from longtable.server.http import HttpApp
from longtable.server.memory import set_program_aside
from longtable.server.protocol import bounded_protocol
from longtable.server.running_servers import noted
from longtable.server.shared_upstreams import shares_upstreams
from longtable.server.sockets import address_of, close_sockets, open_sockets
from longtable.server.telemetry import telemetry
from longtable.server.warm_up import start_warm_up
from longtable.settings.checks import check_bind, check_new_store
from longtable.settings.options import Settings

DEFAULT_PROJECT = "default"
CLOSING_SECONDS = 3.0
GRACE_SECONDS = 1.5
"""How long connections that are open are still served after the signal to stop."""
_LOOK_SECONDS = 0.02

Announce = Callable[[HttpApp, str], Awaitable[None]]
"""Called once, when the listener answers, with the application and its address."""


async def serve(settings: Settings, announce: Announce | None = None) -> None:
    """Serves until a signal asks to stop; then lets requests in flight finish and returns."""
    check_new_store(settings)
    with telemetry(settings):
        await _serve(settings, announce)


async def _serve(settings: Settings, announce: Announce | None) -> None:
    async with open_app(settings, settings.project or DEFAULT_PROJECT) as app:
        check_bind(settings, app.auth)
        sockets = open_sockets(settings)
        try:
            http = HttpApp(app)
            address = address_of(sockets[0])
            async with http.running(), shares_upstreams(app):
                # Before the address is announced: a stop may be requested right after.
                stopping = _signals(app.reload_gateway_file)
                logger.info("started", address=address)
                with noted(settings.data_dir, address):
                    await listen(http, sockets, stopping, announce)
                logger.info("stopped")
        finally:
            close_sockets(sockets, settings)


async def listen(
    http: HttpApp, sockets: list[socket.socket], stopping: "asyncio.Task[bool]", announce: Announce | None
) -> None:
    """Serves on these sockets until `stopping` is done, and what has begun thereafter."""
    address = http.app.address = address_of(sockets[0])
    server = _UvicornServer(
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
    set_program_aside()
    serving = owned_task(server.serve(sockets))
    accepting = owned_task(server.accepting.wait())
    await asyncio.wait([serving, accepting, stopping], return_when=asyncio.FIRST_COMPLETED)
    accepting.cancel()
    if announce is not None and server.accepting.is_set():
        await announce(http, address)
    start_warm_up(http.app)
    await asyncio.wait([serving, stopping], return_when=asyncio.FIRST_COMPLETED)
    await _drain(http, server)
    server.should_exit = True
    await serving


class _UvicornServer(uvicorn.Server):
    """Leaves signals to us: between the signal and the end lies the draining."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.accepting = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self):  # type: ignore[no-untyped-def]  # the parent's type is private
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.accepting.set()

    def stop_accepting(self) -> None:
        """Connections that are open stay so; one whose request is under way ends with its answer."""
        for listener in self.servers:
            listener.close()
        for connection in list(self.server_state.connections):
            cycle = getattr(connection, "cycle", None)
            if cycle is not None and not cycle.response_complete:
                connection.shutdown()

    def close_idle_connections(self) -> None:
        for connection in list(self.server_state.connections):
            connection.shutdown()


async def _drain(http: HttpApp, server: _UvicornServer) -> None:
    """Who has a connection is served for a moment longer and told to open another one: a request that is on its way
    already must not fail because we stop."""
    patience = http.app.settings.shutdown_timeout / SECOND
    began = time.monotonic()
    http.stopping = http.intake.is_stopping = True
    server.stop_accepting()
    http.app.wakeups.close()
    await http.end_streams()
    grace_ends = began + min(GRACE_SECONDS, patience)
    while server.server_state.connections and time.monotonic() < grace_ends:  # noqa: ASYNC110 - uvicorn tells of no end
        await asyncio.sleep(_LOOK_SECONDS)
    server.close_idle_connections()
    await http.drain(max(began + patience - time.monotonic(), 0))
    # What is not done by now is stuck, in a store that another process holds for example, and so may closing be.
    forced = threading.Timer(CLOSING_SECONDS, os._exit, (0,))
    forced.daemon = True
    forced.start()


def _signals(reload: Callable[[], None]) -> "asyncio.Task[bool]":
    stop_requested, has_terminal = asyncio.Event(), os.isatty(0)

    def stop() -> None:
        if stop_requested.is_set():
            os._exit(1)
        stop_requested.set()

    def hang_up() -> None:
        """Where the terminal is gone that we were started from, it asks to stop."""
        if has_terminal and not os.isatty(0):
            stop_requested.set()
        else:
            reload()

    call_on_stop_signals(stop)
    if sys.platform != "win32":
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, hang_up)
    return owned_task(stop_requested.wait())


def run(settings: Settings, announce: Announce | None = None) -> None:
    if sys.platform == "win32":
        asyncio.run(serve(settings, announce))
        return
    import uvloop

    uvloop.run(serve(settings, announce))
