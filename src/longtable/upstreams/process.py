"""Processes of stdio upstreams: started without a shell and with little of our environment, and stopped with all their
descendants. Each has a guard process, which stops them also when this process is gone."""

import asyncio
import contextlib
import os
import re
import shutil
import signal
import sys
from asyncio.subprocess import PIPE, SubprocessStreamProtocol
from collections import deque
from collections.abc import Mapping
from pathlib import Path

from longtable.kernel.background import owned_task
from longtable.kernel.errors import UpstreamError
from longtable.upstreams import launch
from longtable.upstreams.entries import StdioEntry

STOP_SECONDS = 1.5
"""Seconds to wait after each of: closing its input, SIGTERM, the guard's kill."""

_CHUNK = 65_536
_LONGEST_LINE = 4096
_MAX_LINES = 20
_INHERITED = ("PATH", "HOME", "LANG")
_CONTROL = re.compile(r"[^\x20-\x7e\xa0-\U0010ffff]+")


class UpstreamProcess:
    """One running process. Its standard error is drained; the last lines are kept."""

    def __init__(self, entry: StdioEntry, transport: asyncio.SubprocessTransport, protocol: "_Protocol") -> None:
        self._entry = entry
        self._transport = transport
        self._protocol = protocol
        self.pid = transport.get_pid()
        assert protocol.stdout is not None  # it was started with three pipes
        assert protocol.stderr is not None
        assert protocol.stdin is not None
        self.stdout = protocol.stdout
        self.stdin = protocol.stdin
        self._stderr_lines: deque[bytes] = deque(maxlen=_MAX_LINES)
        self._draining = owned_task(self._drain(protocol.stderr))

    @classmethod
    async def start(cls, entry: StdioEntry) -> "UpstreamProcess":
        """Raises UpstreamError when there is no such program."""
        env = environment(entry.env)
        command = shutil.which(entry.command, path=env.get("PATH"))
        if command is None:
            raise UpstreamError(f"The program {entry.mask(entry.command)} was not found.", upstream=entry.name)
        if entry.instance_dir is not None:
            await asyncio.to_thread(os.makedirs, entry.instance_dir, 0o700, exist_ok=True)
        argv = [*_guard_command(entry.limits.memory), command, *entry.args]
        loop = asyncio.get_running_loop()
        try:
            transport, protocol = await loop.subprocess_exec(
                lambda: _Protocol(loop),
                *argv,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                env=env,
                cwd=entry.cwd,
                start_new_session=True,
            )
        except OSError as error:
            problem = f"{entry.mask(entry.command)} cannot be started: {error.strerror}."
            raise UpstreamError(problem, upstream=entry.name) from None
        return cls(entry, transport, protocol)

    @property
    def exit_code(self) -> int | None:
        return self._transport.get_returncode()

    def stderr_tail(self) -> str:
        """The last lines of its standard error, without secrets and control characters."""
        text = b"\n".join(self._stderr_lines).decode("utf-8", "replace")
        lines = [_CONTROL.sub(" ", line).strip() for line in text.splitlines()]
        return self._entry.mask("\n".join(line for line in lines if line))[-1000:]

    async def wait_until_exit(self) -> None:
        """Returns when it has ended, with all its descendants."""
        await self._protocol.exited.wait()

    async def stop(self) -> None:
        """Stops it with its descendants; returns when it has been reaped."""
        self.stdin.close()
        for number in (signal.SIGTERM, launch.END_AT_ONCE, launch.KILL):
            if await self._has_exited():
                break
            self._signal(number)
        else:
            await self._has_exited()
        self._draining.cancel()
        await asyncio.wait({self._draining})
        self._transport.close()
        # The transport closes its pipes in the next turns of the loop.
        for _ in range(3):
            await asyncio.sleep(0)

    async def _has_exited(self) -> bool:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._protocol.exited.wait(), STOP_SECONDS)
        return self._protocol.exited.is_set()

    def _signal(self, number: signal.Signals) -> None:
        # Not through the transport: it would poll for the exit code and take it from the child watcher.
        if not self._protocol.exited.is_set():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    async def _drain(self, stderr: asyncio.StreamReader) -> None:
        rest = b""
        while chunk := await stderr.read(_CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            rest = rest[-_LONGEST_LINE:]
            self._stderr_lines.extend(line[:_LONGEST_LINE] for line in lines[-_MAX_LINES:] if line.strip())
        if rest.strip():
            self._stderr_lines.append(rest)


class _Protocol(SubprocessStreamProtocol):
    """Sets `exited` when the process has ended, also while descendants hold its pipes open."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=_CHUNK, loop=loop)
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()


def environment(configured: Mapping[str, str]) -> dict[str, str]:
    """Only what a program needs to run, and what the operator configured."""
    return {name: os.environ[name] for name in _INHERITED if name in os.environ} | dict(configured)


def _guard_command(memory: int) -> list[str]:
    if sys.platform == "win32":
        return []
    script = str(Path(launch.__file__).resolve())
    return [sys.executable, "-I", "-S", script, str(os.getpid()), str(memory)]
