"""A server of the demo's own, in this process, for as long as somebody wants to look at it."""

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
    """Serves until a signal asks to stop or the performance is over. Raises what made either of them fail."""
    listening: asyncio.Future[tuple[HttpApp, str]] = asyncio.get_running_loop().create_future()

    async def listens(http: HttpApp, address: str) -> None:
        await announce(http, address)
        listening.set_result((http, address))

    async def performing() -> None:
        http, address = await listening
        if sys.platform != "win32":
            # A terminal that is closed is a reason to tidy up, too.
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, _stop, http)
        try:
            await perform(address)
        except Exception:
            # Whoever still plays when the server stops loses it in the middle of a sentence.
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
    """As a person would. A second signal means to stop at once, so a server that stops already gets none."""
    if not http.stopping:
        signal.raise_signal(signal.SIGTERM)


def _raise_failure(playing: "asyncio.Task[None]") -> None:
    if playing.cancelled() or isinstance(playing.exception(), ShuttingDown):
        return
    failure = playing.exception()
    if failure is not None:
        raise failure
