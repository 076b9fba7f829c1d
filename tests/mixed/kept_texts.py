"""A server that keeps what it is told, and tells all of it to whoever asks: as each tenant has a process of its own,
that is nobody else."""

from tests.gateway.hostile.wire import Message, StdioWire, Tool, text, tool

_MOST = 20
_kept: list[str] = []


def tools() -> list[Tool]:
    return [tool("keep", "Keeps a text.", annotations={"readOnlyHint": True})]


def call(wire: StdioWire, message: Message) -> Message:
    _kept.append(str(message["params"]["arguments"].get("text")))
    del _kept[:-_MOST]
    return {**text("\n".join(_kept)), "structuredContent": {"kept": _kept}}


if __name__ == "__main__":
    StdioWire(tools, call).run()
