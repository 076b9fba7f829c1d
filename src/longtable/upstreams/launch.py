"""The guard process between the server and a stdio upstream: limits its memory, and kills it with all its descendants
when it is told to, when the program ends, or when the server is gone for any reason.

It is a script in a bare interpreter: a program with threads can hardly do anything between fork and exec."""

import os
import signal
import sys
from contextlib import suppress

END_AT_ONCE = signal.SIGTERM if sys.platform == "win32" else signal.SIGUSR1
"""Kills the program and its descendants; SIGTERM asks the program to end. Windows has no guard: there every signal ends
the program."""
KILL = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def main(parent: int, memory: int, command: list[str]) -> None:
    # Orphaned descendants become our children, also those in another session.
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    _prctl(_PR_SET_PDEATHSIG, END_AT_ONCE)
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, END_AT_ONCE))
    guard = os.getpid()
    child = os.fork()
    if child == 0:
        _exec(guard, memory, command)
    _set_group(child)
    _guard(child, parent)


def _exec(guard: int, memory: int, command: list[str]) -> None:
    _set_group(0)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != guard:
        os._exit(1)
    _limit_memory(memory)
    # Python ignores these two signals, and the program would inherit that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]} cannot be started: {error.strerror}\n".encode())
    os._exit(127)


def _guard(child: int, parent: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for pipe in (0, 1, 2):
        os.dup2(null, pipe)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: _signal_group(child, signal.SIGTERM))
    signal.signal(END_AT_ONCE, lambda *_: _signal_group(child, signal.SIGKILL))
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    if os.getppid() != parent:
        _signal_group(child, signal.SIGKILL)
    ended, status = os.wait()
    while ended != child:
        ended, status = os.wait()
    _signal_group(child, signal.SIGKILL)
    with suppress(ChildProcessError):
        while True:
            _kill_adopted()
            os.wait()
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def _kill_adopted() -> None:
    with suppress(OSError), open(f"/proc/self/task/{os.getpid()}/children") as adopted:
        for pid in adopted.read().split():
            os.kill(int(pid), signal.SIGKILL)


def _signal_group(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _set_group(pid: int) -> None:
    """Both processes do it: neither can know which is first."""
    with suppress(OSError):
        os.setpgid(pid, pid)


def _limit_memory(memory: int) -> None:
    """Limits writable data, not address space: Node and Java reserve many times what they use."""
    import resource  # not on Windows, where this module is imported as well

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes  # not needed elsewhere

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
