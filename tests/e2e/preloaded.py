"""Processes of Longtable that are forked from one which has loaded the program: a short command spends nine tenths of
its time on loading it, and a server that serves one test as well. What is forked has its own arguments, environment,
folder, input and output."""

import atexit
import contextlib
import functools
import json
import math
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

ROOT: Final = Path(__file__).resolve().parents[2]
SOURCES: Final = os.pathsep.join(map(str, (ROOT / "src", ROOT / "clients" / "python" / "src", ROOT)))
"""The value of PYTHONPATH for a process that runs this checkout."""


@dataclass
class ForkedProcess:
    """One that runs, with the methods of `subprocess.Popen` that tests use."""

    pid: int
    status: int
    """A pipe; what comes out of it in the end is the exit status."""
    stdin: IO[bytes] | None = None
    stdout: IO[bytes] | None = None
    stderr: IO[bytes] | None = None
    returncode: int | None = field(default=None, init=False)

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            # Not by `select.select`, which takes no descriptor above 1023.
            ended = select.poll()
            ended.register(self.status, select.POLLIN)
            if not ended.poll(None if timeout is None else math.ceil(timeout * 1000)):
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
            self.returncode = int(os.read(self.status, 64))
            os.close(self.status)
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


@dataclass(frozen=True)
class ForkServer:
    """The process that has loaded the program. It ends when the socket to it is closed."""

    requests: socket.socket

    def start(
        self,
        words: Sequence[str],
        env: Mapping[str, str],
        streams: Sequence[int],
        *,
        cwd: Path,
        new_session: bool = False,
    ) -> ForkedProcess:
        """Starts a command with these three streams."""
        status, status_end = os.pipe()
        request = {"words": words, "env": env, "cwd": str(cwd), "new_session": new_session}
        try:
            socket.send_fds(self.requests, [json.dumps(request).encode()], [*streams, status_end])
        finally:
            os.close(status_end)
        return ForkedProcess(int(_line(status)), status)

    def start_piped(self, words: Sequence[str], env: Mapping[str, str], *, cwd: Path) -> ForkedProcess:
        """Starts a command whose three streams are pipes."""
        (their_in, our_in), (our_out, their_out), (our_err, their_err) = (os.pipe() for _ in range(3))
        theirs = [their_in, their_out, their_err]
        try:
            process = self.start(words, env, theirs, cwd=cwd)
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        process.stdin = os.fdopen(our_in, "wb", 0)
        process.stdout, process.stderr = os.fdopen(our_out, "rb", 0), os.fdopen(our_err, "rb", 0)
        return process


@functools.cache
def fork_server() -> ForkServer:
    """That of the process of the tests. It is started when the first test needs it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    left_out = ("LONGTABLE_", "PYTHONDONTWRITEBYTECODE")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.e2e.forking", str(theirs.fileno())],
        cwd=ROOT,
        env={**inherited, "PYTHONPATH": SOURCES},
        stdin=subprocess.DEVNULL,
        pass_fds=[theirs.fileno()],
    )
    theirs.close()
    atexit.register(_close, ours, process)
    return ForkServer(ours)


def _close(requests: socket.socket, process: "subprocess.Popen[bytes]") -> None:
    requests.close()
    process.wait()


def _line(pipe: int) -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(pipe, 1)
        assert piece, "the process that has loaded the program is gone"
        line += piece
    return line
