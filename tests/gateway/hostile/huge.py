"""Answers with as many bytes as it is asked for: as text, as an object, as a picture, in many blocks."""

from tests.gateway.hostile.wire import Message, StdioWire, Tool, text, tool


def tools() -> list[Tool]:
    return [tool("get_much", "Gives as much as you like.")]


def call(wire: StdioWire, message: Message) -> Message:
    arguments = message["params"]["arguments"]
    size, kind = int(arguments["bytes"]), arguments.get("kind", "text")
    if kind == "object":
        return {**text("here"), "structuredContent": {"much": "x" * size}}
    if kind == "picture":
        return {"content": [{"type": "image", "data": "A" * size, "mimeType": "image/png"}]}
    if kind == "blocks":
        return {"content": [{"type": "text", "text": "x" * 1000} for _ in range(size // 1000)]}
    return text("é" * (size // 2))


if __name__ == "__main__":
    StdioWire(tools, call).run()
