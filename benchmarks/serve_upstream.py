"""An upstream server, built with the SDK, for the gateway: over `stdio` or over `http`."""

import os
import socket
import sys

import uvicorn
from mcp.server.mcpserver import MCPServer

server = MCPServer("upstream", log_level="ERROR")


@server.tool()
async def get_text(text: str) -> str:
    """The same text again."""
    return text


@server.tool()
async def get_nothing() -> str:
    """Never: the process ends."""
    os._exit(3)


def main() -> None:
    if sys.argv[1] != "http":
        server.run("stdio")
        return
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    app = server.streamable_http_app(json_response=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)).run([listener])


if __name__ == "__main__":
    main()
