"""The sockets that a server listens on. Loads next to nothing: a supervisor opens them, too."""

import socket
from pathlib import Path

from longtable.kernel.errors import ConfigError
from longtable.server.unix import open_unix
from longtable.settings.options import Settings

BACKLOG = 2048


def open_sockets(settings: Settings) -> list[socket.socket]:
    """The TCP socket first, then the unix socket where there is one. Raises ConfigError."""
    family = socket.AF_INET6 if ":" in settings.http_host else socket.AF_INET
    host = settings.http_host.strip("[]")
    try:
        listener = socket.create_server((host, settings.http_port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise ConfigError(
            f"http_port: cannot listen on {settings.http_host}:{settings.http_port} ({error.strerror}).",
            hint="Set http_port to another one, or stop what listens there.",
        ) from error
    # Connections inherit it. asyncio sets it only where a socket knows its protocol, which one of create_server does
    # not; without it the body of an answer waits for the client to acknowledge its head, mostly 40 ms.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sockets = [listener]
    if settings.http_socket_path is not None:
        sockets.append(_open_unix(settings.http_socket_path))
    return sockets


def close_sockets(sockets: list[socket.socket], settings: Settings) -> None:
    for listener in sockets:
        listener.close()
    if settings.http_socket_path is not None:
        settings.http_socket_path.unlink(missing_ok=True)


def address_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _open_unix(path: Path) -> socket.socket:
    try:
        return open_unix(path)
    except OSError as error:
        raise ConfigError(
            f"http_socket_path: cannot listen on it ({error.strerror}).", hint="Name a path that is free."
        ) from error
