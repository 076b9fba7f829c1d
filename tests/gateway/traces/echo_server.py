"""An MCP server that tells which trace a call of it belongs to: over HTTP with the argument `http`, else over stdio."""

import asyncio
import socket
import sys

import uvicorn
from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("echo")


@server.tool()
def get_trace(ctx: Context) -> str:
    """Tells the traceparent of the header and of `_meta`."""
    request = ctx.request_context.request
    header = "" if request is None else request.headers.get("traceparent", "")
    return f"header={header} meta={(ctx.request_context.meta or {}).get('traceparent', '')}"


async def serve_http() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    await uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_level="error")).serve([listener])


if __name__ == "__main__":
    asyncio.run(serve_http()) if sys.argv[1:] == ["http"] else server.run()
