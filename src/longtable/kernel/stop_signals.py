"""Signals to an event loop, on every system."""

import asyncio
import signal
import sys
from collections.abc import Callable


def call_on_stop_signals(stop: Callable[[], None]) -> None:
    """Has the running loop call `stop` for SIGTERM and SIGINT, which is Ctrl+C."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        if sys.platform == "win32":
            # The loops of Windows have no handlers of their own, but a signal wakes them.
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
        else:
            loop.add_signal_handler(number, stop)
