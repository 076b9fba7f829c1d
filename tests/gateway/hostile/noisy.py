"""Floods its standard error, writes what is no message to its standard output, and tells of changes all the time."""

import sys

from tests.gateway.hostile.wire import Message, StdioWire, Tool, text, tool


def tools() -> list[Tool]:
    return [tool("get_noise", "Makes noise.")]


def call(wire: StdioWire, message: Message) -> Message:
    line = "\x1b[31mnoise " * 100 + "\n"
    for _ in range(int(message["params"]["arguments"].get("lines", 5_000))):
        sys.stderr.write(line)
    sys.stderr.flush()
    for _ in range(200):
        sys.stdout.write("this is not JSON\n")
        wire.notify("notifications/tools/list_changed")
    return text("heard?")


if __name__ == "__main__":
    sys.stderr.write("x" * 1_000_000)
    StdioWire(tools, call).run()
