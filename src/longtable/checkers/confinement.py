"""What a worker process may not do: take much memory, write large files, use the network, outlive the server."""

import contextlib
import ctypes
import errno
import os
import platform
import signal
import struct
import sys
from typing import Any

if sys.platform != "win32":
    import resource

MOST_MEMORY = 512 * 1_048_576
MOST_WRITTEN = 4 * 1_048_576
"""The largest file that may be written: enough for compiled modules, which Python may want to keep."""

_NEW_NETWORK, _NEW_USER = 0x40000000, 0x10000000
_SET_DEATH_SIGNAL, _SET_SECCOMP, _NO_NEW_PRIVILEGES, _FILTER = 1, 22, 38, 2
# Of each architecture: its number, and those of socket, socketpair and io_uring_setup.
_CALLS = {"x86_64": (0xC000003E, (41, 53, 425)), "aarch64": (0xC00000B7, (198, 199, 425))}
_X32 = 0x40000000
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06


def confine() -> None:
    """Each measure that the platform allows; the order matters, as some take away what others need."""
    limit_resources()
    refuse_network_in_python()
    if sys.platform == "linux":
        leave_network()
        refuse_sockets()
        die_with_parent()


def limit_resources() -> None:
    if sys.platform == "win32":
        return
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, MOST_WRITTEN),
        (resource.RLIMIT_AS, MOST_MEMORY),
    ):
        # macOS knows the limit of memory, but refuses to set it.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, most))


def limit_time(seconds: float) -> None:
    """A signal that nothing handles ends the process, wherever it is stuck. Programs that it has started are not
    reached by the timer, but they inherit the limit of processor time. Windows has neither; there the server alone
    watches the time."""
    if sys.platform == "win32":
        return
    signal.setitimer(signal.ITIMER_REAL, seconds)
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + seconds) + 2
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def lift_time() -> None:
    if sys.platform == "win32":
        return
    signal.setitimer(signal.ITIMER_REAL, 0)


def refuse_network_in_python() -> None:
    """For platforms without the measures below. Native code does not ask here."""

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        del arguments
        if event.startswith(("socket.", "urllib.")):
            raise PermissionError(errno.EPERM, "A checker has no network")

    sys.addaudithook(refuse)


def leave_network() -> bool:
    """Into a network of its own that has no interfaces. Needs a right, or a kernel that gives it to everyone."""
    libc = ctypes.CDLL(None, use_errno=True)
    return any(libc.unshare(flags) == 0 for flags in (_NEW_NETWORK, _NEW_USER | _NEW_NETWORK))


def refuse_sockets() -> bool:
    """A filter in the kernel that needs no right, holds for programs that are started, and also for unix sockets."""
    known = _CALLS.get(platform.machine())
    if known is None:
        return False
    steps = _filter(*known)
    program = b"".join(struct.pack("=HBBI", *step) for step in steps)
    code = ctypes.create_string_buffer(program, len(program))
    described = struct.pack("@HP", len(steps), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return False
    return bool(libc.prctl(_SET_SECCOMP, _FILTER, ctypes.c_char_p(described), 0, 0) == 0)


def _filter(architecture: int, calls: tuple[int, ...]) -> list[tuple[int, int, int, int]]:
    """Steps of (operation, jump if true, jump if false, value). What speaks another dialect of calls is refused."""
    refused = len(calls) + 1
    steps = [(_LOAD, 0, 0, 4), (_EQUAL, 0, refused + 2, architecture), (_LOAD, 0, 0, 0)]
    steps.append((_AT_LEAST, refused, 0, _X32))
    steps += [(_EQUAL, refused - 1 - index, 0, call) for index, call in enumerate(calls)]
    return [*steps, (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]


def die_with_parent() -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def memory_used() -> int:
    """Bytes that are in memory now; where the kernel does not say, the most that ever were, and on Windows 0."""
    if sys.platform == "win32":
        return 0
    try:
        with open("/proc/self/statm", encoding="ascii") as numbers:
            return int(numbers.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
