"""Ends in the middle: at its start, when asked for its list, or in a call. With a file, only while that is there."""

import os
import sys
from pathlib import Path

from tests.gateway.hostile.wire import Message, StdioWire, Tool, text, tool

_AT = sys.argv[1]
_WHILE = Path(sys.argv[2]) if len(sys.argv) > 2 else None


def crash(at: str) -> None:
    if at == _AT and (_WHILE is None or _WHILE.exists()):
        sys.stderr.write(f"panic: cannot go on with {os.environ.get('API_TOKEN', 'nothing')}\n")
        sys.stderr.flush()
        os._exit(3)


def tools() -> list[Tool]:
    crash("list")
    return [tool("get_on", "Goes on."), tool("get_pid", "Its process.")]


def call(wire: StdioWire, message: Message) -> Message:
    if message["params"]["name"] == "get_on":
        crash("call")
    return text(str(os.getpid()))


if __name__ == "__main__":
    crash("start")
    StdioWire(tools, call, reports_changes=_AT != "list").run()
