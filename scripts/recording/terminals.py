"""Terminals whose lines are written down with the moment at which they came."""

import os
import pty
import select
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

COLUMNS = 52


@dataclass(frozen=True)
class RecordedLine:
    """`moment` is in seconds since the beginning of the recording."""

    moment: float
    text: str
    typed: bool = False


@dataclass
class Terminal:
    title: str
    folder: Path
    environment: Mapping[str, str]
    began: float
    lines: list[RecordedLine] = field(default_factory=list)
    process: "subprocess.Popen[bytes] | None" = None
    _screen: int = -1
    _rest: str = ""

    def types(self, command: str) -> None:
        """Runs it, and shows it as what was typed."""
        moment = time.monotonic() - self.began
        typed = f"$ {command}".replace("\n", "\n    ")
        self.lines += [RecordedLine(moment, line, typed=True) for line in typed.split("\n")]
        self._screen, terminal = pty.openpty()
        given = {**self.environment, "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
        self.process = subprocess.Popen(
            ["sh", "-c", f"exec {command}"],
            cwd=self.folder,
            env=given,
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            start_new_session=True,
        )
        os.close(terminal)

    @property
    def runs(self) -> bool:
        return self._screen >= 0

    def stops(self) -> None:
        """With Ctrl+C."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)

    def closes(self) -> None:
        """Whatever still runs in it is ended."""
        if self.process is not None:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)
        if self.runs:
            os.close(self._screen)

    def says(self, text: str) -> bool:
        return any(text in line.text for line in self.lines if not line.typed)

    def reads(self) -> None:
        """What it has shown since."""
        try:
            chunk = os.read(self._screen, 65_536).decode("utf-8", "replace")
        except OSError:
            chunk = ""
        if not chunk:
            os.close(self._screen)
            self._screen = -1
            self._add(*filter(None, [self._rest]))
            self._rest = ""
            return
        *whole, self._rest = (self._rest + chunk).replace("\r\n", "\n").split("\n")
        self._add(*whole)

    def _add(self, *texts: str) -> None:
        moment = time.monotonic() - self.began
        self.lines += [RecordedLine(moment, text) for text in texts]


def without_waiting_for(text: str, terminals: list[Terminal]) -> None:
    """Takes out the time until this text was first shown, but for a second: programs that start are no sight."""
    first = min(line.moment for terminal in terminals for line in terminal.lines if text in line.text)
    for terminal in terminals:
        terminal.lines = [replace(line, moment=max(0.2, line.moment - first + 1)) for line in terminal.lines]


def read_all(terminals: list[Terminal], seconds: float) -> None:
    """Until one of them has shown something, or the time is over."""
    open_ones = {terminal._screen: terminal for terminal in terminals if terminal.runs}
    ready, _, _ = select.select(list(open_ones), [], [], seconds)
    for screen in ready:
        open_ones[screen].reads()
