"""A server for the demo, in this process."""

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable

from longtable.kernel.background import owned_task
from longtable.kernel.errors import ShuttingDown
from longtable.server.http import HttpApp
from longtable.server.serve import Announce, serve
from longtable.settings.options import Settings

Perform = Callable[[str], Awaitable[None]]
"""What happens at the address of the server. When it returns, the server stops."""


async def host(settings: Settings, announce: Announce, perform: Perform) -> None:
    """Serves until a signal or the end of the performance. Raises the error of either."""
    listening: asyncio.Future[tuple[HttpApp, str]] = asyncio.get_running_loop().create_future()

    async def listens(http: HttpApp, address: str) -> None:
        await announce(http, address)
        listening.set_result((http, address))

    async def performing() -> None:
        http, address = await listening
        if sys.platform != "win32":
            # A closed terminal ends the demo, too.
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, _stop, http)
        try:
            await perform(address)
        except Exception:
            # A team that still plays when the server stops loses its connection.
            if not http.stopping:
                raise
        finally:
            _stop(http)

    serving, playing = owned_task(serve(settings, listens)), owned_task(performing())
    await asyncio.wait({serving})
    playing.cancel()
    await asyncio.wait({playing})
    serving.result()
    _raise_failure(playing)


def _stop(http: HttpApp) -> None:
    """Like Ctrl+C. A second signal would stop at once, so a stopping server gets none."""
    if not http.stopping:
        signal.raise_signal(signal.SIGTERM)


def _raise_failure(playing: "asyncio.Task[None]") -> None:
    if playing.cancelled() or isinstance(playing.exception(), ShuttingDown):
        return
    failure = playing.exception()
    if failure is not None:
        raise failure
