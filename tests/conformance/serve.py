"""Serves the fixtures on a free port of the loopback interface and prints the address on the first line."""

import socket
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.conformance.fixtures import build_server

LOOPBACK = ["127.0.0.1", "localhost", "[::1]"]


def build_app(server: Server[Any]) -> ASGIApp:
    """The web application around the fixtures. The one line to change when the edges of the product are used."""
    return StrippedHeaders(server.streamable_http_app(transport_security=_loopback_only()))


def _loopback_only() -> TransportSecuritySettings:
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[f"{host}:*" for host in LOOPBACK],
        allowed_origins=[f"http://{host}:*" for host in LOOPBACK],
    )


class StrippedHeaders:
    """Removes the white space around header values, which httptools leaves to the application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [(name, value.strip(b" \t")) for name, value in scope["headers"]]}
        await self._app(scope, receive, send)


def main() -> None:
    """Run until a signal ends it."""
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    config = uvicorn.Config(
        build_app(build_server()),
        http="httptools",
        loop="uvloop",
        log_level="warning",
        timeout_graceful_shutdown=1,
    )
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
