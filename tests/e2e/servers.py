"""Longtable as people run it: processes of its own, started on a place of the test's and ended by their id."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import httpx2

from tests.e2e.preloaded import SOURCES, ForkedProcess, fork_server
from tests.stores import Store
from tests.table import Agent

ROOT = Path(__file__).resolve().parents[2]
START_LIMIT = 60.0
WITHOUT_MODEL = {"enable_semantic_search": "false"}
"""A server loads its model as soon as anything is written, which takes a second. A test that needs it says so."""

STOP_LIMIT = 60.0

Options = Mapping[str, str]
"""Options of Longtable by name; a process gets them from its environment."""


def place_of(store: Store, folder: Path) -> dict[str, str]:
    """The options that make a process use this store."""
    if store.kind == "sqlite":
        return {"data_dir": str(Path(store.address).parent)}
    return {"data_dir": str(folder / "data"), "store": store.address}


_NOT_INHERITED = ("LONGTABLE_", "PYTHONDONTWRITEBYTECODE")
"""Options that somebody has set for themselves, and what would have every process compile the program anew."""


def environment(options: Options) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_INHERITED)}
    given = {f"LONGTABLE_{name.upper()}": value for name, value in options.items()}
    return {**inherited, "PYTHONPATH": SOURCES, **given}


def longtable(*words: str) -> list[str]:
    return [sys.executable, "-m", "longtable", *words]


@dataclass
class Process:
    """A running process whose stderr is read as it comes: a full pipe would stop it."""

    popen: "subprocess.Popen[bytes] | ForkedProcess"
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._grown = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self.popen.pid

    @property
    def noise(self) -> list[str]:
        """What it wrote to stderr besides its log lines."""
        return [line for line in self.lines if not line.startswith("{")]

    @property
    def tracebacks(self) -> list[str]:
        words = ("Traceback", "Task was destroyed", "never awaited", "never retrieved", '"exception"')
        return [line for line in self.lines if any(word in line for word in words)]

    def event(self, name: str, within: float = START_LIMIT) -> dict[str, Any]:
        """The first log line about `name`; waits for it."""
        deadline = time.monotonic() + within
        with self._grown:
            while True:
                for line in self.lines:
                    if line.startswith("{") and json.loads(line).get("event") == name:
                        found: dict[str, Any] = json.loads(line)
                        return found
                left = deadline - time.monotonic()
                if left <= 0 or not self._reader.is_alive():
                    raise AssertionError(f"{name!r} was not logged:\n" + "\n".join(self.lines))
                self._grown.wait(min(left, 0.2))

    def signal(self, number: signal.Signals) -> None:
        self.popen.send_signal(number)

    def wait(self, within: float = STOP_LIMIT) -> int:
        """The exit code, once everything it wrote was read."""
        code = self.popen.wait(within)
        self._reader.join(within)
        return code

    async def ends(self, within: float = STOP_LIMIT) -> int:
        return await asyncio.to_thread(self.wait, within)

    def stop(self) -> int:
        self.signal(signal.SIGTERM)
        return self.wait()

    def kill(self) -> None:
        """Without any chance to tidy up, as a power cut or the system would."""
        self.kill_all()
        self.wait()

    def kill_all(self) -> None:
        """The process, and those that it has started. Returns before they are gone."""
        if self.popen.poll() is None:
            pids = [self.pid, *children_of(self.pid)]
            # Stopped first: a worker that learns that its supervisor has gone would end in good order.
            for number in (signal.SIGSTOP, signal.SIGKILL):
                for pid in pids:
                    with suppress(ProcessLookupError):
                        os.kill(pid, number)

    def close_pipes(self) -> None:
        """Those of a process that has ended."""
        for pipe in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            if pipe is not None:
                pipe.close()

    def _read(self) -> None:
        assert self.popen.stderr is not None
        for line in self.popen.stderr:
            with self._grown:
                self.lines.append(line.decode(errors="replace").rstrip())
                self._grown.notify_all()
        with self._grown:
            self._grown.notify_all()


@dataclass
class Server(Process):
    """`longtable serve`, listening."""

    address: str = ""
    clients: list[httpx2.AsyncClient] = field(default_factory=list)

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    @property
    def workers(self) -> list[int]:
        """Of the processes that serve."""
        return [pid for pid in children_of(self.pid) if _is_worker(pid)]

    @property
    def worker(self) -> int:
        """Of the only process that serves."""
        (pid,) = self.workers
        return pid

    def agent(self, name: str | None = None, session: str | None = None, **headers: str) -> Agent:
        """Talks to it over one keep-alive connection at a time."""
        given = {"X-Caller-Agent": name, "X-Session-ID": session, **headers}
        sent = {key: value for key, value in given.items() if value is not None}
        return Agent(httpx2.AsyncClient(base_url=self.address, headers=sent, timeout=60, verify=False))


@dataclass
class Processes:
    """Starts them, and ends those that are left when the test is over. They are forked from a process that has loaded
    the program, unless the test is about what an operating system does with them."""

    folder: Path
    executed: bool = False
    started: list[Process] = field(default_factory=list)

    def serve(self, options: Options) -> Server:
        """Returns when it listens."""
        server = Server(self.start(["serve"], {"http_port": "0", **WITHOUT_MODEL, **options}))
        self.started.append(server)
        server.address = server.event("started")["address"]
        return server

    def fails_to_serve(self, options: Options) -> Process:
        process = Process(self.start(["serve"], {"http_port": "0", **options}))
        self.started.append(process)
        process.wait()
        return process

    def stdio(self, options: Options, cwd: Path | None = None) -> "Stdio":
        stdio = Stdio(self.start([], {**WITHOUT_MODEL, **options}, cwd))
        self.started.append(stdio)
        return stdio

    def run(self, *words: str, options: Options, given: str = "") -> "subprocess.CompletedProcess[str]":
        """A command that ends by itself, or with its input."""
        with TemporaryFile() as out, TemporaryFile() as err:
            reading, writing = os.pipe()
            env = environment(options)
            with open(writing, "wb", buffering=0) as stdin:
                process = fork_server().start(words, env, [reading, out.fileno(), err.fileno()], cwd=self.folder)
                os.close(reading)
                with suppress(BrokenPipeError):
                    _write_all(stdin, given.encode())
            code = process.wait(60)
            written = (_text(file) for file in (out, err))
            return subprocess.CompletedProcess(words, code, *written)

    def end(self) -> None:
        for process in self.started:
            process.kill()
            process.close_pipes()

    def start(
        self, words: Sequence[str], options: Options, cwd: Path | None = None
    ) -> "subprocess.Popen[bytes] | ForkedProcess":
        where, env = cwd or self.folder, environment(options)
        if not self.executed:
            return fork_server().start_piped(words, env, cwd=where)
        pipe = subprocess.PIPE
        return subprocess.Popen(longtable(*words), cwd=where, env=env, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)


@dataclass
class Stdio(Process):
    """A stdio process and its client, which speaks plain JSON-RPC lines and may have many calls under way."""

    answers: dict[int, "asyncio.Future[dict[str, Any]]"] = field(default_factory=dict)
    unasked: list[dict[str, Any]] = field(default_factory=list)
    sent: int = 0

    def listen(self) -> None:
        """Begins to hand out what it answers; needs a running loop."""
        self._loop = asyncio.get_running_loop()
        self._listener = threading.Thread(target=self._hear, daemon=True)
        self._listener.start()

    async def opens(self, name: str = "test-client", version: str = "2025-11-25") -> dict[str, Any]:
        """The handshake of the revisions before 2026; answers what the server says about itself."""
        self.listen()
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
        answer = await self.asks("initialize", params)
        await self.sends({"jsonrpc": "2.0", "method": "notifications/initialized"})
        result: dict[str, Any] = answer["result"]
        return result

    async def calls(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = await self.asks("tools/call", {"name": tool, "arguments": arguments})
        assert "result" in answer, answer
        body: dict[str, Any] = answer["result"]["structuredContent"]
        return body

    async def asks(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        number = len(self.answers) + 1
        waiting = self.answers[number] = asyncio.get_running_loop().create_future()
        await self.sends({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        try:
            return await asyncio.wait_for(waiting, 60)
        except TimeoutError as error:
            raise AssertionError(f"no result of {method}; it wrote:\n" + "\n".join(self.lines)) from error

    async def sends(self, message: object) -> None:
        await self.writes(json.dumps(message).encode() + b"\n")

    async def writes(self, line: bytes) -> None:
        assert self.popen.stdin is not None
        try:
            await asyncio.to_thread(_write_all, self.popen.stdin, line)
        except BrokenPipeError as error:
            raise AssertionError("it ended:\n" + "\n".join(self.lines)) from error
        self.sent += 1

    def close_stdin(self) -> None:
        assert self.popen.stdin is not None
        self.popen.stdin.close()

    def _hear(self) -> None:
        assert self.popen.stdout is not None
        buffer = b""
        while chunk := self.popen.stdout.read(65_536):
            *lines, buffer = (buffer + chunk).split(b"\n")
            for line in lines:
                self._hand_out(self._loop, json.loads(line))

    def _hand_out(self, loop: asyncio.AbstractEventLoop, message: dict[str, Any]) -> None:
        waiting = self.answers.get(message.get("id") or 0)
        if waiting is None:
            self.unasked.append(message)
        elif not loop.is_closed():
            loop.call_soon_threadsafe(_settle, waiting, message)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


def _settle(waiting: "asyncio.Future[dict[str, Any]]", message: dict[str, Any]) -> None:
    if not waiting.done():
        waiting.set_result(message)


def _write_all(pipe: Any, data: bytes) -> None:
    while data:
        data = data[pipe.write(data) :]


def children_of(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in listed.read_text().split()] if listed.exists() else []


def _is_worker(pid: int) -> bool:
    """By its command, or by the name that one has which was forked (`tests/e2e/forking.py`)."""
    process = Path(f"/proc/{pid}")
    with suppress(OSError):
        command, name = (process / "cmdline").read_bytes(), (process / "comm").read_text()
        return b"longtable.cli.worker" in command or name == "worker\n"
    return False


@contextmanager
def processes_in(folder: Path, *, executed: bool = False) -> Iterator[Processes]:
    folder.mkdir(parents=True, exist_ok=True)
    own = Processes(folder, executed)
    try:
        yield own
    finally:
        own.end()


def wait_until(holds: Callable[[], bool], within: float = 60.0) -> None:
    """The same for a test that has nothing else to do."""
    deadline = time.monotonic() + within
    while not holds():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


async def until(holds: Callable[[], bool], within: float = 60.0) -> None:
    """Waits for what another process is about to do."""
    deadline = time.monotonic() + within
    while not holds():
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.005)
