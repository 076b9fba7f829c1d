"""Pages of the documentation as a reader follows them: block by block, at a terminal, in a folder of one's own."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.preloaded import SOURCES
from tests.e2e.program import LIMIT, AtTerminal
from tests.e2e.servers import ROOT, environment

SHOWN_ADDRESS = "127.0.0.1:8765"
OTHER_PROGRAMS = ("claude", "sqlite3", "pg_dump", "uvx", "docker")
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_SERVES = re.compile(r"^longtable serve\b.*\Z", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    kind: str
    text: str


def blocks_of(page: str) -> list[Block]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return [Block(kind, body) for kind, body in _FENCE.findall(text)]


def without_colours(shown: str) -> str:
    return _COLOUR.sub("", shown)


def matches(shown: str, expected: str) -> bool:
    """Whether `expected` is part of what was shown, colours aside. Three dots stand for anything, blanks for any
    blanks."""
    shown = without_colours(shown)
    parts = [r"\s+".join(re.escape(word) for word in piece.split()) for piece in expected.split("...")]
    return re.search(r".*?".join(parts), shown, re.DOTALL) is not None


@dataclass
class PageReader:
    """Does what a page says. The test's own port, data folder and Python take the place of those on the page."""

    folder: Path
    port: int
    changes: dict[str, str] = field(default_factory=dict)
    server: AtTerminal | None = None
    last_shown: str = ""

    def __post_init__(self) -> None:
        path = self.folder / "bin"
        path.mkdir(parents=True)
        for name, words in (("longtable", "-m longtable "), ("python", "")):
            command = path / name
            lines = ["#!/bin/sh", f"export PYTHONPATH='{SOURCES}'", f"exec '{sys.executable}' {words}\"$@\""]
            command.write_text("\n".join(lines) + "\n")
            command.chmod(0o700)
        self.changes[SHOWN_ADDRESS] = self.host

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def follows(self, page: str) -> None:
        """Every block in turn. Raises AssertionError where the page promises what does not happen."""
        for block in blocks_of(page):
            self.does(block)

    def saves_programs(self, page: str) -> None:
        """Each under the name that the page gives it."""
        names = re.findall(r"Save this as `(\w+\.(?:py|mjs))`", (ROOT / page).read_text(encoding="utf-8"))
        programs = [block for block in blocks_of(page) if block.kind in ("python", "js")]
        for name, program in zip(names, programs, strict=True):
            (self.folder / name).write_text(self.localised(program.text))

    def does(self, block: Block) -> None:
        text = self.localised(block.text)
        if block.kind == "sh":
            self.types(text)
        elif block.kind == "text":
            shown = self.shown(text)
            assert matches(shown, text), f"expected:\n{text}\nshown:\n{shown}"

    def localised(self, text: str) -> str:
        for shown, real in self.changes.items():
            text = text.replace(shown, real)
        return text

    def types(self, script: str) -> None:
        lines = [line for line in script.strip().splitlines() if not self._is_for_others(line)]
        script = "\n".join(lines)
        if not script:
            return
        if _SERVES.search(script):
            self._starts_server(script)
            return
        terminal = self._opens_terminal(script)
        try:
            status = terminal.ends()
        finally:
            os.close(terminal.screen)
        self.last_shown = terminal.shown
        assert status == 0, f"{script}\nended with {status}:\n{terminal.shown}"

    def shown(self, expected: str) -> str:
        """What the last command has shown; that of a server once the last line of `expected` is there."""
        if self.server is not None and not self.last_shown:
            return self.server.shows(expected.strip().splitlines()[-1])
        return self.last_shown

    def stops_server(self) -> None:
        """With Ctrl+C."""
        if self.server is None:
            return
        terminal, self.server = self.server, None
        os.killpg(terminal.process.pid, signal.SIGINT)
        status = terminal.ends()
        os.close(terminal.screen)
        assert status == 0, terminal.shown

    def _is_for_others(self, line: str) -> bool:
        """`make` is asked what it would do, the environment is the test's own, and other programs are not ours."""
        word = line.split(maxsplit=1)[0] if line.strip() else ""
        if word == "make":
            planned = subprocess.run(["make", "-n", *line.split()[1:]], cwd=ROOT, capture_output=True, check=False)
            assert planned.returncode == 0, planned.stderr.decode()
        return word in ("", "make", "source", *OTHER_PROGRAMS)

    def _starts_server(self, script: str) -> None:
        self.stops_server()
        self.last_shown = ""
        *before, serve = script.splitlines()
        self.server = self._opens_terminal("\n".join([*before, f"exec {serve}"]))
        self.server.shows("Sign in")

    def _opens_terminal(self, script: str) -> AtTerminal:
        screen, terminal = os.openpty()
        options = {"data_dir": str(self.folder / "data"), "http_port": str(self.port)}
        given = environment(options)
        popen = subprocess.Popen(
            ["sh", "-c", script],
            cwd=self.folder,
            env={**given, "PATH": f"{self.folder / 'bin'}{os.pathsep}{given['PATH']}", "TERM": "xterm"},
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            start_new_session=True,
        )
        os.close(terminal)
        return AtTerminal(popen, screen)


@contextmanager
def reader_in(folder: Path) -> Iterator[PageReader]:
    reader = PageReader(folder, _free_port())
    try:
        yield reader
    finally:
        terminal = reader.server
        if terminal is not None:
            if terminal.process.poll() is None:
                terminal.process.kill()
            terminal.process.wait(LIMIT)
            os.close(terminal.screen)
        shutil.rmtree(folder / "bin", ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
