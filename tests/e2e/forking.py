"""The process that has loaded the program and forks for each request: `python -m tests.e2e.forking DESCRIPTOR`."""

import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, NoReturn

from longtable.cli import command_table
from longtable.server import child_process

_LARGEST_REQUEST: Final = 1 << 17
_LOADED_FIRST: Final = (
    "longtable.cli.commands",
    "longtable.cli.stdio",
    "longtable.cli.supervise",
    "longtable.cli.upstream_host",
    "longtable.cli.worker",
    "longtable.server.worker",
    "longtable.assembly",
)

_statuses: dict[int, int] = {}


def main(requests: socket.socket) -> None:
    """As a child ends, its exit status is reported."""
    for name in _LOADED_FIRST:
        importlib.import_module(name)
    for entry in command_table.ENTRIES:
        for module in entry.modules:
            importlib.import_module(f"longtable.cli.{module}")
    gc.freeze()  # or each child copied what the collector only looks at

    ended, wakeup = socket.socketpair()
    ended.setblocking(False)
    wakeup.setblocking(False)
    signal.set_wakeup_fd(wakeup.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # only the byte at the other end counts: handlers can be interrupted
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal, for the tests: they close the socket when they end
    while True:
        ready, _, _ = select.select([requests, ended], [], [])
        if ended in ready:
            ended.recv(4096)
            _report_ended()
        if requests in ready and not _start_next(requests):
            return


def _start_next(requests: socket.socket) -> bool:
    """False at the end of the requests."""
    message, descriptors, _, _ = socket.recv_fds(requests, _LARGEST_REQUEST, 4)
    if not message:
        return False
    request = json.loads(message)
    pid = os.fork()
    if pid == 0:
        _run(partial(_begin_command, request, descriptors))
    _statuses[pid] = descriptors.pop()
    _report(_statuses[pid], f"{pid}\n")
    for descriptor in descriptors:
        os.close(descriptor)
    return True


def _report_ended() -> None:
    for pid, pipe in list(_statuses.items()):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            _report(pipe, str(os.waitstatus_to_exitcode(status)))
            os.close(pipe)
            del _statuses[pid]


def _report(pipe: int, text: str) -> None:
    with contextlib.suppress(BrokenPipeError):  # of a test that does not wait for it any more
        os.write(pipe, text.encode())


def _begin_command(request: dict[str, Any], descriptors: list[int]) -> Callable[[], None]:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if request["new_session"]:
        os.setsid()
    for number, descriptor in enumerate(descriptors[:3]):
        os.dup2(descriptor, number)
    _close_all_but(())
    _open_streams()
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    words = request["words"]
    if words[:1] == ["-m"] and words[1] != "longtable":
        sys.argv = words[1:]
        return partial(_run_module, words[1])
    sys.argv = ["longtable", *(words[2:] if words[:1] == ["-m"] else words)]
    # A supervisor has no threads: it may fork as well.
    vars(child_process)["subprocess"] = SimpleNamespace(Popen=_forked, DEVNULL=None)
    from longtable.__main__ import main as program

    return program


def _run_module(name: str) -> None:
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def _run(begin: Callable[[], Callable[[], None]]) -> NoReturn:
    """In the child: what an interpreter does for a program, from its first to its last step."""
    code = 1
    try:
        code = _exit_code(begin())
    except BaseException:  # noqa: BLE001  # nothing may return to the loop of the parent
        traceback.print_exc()
    finally:
        os._exit(code)


def _close_all_but(kept: Collection[int]) -> None:
    for name in os.listdir("/proc/self/fd"):
        if (descriptor := int(name)) > 2 and descriptor not in kept:
            with contextlib.suppress(OSError):  # the folder itself, which is closed by now
                os.close(descriptor)


def _open_streams() -> None:
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)


def _exit_code(program: Callable[[], None]) -> int:
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


# -------------------------------------------------------------------------------------- the processes of a supervisor


@dataclass
class _SupervisedProcess:
    """One of them, with the methods of `subprocess.Popen` that a supervisor uses."""

    pid: int
    returncode: int | None = None

    def poll(self) -> int | None:
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


def _forked(command: Sequence[str], *, stdin: None, pass_fds: Collection[int]) -> _SupervisedProcess:
    """In place of `subprocess.Popen` for `python -P -m MODULE ARGUMENT`."""
    *_, module, argument = command
    pid = os.fork()
    if pid == 0:
        _run(partial(_begin_module, module, argument, pass_fds))
    return _SupervisedProcess(pid)


def _begin_module(module: str, argument: str, kept: Collection[int]) -> Callable[[], None]:
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    _close_all_but(kept)
    _open_streams()
    # Where an interpreter has the name of its module in its arguments.
    Path("/proc/self/comm").write_text(module.rpartition(".")[2])
    sys.argv = [module, argument]
    program: Callable[[], None] = importlib.import_module(module).main
    return program


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
