"""A server that does nothing wrong: the neighbour of the hostile ones. It tells what it was started with and asked."""

import os
import resource
import threading
import time

from tests.gateway.hostile.wire import Message, StdioWire, Tool, text, tool

_busy = 0
_busiest = 0
_lock = threading.Lock()


def tools() -> list[Tool]:
    names = ("echo", "wait", "environment", "counts", "limits", "fail", "pictures", "steps", "ask")
    shown = [tool(name, f"Calm {name}.", annotations={"readOnlyHint": True, "title": name.title()}) for name in names]
    return [*shown, tool("broken", "Answers with an error of the protocol.")]


def call(wire: StdioWire, message: Message) -> Message:
    name, arguments = message["params"]["name"], message["params"].get("arguments") or {}
    if name == "echo":
        return {**text(str(arguments.get("text", ""))), "structuredContent": arguments}
    if name == "wait":
        return _wait(wire, message, float(arguments["seconds"]))
    if name == "counts":
        return {**text(""), "structuredContent": {**wire.counts, "busiest": _busiest, "cancelled": wire.cancelled}}
    if name == "environment":
        return {**text(""), "structuredContent": {"environment": dict(os.environ), "session": os.getsid(0)}}
    if name == "limits":
        return {**text(""), "structuredContent": {"data": resource.getrlimit(resource.RLIMIT_DATA)[0]}}
    return _more(wire, name, message)


def _more(wire: StdioWire, name: str, message: Message) -> Message:
    if name == "fail":
        return {**text("the disk is full"), "isError": True}
    if name == "pictures":
        blocks = [
            {"type": "image", "data": "aGk=", "mimeType": "image/png"},
            {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "file:///a.txt", "mimeType": "text/plain", "text": "hi"}},
            {"type": "resource_link", "uri": "file:///b.txt", "name": "b"},
        ]
        return {"content": blocks, "_meta": {"origin": "calm"}}
    if name == "steps":
        token = message["params"]["_meta"]["progressToken"]
        for step in (1, 2, 3):
            wire.notify("notifications/progress", progressToken=token, progress=step, total=3, message=f"step {step}")
        return text("done")
    if name == "ask":
        requests: dict[str, Message] = {
            "sampling/createMessage": {"messages": [], "maxTokens": 5},
            "elicitation/create": {
                "message": "Your password?",
                "requestedSchema": {"type": "object", "properties": {}},
            },
            "roots/list": {},
        }
        answers = {method: "error" in wire.ask(method, params) for method, params in requests.items()}
        return {**text(""), "structuredContent": {"refused": answers}}
    raise RuntimeError("no such thing")


def _wait(wire: StdioWire, message: Message, seconds: float) -> Message:
    global _busy, _busiest  # noqa: PLW0603 - how many calls it has at a time is what it tells
    with _lock:
        _busy += 1
        _busiest = max(_busiest, _busy)
    if token := message["params"].get("_meta", {}).get("progressToken"):
        wire.notify("notifications/progress", progressToken=token, progress=0, message="begun")
    time.sleep(seconds)
    with _lock:
        _busy -= 1
    return text("waited")


if __name__ == "__main__":
    StdioWire(tools, call).run()
