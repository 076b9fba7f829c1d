"""A table of fixture tools: a function becomes one with the `tool` decorator."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types

from tests.conformance.content import Context

Result = types.CallToolResult | types.InputRequiredResult
Handler = Callable[[Context, types.CallToolRequestParams], Awaitable[Result]]
NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}}


@dataclass
class Toolbox:
    """Fixture tools by name, in the order they are written."""

    tools: dict[str, types.Tool] = field(default_factory=dict)
    handlers: dict[str, Handler] = field(default_factory=dict)

    def tool(self, name: str, schema: dict[str, Any] = NO_ARGUMENTS) -> Callable[[Handler], Handler]:
        """Register the decorated function; its docstring is the description."""

        def register(handler: Handler) -> Handler:
            self.tools[name] = types.Tool(name=name, description=handler.__doc__ or name, input_schema=schema)
            self.handlers[name] = handler
            return handler

        return register


def text_argument(name: str) -> dict[str, Any]:
    """The schema of a tool with one required text."""
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}
