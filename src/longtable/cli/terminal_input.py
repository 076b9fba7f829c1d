"""The line that a person types while a command goes on writing: it stays below what is written meanwhile."""

import asyncio
import codecs
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from longtable.kernel.errors import ConfigError

PROMPT: Final = "> "
_CLEAR: Final = "\r\x1b[K"
_BACKSPACE: Final = ("\x7f", "\b")


class TerminalInput:
    """Typed lines come from `line`. What is written goes inside `above`."""

    def __init__(self) -> None:
        self._typed = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()

    async def line(self) -> str | None:
        """The next line; None once the terminal is closed, or at Ctrl+D on an empty line."""
        return await self._lines.get()

    @contextmanager
    def above(self) -> Iterator[None]:
        sys.stdout.write(_CLEAR)
        try:
            yield
        finally:
            self._draw()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Takes the terminal's own line editing away, and gives it back. Raises ConfigError where there is no terminal
        of that kind."""
        with _unbuffered(sys.stdin.fileno()):
            loop = asyncio.get_running_loop()
            loop.add_reader(sys.stdin.fileno(), self._read)
            loop.add_signal_handler(signal.SIGWINCH, self._draw)
            try:
                self._draw()
                yield
            finally:
                loop.remove_reader(sys.stdin.fileno())
                loop.remove_signal_handler(signal.SIGWINCH)
                sys.stdout.write(_CLEAR)

    def _read(self) -> None:
        try:
            data = os.read(sys.stdin.fileno(), 4096)
        except OSError:
            data = b""
        if not data:
            self._lines.put_nowait(None)
            return
        for character in self._decoder.decode(data):
            self._take(character)
        self._draw()

    def _take(self, character: str) -> None:
        if character in "\r\n":
            self._lines.put_nowait(self._typed)
            self._typed = ""
        elif character in _BACKSPACE:
            self._typed = self._typed[:-1]
        elif character == "\x15":
            self._typed = ""
        elif character == "\x04" and not self._typed:
            self._lines.put_nowait(None)
        elif character.isprintable():
            self._typed += character

    def _draw(self) -> None:
        room = shutil.get_terminal_size().columns - len(PROMPT) - 1
        sys.stdout.write(f"{_CLEAR}{PROMPT}{_end_of(self._typed, room)}")
        sys.stdout.flush()


def _end_of(text: str, room: int) -> str:
    """As much of its end as fits into so many columns."""
    from rich.cells import cell_len

    while text and cell_len(text) > room:
        text = text[1:]
    return text


@contextmanager
def _unbuffered(descriptor: int) -> Iterator[None]:
    try:
        import termios
        import tty
    except ImportError:
        raise ConfigError("--answer needs a terminal as Linux and macOS have it.", hint="Use the console.") from None
    before: list[Any] = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor, termios.TCSADRAIN)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
