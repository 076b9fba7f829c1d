"""Which tools the clients have as methods, and how each is called."""

from typing import Any

from longtable.kernel.caller import Role
from longtable.toolkit.keys import KEY
from longtable.toolkit.tool import Scope, Tool


def is_typed(tool: Tool[Any]) -> bool:
    """Results of other servers have no type here."""
    return not tool.passes_through and tool.result.__module__.endswith((".model", ".results"))


def is_for_session(tool: Tool[Any]) -> bool:
    if tool.scope is Scope.TENANT:
        return Role.AGENT in tool.roles and "session_id" not in tool.arguments.model_fields
    return tool.scope is Scope.SESSION or (tool.scope is not Scope.OTHER_SESSION and Role.AGENT in tool.roles)


def is_for_tenant(tool: Tool[Any]) -> bool:
    """Without `join_session`: these clients have no connection that could be in a session."""
    if tool.scope is Scope.TENANT:
        return not is_for_session(tool)
    if tool.scope is Scope.OTHER_SESSION:
        return not tool.over_mcp
    return tool.scope is Scope.NAMED_SESSION and tool.result.__module__ == "longtable.sessions.model"


def has_session_in_path(tool: Tool[Any]) -> bool:
    return not tool.over_mcp and "{session_id}" in tool.routes[0].path


def takes_key(tool: Tool[Any]) -> bool:
    return KEY in tool.arguments.model_fields


def address(tool: Tool[Any]) -> str:
    """The name of the tool or, where MCP does not offer it, method and path of its REST route."""
    return tool.name if tool.over_mcp else f"{tool.routes[0].method} {tool.routes[0].path}"
