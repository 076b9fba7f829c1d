"""The least that a server of the official SDK can be: two tools that do nothing, over stdio."""

import asyncio
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"text": {"type": "string"}}}
TOOLS = [types.Tool(name=name, description="Does nothing.", input_schema=SCHEMA) for name in ("one", "two")]


async def list_tools(
    ctx: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    return types.ListToolsResult(tools=TOOLS)


async def serve() -> None:
    from mcp.server.stdio import stdio_server  # the listener beside it needs no stdio

    server: Server[Any] = Server("bare", on_list_tools=list_tools)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(serve())
