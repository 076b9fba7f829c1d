"""One worker of a supervisor: serves on the sockets that it inherits, until it is asked to stop or the supervisor is
gone."""

import asyncio
import signal
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longtable.app import App, open_app
from longtable.kernel.background import owned_task
from longtable.server.child_process import SupervisorChannel, inherited_socket
from longtable.server.http import HttpApp
from longtable.server.index_turn import IndexTurn
from longtable.server.serve import DEFAULT_PROJECT, Announce, listen
from longtable.server.shared_metrics import SharedMetrics
from longtable.server.telemetry import telemetry
from longtable.settings.checks import check_bind
from longtable.settings.options import Settings

if TYPE_CHECKING:
    from longtable.upstreams.port import UpstreamHost


def run_worker(
    settings: Settings, assignment: Mapping[str, Any], channel: SupervisorChannel, announce: Announce | None
) -> None:
    """`assignment` is the first message of the supervisor."""
    import uvloop

    uvloop.run(_work(settings, assignment, channel, announce))


async def _work(
    settings: Settings, assignment: Mapping[str, Any], channel: SupervisorChannel, announce: Announce | None
) -> None:
    stopping = _stop_requested(channel)
    settings = replace(settings, validation_workers=max(1, settings.validation_workers // settings.workers))

    async def ready(http: HttpApp, address: str) -> None:
        if announce is not None:
            await announce(http, address)
        channel.report_ready()

    project, host = settings.project or DEFAULT_PROJECT, _upstream_host(assignment["upstreams"])
    with telemetry(settings):
        async with open_app(settings, project, upstream_host=host) as app:
            await _serve(app, assignment, stopping, ready)


async def _serve(app: App, assignment: Mapping[str, Any], stopping: "asyncio.Task[bool]", ready: Announce) -> None:
    settings, folder = app.settings, Path(assignment["folder"])
    check_bind(settings, app.auth)
    turn = IndexTurn(folder, app)
    app.index_turn = turn.wait
    if settings.workers > 1:
        app.background.start("index_turn", turn.look_for_others)
    http = HttpApp(app, shared_metrics=SharedMetrics(folder, assignment["number"], assignment["since"]))
    async with http.running():
        await listen(http, [inherited_socket(number) for number in assignment["sockets"]], stopping, ready)


def _upstream_host(path: str | None) -> "UpstreamHost | None":
    if path is None:
        return None
    # Loaded only where there are upstreams.
    from longtable.upstreams.port import UpstreamHost

    return UpstreamHost(Path(path), is_only=True)


def _stop_requested(channel: SupervisorChannel) -> "asyncio.Task[bool]":
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
