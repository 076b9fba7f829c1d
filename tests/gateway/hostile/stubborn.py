"""Does not want to end: ignores the end of its input and SIGTERM. So do a child of it, and one that has left for a
session of its own."""

import os
import signal
import time

from tests.gateway.hostile.wire import Message, StdioWire, Tool, tool


def tools() -> list[Tool]:
    return [tool("get_family", "Its process and its children.")]


def call(wire: StdioWire, message: Message) -> Message:
    return {"content": [], "structuredContent": {"pids": [os.getpid(), _child, _daemon]}}


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _daemon = 0
    _child = os.fork()
    if _child:
        _daemon = os.fork()
        if _daemon:
            StdioWire(tools, call).run()
        else:
            os.setsid()
    while True:
        time.sleep(60)
