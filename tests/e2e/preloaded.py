"""Commands of Longtable in processes that are forked from one which has loaded the program: a short command spends nine
tenths of its time on loading it. What is forked has its own arguments, environment, folder, input and output."""

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn

ROOT: Final = Path(__file__).resolve().parents[2]
_LARGEST_REQUEST: Final = 1 << 17


@dataclass
class ForkedProcess:
    """One that runs, with the methods of `subprocess.Popen` that tests use."""

    pid: int
    status: int
    """A pipe; what comes out of it in the end is the exit status."""
    returncode: int | None = field(default=None, init=False)

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self.status], [], [], timeout)[0]:
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
        self, words: Sequence[str], env: Mapping[str, str], streams: Sequence[int], *, cwd: Path, new_session: bool
    ) -> ForkedProcess:
        """Starts a command with these three streams."""
        status, status_end = os.pipe()
        request = {"words": words, "env": env, "cwd": str(cwd), "new_session": new_session}
        try:
            socket.send_fds(self.requests, [json.dumps(request).encode()], [*streams, status_end])
        finally:
            os.close(status_end)
        return ForkedProcess(int(_line(status)), status)


@functools.cache
def fork_server() -> ForkServer:
    """That of the process of the tests. It is started when the first test needs it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    left_out = ("LONGTABLE_", "PYTHONDONTWRITEBYTECODE")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.e2e.preloaded", str(theirs.fileno())],
        cwd=ROOT,
        env={**inherited, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
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


# ------------------------------------------------------------------------------------------- the process that forks

_statuses: dict[int, int] = {}


def main(requests: socket.socket) -> None:
    """Forks for each request; as a child ends, its exit status is reported."""
    for name in ("longtable.cli.commands", "longtable.assembly"):
        importlib.import_module(name)
    gc.freeze()  # or each child copied what the collector only looks at

    signal.signal(signal.SIGCHLD, lambda *_: _report_ended())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal, for the tests: they close the socket when they end
    while True:
        message, descriptors, _, _ = socket.recv_fds(requests, _LARGEST_REQUEST, 4)
        if not message:
            return
        request = json.loads(message)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        pid = os.fork()
        if pid == 0:
            requests.close()
            _run(request, descriptors)
        _statuses[pid] = descriptors.pop()
        os.write(_statuses[pid], f"{pid}\n".encode())
        for descriptor in descriptors:
            os.close(descriptor)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])


def _report_ended() -> None:
    for pid, pipe in list(_statuses.items()):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            with contextlib.suppress(BrokenPipeError):
                os.write(pipe, str(os.waitstatus_to_exitcode(status)).encode())
            os.close(pipe)
            del _statuses[pid]


def _run(request: dict[str, Any], descriptors: list[int]) -> NoReturn:
    """In the child: what an interpreter does for `python -m longtable`, from its first to its last step."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        if request["new_session"]:
            os.setsid()
        for number, descriptor in enumerate(descriptors[:3]):
            os.dup2(descriptor, number)
        os.closerange(3, max(descriptors) + 1)
        _open_streams()
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["env"])
        sys.argv = ["longtable", *request["words"]]
        code = _exit_code()
    except BaseException:  # noqa: BLE001  # nothing may return to the loop of the parent
        traceback.print_exc()
    finally:
        os._exit(code)


def _open_streams() -> None:
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)


def _exit_code() -> int:
    from longtable.__main__ import main as program

    code: object = None
    try:
        program()
    except SystemExit as ended:
        code = ended.code
    threading._shutdown()  # type: ignore[attr-defined]  # the interpreter waits for threads in this way
    atexit._run_exitfuncs()
    sys.stdout.flush()
    if isinstance(code, str):
        print(code, file=sys.stderr)
    return code if isinstance(code, int) else int(code is not None)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
