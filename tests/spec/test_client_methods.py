"""The methods of the Python client: one for each tool, with its arguments and its result."""

import inspect
from typing import Any

import pytest

from longtable.client import Orchestrator, Workspace
from longtable_client import results
from scripts import docs

TENANT_TOOLS = {"create_session", "list_sessions", "join_session", "close_session", "get_audit_log"}
"""Not for one session."""


def tools_of_a_workspace() -> list[Any]:
    """What a gateway adds is for agents, who speak MCP."""
    ours = [tool for tool in docs.every_tool() if tool.over_mcp and tool.needs is None]
    return [tool for tool in ours if tool.name not in TENANT_TOOLS]


@pytest.mark.parametrize("tool", tools_of_a_workspace(), ids=lambda tool: str(tool.name))
def test_every_tool_of_a_session_is_a_method_with_its_arguments_and_its_result(tool: Any) -> None:
    memory = {"scope"} if tool.name.endswith("_memory") else set()

    check_method(Workspace, tool, memory, {"session_id"})


def tools_across_sessions() -> list[Any]:
    """Without what a connection remembers: the client has none. What passes through has no type of its own."""
    ours = [tool for tool in docs.every_tool() if not tool.passes_through]
    typed = [tool for tool in ours if tool.result.__module__.endswith((".model", ".results"))]
    return [tool for tool in typed if tool.name != "join_session" and not hasattr(Workspace, tool.name)]


@pytest.mark.parametrize("tool", tools_across_sessions(), ids=lambda tool: str(tool.name))
def test_every_other_tool_is_a_method_of_the_orchestrator(tool: Any) -> None:
    named = {"session_id"} if tool.name in ("close_session", "extend_session", "fork_session") else set()

    check_method(Orchestrator, tool, named, named)


def check_method(client: type[Any], tool: Any, added: set[str], left_out: set[str]) -> None:
    """It has the arguments of the tool, optional where the tool's are and with the same defaults."""
    signature = inspect.signature(getattr(client, tool.name), eval_str=True)
    fields = {field.alias or name: field for name, field in tool.arguments.model_fields.items()}
    expected = set(fields) - left_out
    assert set(signature.parameters) - {"self"} == expected | added
    assert signature.return_annotation is getattr(results, tool.result.__name__)
    for name in expected:
        default = signature.parameters[name].default
        assert (default is inspect.Parameter.empty) == fields[name].is_required(), name
        if not fields[name].is_required() and fields[name].default_factory is None:
            # A program reads texts whole unless it asks for less.
            whole = name == "max_chars" and fields[name].default is None
            assert default == (0 if whole else fields[name].default), name


def test_no_method_of_a_workspace_takes_a_session() -> None:
    taking = [
        name
        for name, method in inspect.getmembers(Workspace, inspect.isfunction)
        if not name.startswith("_") and {"session", "session_id"} & set(inspect.signature(method).parameters)
    ]

    assert taking == []
