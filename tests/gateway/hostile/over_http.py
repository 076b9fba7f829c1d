"""A server over HTTP, in one of its transports, on a free port of the loopback interface; prints its address.

Arguments: `http`, `json` or `sse`, and a port (0 for any)."""

import os
import socket
import sys
from typing import Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_KIND, _PORT = sys.argv[1], int(sys.argv[2])
server = MCPServer("over-http")


@server.tool()
async def get_text(size: int = 5) -> str:
    """Some text."""
    return "x" * size


@server.tool()
async def get_headers(context: Context[Any, Any]) -> dict[str, str]:
    """What came with this request."""
    request = context.request_context.request
    assert isinstance(request, Request)
    return dict(request.headers)


@server.tool()
async def get_pid() -> int:
    """The process that answers."""
    return os.getpid()


@server.tool()
async def get_stopped() -> str:
    """Ends the process in the middle of the call."""
    os._exit(3)


@server.tool()
async def get_changed(context: Context[Any, Any]) -> str:
    """Has one tool more from now on, and says so to those who listen."""
    server.add_tool(get_pid, name="get_more")
    await context.notify_tools_changed()
    return "changed"


_lists: list[None] = []


@server.custom_route("/lists", methods=["GET"])  # type: ignore[untyped-decorator]  # it has no types
async def lists(request: Request) -> JSONResponse:
    return JSONResponse(len(_lists))


@server.custom_route("/elsewhere", methods=["POST", "GET"])  # type: ignore[untyped-decorator]  # it has no types
async def elsewhere(request: Request) -> JSONResponse:
    return JSONResponse({"error": "moved"}, 307, headers={"location": "http://localhost:1/mcp"})


@server.custom_route("/fails", methods=["POST", "GET"])  # type: ignore[untyped-decorator]  # it has no types
async def fails(request: Request) -> JSONResponse:
    return JSONResponse({"error": "out of order"}, 503)


@server.custom_route("/guarded", methods=["POST", "GET"])  # type: ignore[untyped-decorator]  # it has no types
async def guarded(request: Request) -> JSONResponse:
    return JSONResponse({"error": "who are you?"}, 401)


@server.custom_route("/with_oauth", methods=["POST", "GET"])  # type: ignore[untyped-decorator]  # it has no types
async def with_oauth(request: Request) -> JSONResponse:
    described = 'Bearer resource_metadata="http://localhost/.well-known/oauth-protected-resource"'
    return JSONResponse({"error": "who are you?"}, 401, headers={"www-authenticate": described})


def _counting(app: ASGIApp) -> ASGIApp:
    """Counts the requests for the list, which in the newest revision say so in a header."""

    async def counted(scope: Scope, receive: Receive, send: Send) -> None:
        if (b"mcp-method", b"tools/list") in scope.get("headers", []):
            _lists.append(None)
        await app(scope, receive, send)

    return counted


def main() -> None:
    listener = socket.create_server(("127.0.0.1", _PORT))
    path = "sse" if _KIND == "sse" else "mcp"
    app = server.sse_app() if _KIND == "sse" else server.streamable_http_app(json_response=_KIND == "json")
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/{path}", flush=True)
    config = uvicorn.Config(_counting(app), log_level="error", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run([listener])


if __name__ == "__main__":
    main()
