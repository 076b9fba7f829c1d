"""Two floors below our own server, on the same listener: a bare Starlette route, and a bare tool of the SDK."""

import socket
from contextlib import suppress
from typing import Any

import mcp_types as types
import uvicorn
import uvloop
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from benchmarks.bare_stdio import SCHEMA, list_tools


async def answer(request: Request) -> JSONResponse:
    await request.body()
    return JSONResponse({"ok": True})


async def call_tool(ctx: ServerRequestContext[Any, Any], params: types.CallToolRequestParams) -> types.CallToolResult:
    content: list[types.ContentBlock] = [types.TextContent(type="text", text='{"ok": true}')]
    return types.CallToolResult(content=content, structured_content={"ok": True}, is_error=False)


def by_path(sessions: StreamableHTTPSessionManager, others: ASGIApp) -> ASGIApp:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/mcp":
            await sessions.handle_request(scope, receive, send)
        else:
            await others(scope, receive, send)

    return app


async def serve() -> None:
    server: Server[Any] = Server(
        "bare", on_list_tools=list_tools, on_call_tool=call_tool, get_tool_input_schema=lambda name: SCHEMA
    )
    sessions = StreamableHTTPSessionManager(server, json_response=True)
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    others = Starlette(routes=[Route("/floor", answer, methods=["POST"])])
    config = uvicorn.Config(
        by_path(sessions, others),
        http="httptools",
        loop="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
        timeout_keep_alive=75,
    )
    async with sessions.run():
        await uvicorn.Server(config).serve([listener])


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        uvloop.run(serve())
