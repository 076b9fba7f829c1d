"""The command `longtable` as a person types it: in a pipe, or at a terminal."""

import contextlib
import json
import os
import select
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from tests.e2e.preloaded import ForkedProcess, fork_server
from tests.e2e.servers import environment

LIMIT = 60.0


@dataclass(frozen=True)
class Ended:
    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one object it wrote; more than that on stdout is a fault."""
        body: dict[str, Any] = json.loads(self.out)
        return body


@dataclass(frozen=True)
class Program:
    """Commands on one data folder."""

    data_dir: Path
    options: dict[str, str] = field(default_factory=dict)

    @property
    def store(self) -> Path:
        return self.data_dir / "longtable.db"

    def run(self, *words: str, **options: str) -> Ended:
        with TemporaryFile() as out, TemporaryFile() as err, open(os.devnull) as nothing:
            streams = [nothing.fileno(), out.fileno(), err.fileno()]
            status = self._start(words, streams, options).wait(LIMIT)
            ended = Ended(status, _text(out), _text(err))
        assert "Traceback" not in ended.err, ended.err
        return ended

    def does(self, *words: str, **options: str) -> dict[str, Any]:
        """The answer of a command that must succeed."""
        ended = self.run(*words, "--json", **options)
        assert (ended.status, ended.json["ok"]) == (0, True), ended
        return ended.json

    def refuses(self, *words: str, **options: str) -> tuple[int, str]:
        """The exit code and the code of the error of a command that must fail."""
        ended = self.run(*words, "--json", **options)
        assert ended.json["ok"] is False, ended
        return ended.status, ended.json["error"]["code"]

    def start_at(self, terminal: int, words: Sequence[str], options: dict[str, str]) -> ForkedProcess:
        # A session of its own: it must ask on this terminal, never on the one that the tests run in.
        return self._start(words, [terminal] * 3, options, new_session=True)

    def environment(self, **options: str) -> dict[str, str]:
        given = {"data_dir": str(self.data_dir), **self.options, **options}
        return {**environment(given), "COLUMNS": "200", "TERM": "xterm"}

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with contextlib.closing(sqlite3.connect(self.store)) as connection:
            return list(connection.execute(sql))

    def edit(self, script: str) -> None:
        """Behind the program's back, as somebody with the file could."""
        with contextlib.closing(sqlite3.connect(self.store)) as connection:
            connection.executescript(script)

    def stored_bytes(self) -> bytes:
        return b"".join(path.read_bytes() for path in self.data_dir.rglob("*") if path.is_file())

    def _start(
        self, words: Sequence[str], streams: Sequence[int], options: dict[str, str], *, new_session: bool = False
    ) -> ForkedProcess:
        env = self.environment(**options)
        return fork_server().start(words, env, streams, cwd=Path.cwd(), new_session=new_session)


@dataclass
class AtTerminal:
    """A command at a terminal of its own: what it shows there, and what a person types."""

    process: "ForkedProcess | subprocess.Popen[bytes]"
    screen: int
    shown: str = ""

    def shows(self, text: str) -> str:
        """All that was shown so far, once `text` is part of it."""
        deadline = time.monotonic() + LIMIT
        while text not in self.shown:
            self._read(deadline - time.monotonic())
        return self.shown

    def types(self, line: str) -> None:
        os.write(self.screen, line.encode() + b"\n")

    def ends(self) -> int:
        deadline = time.monotonic() + LIMIT
        with contextlib.suppress(OSError):
            while True:
                self._read(deadline - time.monotonic())
        return self.process.wait(LIMIT)

    def _read(self, within: float) -> None:
        ready, _, _ = select.select([self.screen], [], [], max(within, 0))
        assert ready, f"it did not go on after:\n{self.shown}"
        # Raises OSError once the last process on the terminal is gone.
        chunk = os.read(self.screen, 65_536)
        if not chunk:
            raise OSError("the terminal is closed")
        self.shown += chunk.decode().replace("\r\n", "\n")


@contextmanager
def at_terminal(program: Program, *words: str, **options: str) -> Iterator[AtTerminal]:
    screen, terminal = os.openpty()
    process = program.start_at(terminal, words, options)
    os.close(terminal)
    try:
        yield AtTerminal(process, screen)
    finally:
        process.kill()
        process.wait(LIMIT)
        os.close(screen)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()
