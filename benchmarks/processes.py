"""Child processes of the benchmark: started, measured and stopped."""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

import longtable

ROOT = Path(__file__).resolve().parents[1]
STOP_SECONDS = 10
_CPU_CLOCK = 2
"""Linux has a clock for the processor time of every process; its number is made of the process id and this."""


class ServerProcess(Protocol):
    """What is used of `subprocess.Popen`."""

    @property
    def pid(self) -> int: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def send_signal(self, sig: signal.Signals, /) -> None: ...

    def kill(self) -> None: ...


Started = tuple[ServerProcess, IO[bytes], IO[bytes]]
"""A process, its input and its output."""


@dataclass(frozen=True, slots=True)
class Child:
    process: ServerProcess
    requests: IO[bytes]
    answers: IO[bytes]
    errors: Path

    def request(self, line: bytes) -> bytes:
        """Sends one line and waits for the one that answers it."""
        self.send(line)
        return self.next_line()

    def send(self, line: bytes) -> None:
        self.requests.write(line + b"\n")
        self.requests.flush()

    def next_line(self) -> bytes:
        answer = self.answers.readline()
        if not answer:
            output = self.errors.read_text(errors="replace")[-2000:]
            raise RuntimeError(f"process {self.process.pid} ended without an answer. {output}")
        return answer

    def cpu_seconds(self) -> float:
        """Processor time that it has used so far; nothing where the system has no /proc."""
        return cpu_seconds_of(self.process.pid)

    def descriptors(self) -> int:
        """Files and sockets that are open now; nothing where the system has no /proc."""
        try:
            return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))
        except FileNotFoundError:
            return 0

    def memory_mb(self) -> float:
        """Memory that is resident now; nothing where the system has no /proc."""
        try:
            pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        except FileNotFoundError:
            return 0.0
        return pages * os.sysconf("SC_PAGE_SIZE") / 1_000_000


def cpu_seconds_of(pid: int) -> float:
    """In nanoseconds, with threads that have ended; nothing for a process that is gone, or where the system has no such
    clocks."""
    try:
        return time.clock_gettime((~pid << 3) | _CPU_CLOCK)
    except OSError:
        return 0.0


def process_tree(pid: int) -> list[int]:
    """The process and all that it has started; only itself where the system has no /proc."""
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    children = [int(child) for child in listed.read_text().split()] if listed.exists() else []
    return [pid, *(each for child in children for each in process_tree(child))]


@contextmanager
def child(module: Sequence[str], folder: Path, checkout: Path | None = None) -> Iterator[Child]:
    """Runs Python with the same code as this process, or with that of another `checkout`, in `folder`, where its
    errors go, and stops it at the end."""
    code = environment(os.environ) if checkout is None else _from_checkout(checkout)
    with _running(start_python, module, folder, code) as started:
        yield started


@contextmanager
def program(command: Sequence[str], folder: Path, variables: Mapping[str, str]) -> Iterator[Child]:
    """Runs any program in `folder`, where its errors go, and stops it at the end."""
    with _running(_start, command, folder, variables) as started:
        yield started


Start = Callable[[Sequence[str], Path, Mapping[str, str], IO[bytes]], Started]


@contextmanager
def _running(start: Start, words: Sequence[str], folder: Path, variables: Mapping[str, str]) -> Iterator[Child]:
    errors = folder / f"{secrets.token_hex(4)}.err"
    with errors.open("wb") as written:
        process, requests, answers = start(words, folder, variables, written)
        with requests, answers:
            try:
                yield Child(process, requests, answers, errors)
            finally:
                _stop(process)


def _start(command: Sequence[str], folder: Path, variables: Mapping[str, str], errors: IO[bytes]) -> Started:
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=folder, env=variables, stdin=pipe, stdout=pipe, stderr=errors)
    assert process.stdin is not None
    assert process.stdout is not None
    return process, process.stdin, process.stdout


def _start_python(module: Sequence[str], folder: Path, variables: Mapping[str, str], errors: IO[bytes]) -> Started:
    return _start([sys.executable, *module], folder, variables, errors)


start_python: Start = _start_python
"""Tests that ask only whether the benchmark runs have a faster way."""


def environment(own: Mapping[str, str]) -> dict[str, str]:
    """Without our options and coverage: they would change what is measured."""
    kept = {name: value for name, value in own.items() if not name.startswith(("LONGTABLE_", "COVERAGE_"))}
    package = Path(longtable.__file__).resolve().parents[1]
    return {**kept, "PYTHONPATH": os.pathsep.join([str(package), str(ROOT)])}


def _from_checkout(checkout: Path) -> dict[str, str]:
    paths = [str(checkout / "src"), str(checkout)]
    return {**environment(os.environ), "PYTHONPATH": os.pathsep.join(paths)}


def _stop(process: ServerProcess) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(STOP_SECONDS)
