"""Sockets of this machine, which only their user can open."""

import errno
import socket
from pathlib import Path


def open_unix(path: Path) -> socket.socket:
    """A socket left behind by a process that was killed is replaced; one that answers is not. Raises OSError."""
    if not hasattr(socket, "AF_UNIX"):
        raise OSError(errno.EAFNOSUPPORT, "this system has no unix sockets")
    if path.is_socket() and not _answers(path):
        path.unlink()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(2048)
    except OSError:
        listener.close()
        raise
    return listener


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        return probe.connect_ex(str(path)) == 0
