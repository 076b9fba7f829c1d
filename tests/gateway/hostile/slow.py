"""Takes its time: seconds before it starts to listen, for a list, and for a call."""

import sys
import time

from tests.gateway.hostile.wire import Message, StdioWire, Tool, text, tool

_START, _LIST, _CALL = (float(word) for word in sys.argv[1:4])


def tools() -> list[Tool]:
    time.sleep(_LIST)
    return [tool("get_later", "Comes late.")]


def call(wire: StdioWire, message: Message) -> Message:
    time.sleep(_CALL)
    return text("late")


if __name__ == "__main__":
    time.sleep(_START)
    StdioWire(tools, call).run()
