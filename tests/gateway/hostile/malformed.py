"""Lists something that is no tool, beside one that is; only while a file is there."""

import sys
from pathlib import Path

from tests.gateway.hostile.wire import Message, Tool, Wire, text, tool

_WHILE = Path(sys.argv[1])


def tools() -> list[Tool]:
    return [tool("get_on", "Goes on."), *([{"name": "get_shapeless"}] if _WHILE.exists() else [])]


def call(wire: Wire, message: Message) -> Message:
    return text("on")


if __name__ == "__main__":
    Wire(tools, call).run()
