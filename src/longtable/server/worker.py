"""One worker of a supervisor: serves on the sockets that it inherits, until it is told to stop or the supervisor is
gone."""

import asyncio
import signal
import socket
from collections.abc import Sequence

from longtable.app import open_app
from longtable.kernel.background import owned_task
from longtable.server.child_process import SupervisorChannel
from longtable.server.http import HttpApp
from longtable.server.lent import lends_upstreams
from longtable.server.serve import DEFAULT_PROJECT, Announce, listen
from longtable.settings.checks import check_bind
from longtable.settings.options import Settings


def run_worker(
    settings: Settings, descriptors: Sequence[int], channel: SupervisorChannel, announce: Announce | None
) -> None:
    import uvloop

    uvloop.run(_work(settings, descriptors, channel, announce))


async def _work(
    settings: Settings, descriptors: Sequence[int], channel: SupervisorChannel, announce: Announce | None
) -> None:
    stopping = _told_to_stop(channel)

    async def ready(http: HttpApp, address: str) -> None:
        if announce is not None:
            await announce(http, address)
        channel.say_ready()

    async with open_app(settings, settings.project or DEFAULT_PROJECT) as app:
        check_bind(settings, app.auth)
        http = HttpApp(app)
        async with http.running(), lends_upstreams(app):
            await listen(http, [_inherited(number) for number in descriptors], stopping, ready)


def _inherited(descriptor: int) -> socket.socket:
    listener = socket.socket(fileno=descriptor)
    # Programs that we start in turn have no business with it, and would keep the port taken.
    listener.set_inheritable(False)
    return listener


def _told_to_stop(channel: SupervisorChannel) -> "asyncio.Task[bool]":
    """A second signal changes nothing: some systems send one to every process of a service, and the supervisor sends
    its own. What must end at once is killed."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def listen() -> None:
        try:
            channel.listen()
        except EOFError:
            loop.remove_reader(channel.socket)
            stop.set()

    loop.add_signal_handler(signal.SIGTERM, stop.set)
    loop.add_reader(channel.socket, listen)
    return owned_task(stop.wait())
