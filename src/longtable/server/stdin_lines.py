"""The lines of standard input, each kept until its message has come: the SDK drops what a message may not have."""

import os
import sys
from collections import deque
from collections.abc import AsyncIterator
from io import TextIOWrapper

import anyio


class StdinLines:
    """For `stdio_server`, which reads from it, and sends one message or one error on for each line."""

    def __init__(self, lines: AsyncIterator[str]) -> None:
        self._lines = lines
        self._kept: deque[str] = deque()

    def __aiter__(self) -> "StdinLines":
        return self

    async def __anext__(self) -> str:
        line = await anext(self._lines)
        self._kept.append(line)
        return line

    def forget(self) -> str:
        """The line of the message that has come."""
        return self._kept.popleft()


def stdin_lines() -> StdinLines:
    """From a descriptor of our own, as the SDK would read them: child processes find an end at the standard one."""
    own = os.dup(sys.stdin.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    # Never closed: a thread may sit in a read of it that nothing can interrupt.
    wire = os.fdopen(own, "rb", closefd=False)
    return StdinLines(aiter(anyio.wrap_file(TextIOWrapper(wire, encoding="utf-8", errors="replace"))))
