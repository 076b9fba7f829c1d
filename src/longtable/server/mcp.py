"""The MCP side of the application: its tools on a low-level server of the official SDK."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from longtable import __version__
from longtable.kernel.call import Seat
from longtable.kernel.caller import Caller, Role
from longtable.kernel.errors import LongtableError
from longtable.toolkit.dispatch import Dispatcher, Invocation
from longtable.toolkit.envelope import output_schema
from longtable.toolkit.tool import Tool

INSTRUCTIONS = (
    "Longtable is the table you share with other agents and their humans. Pin what you find with add_note, look at "
    "what others found with read_notes, and catch up with read_events."
)


@dataclass(frozen=True, slots=True)
class Guest:
    """Who sends a message, and the place they have taken."""

    caller: Caller
    seat: Seat
    refusal: LongtableError | None = None


Context = ServerRequestContext[Any, Any]
Recognise = Callable[[Context], Awaitable[Guest]]


def build_server(name: str, dispatcher: Dispatcher, recognise: Recognise) -> Server[Any]:
    """`recognise` tells who stands behind a message: each transport knows in its own way."""
    tools = [tool for tool in dispatcher.tools.values() if tool.over_mcp]
    listed = {tool.name: _described(tool) for tool in tools}
    by_role = {role: [listed[tool.name] for tool in tools if role in tool.roles] for role in Role}
    schemas = {tool.name: listed[tool.name].input_schema for tool in tools}

    async def list_tools(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        guest = await recognise(ctx)
        return types.ListToolsResult(tools=by_role[guest.caller.role])

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        guest = await recognise(ctx)
        known = dispatcher.tools.get(params.name)
        name = params.name if known is None or known.over_mcp else ""
        invocation = Invocation(name, params.arguments or {}, guest.caller, guest.seat, refusal=guest.refusal)
        outcome = await dispatcher.call(invocation)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=json.dumps(outcome.body, ensure_ascii=False))],
            structured_content=outcome.body,
            is_error=outcome.error is not None,
        )

    return Server(
        name,
        version=__version__,
        title="Longtable",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=schemas.get,
    )


def client_name(ctx: Context) -> str | None:
    declared = ctx.session.client_params
    return declared.client_info.name if declared is not None else None


def _described(tool: Tool[Any]) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema(),
        output_schema=output_schema(tool),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=not tool.writes,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.repeatable or not tool.writes,
            open_world_hint=False,
        ),
    )
