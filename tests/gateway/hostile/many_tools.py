"""Lists a great many tools: how many, and how many on a page (0 for all at once); `endless` never stops."""

import sys

from tests.gateway.hostile.wire import Message, StdioWire, Tool, text, tool

_MANY, _PAGE = sys.argv[1], int(sys.argv[2])


def tools() -> list[Tool]:
    many = 10**6 if _MANY == "endless" else int(_MANY)
    properties = {"path": {"type": "string", "description": "Where it is."}, "limit": {"type": "integer"}}
    schema = {"type": "object", "properties": properties}
    return [tool(f"get_thing_{number}", f"Gets thing {number}.", inputSchema=schema) for number in range(many)]


def call(wire: StdioWire, message: Message) -> Message:
    return text(message["params"]["name"])


if __name__ == "__main__":
    _all = tools()
    StdioWire(lambda: _all, call, _PAGE).run()
