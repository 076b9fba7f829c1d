"""A model that plays a script, behind the HTTP interfaces that frameworks speak: chat completions and responses as
OpenAI has them, and Gemini's."""

import itertools
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]
_call_numbers = itertools.count(1)


@dataclass(frozen=True)
class ScriptedCall:
    tool: str
    arguments: Json


Turn = ScriptedCall | str
"""What the model says next: it calls a tool, or it ends with a text."""

Script = Mapping[str, Sequence[Turn]]
"""The turns of each agent, by its name."""


@dataclass(frozen=True)
class ModelRequest:
    """What every interface asks for: the words of the conversation, how many results of tools it holds, and the tools
    that are offered."""

    words: str
    results: int
    tools: frozenset[str]

    def offered(self, tool: str) -> str:
        """The name under which a framework offers it: some put the name of the server before it."""
        names = [name for name in self.tools if name == tool or name.endswith(f"_{tool}")]
        if not names:
            raise LookupError(f"{tool} is not offered: {sorted(self.tools)}")
        return min(names, key=len)


@dataclass
class ScriptedModel:
    """The agent is the one that the instructions name (`You are ada`), its turn the one after the results so far."""

    script: Script
    address: str = ""
    requests: list[tuple[str, ModelRequest]] = field(default_factory=list)

    def turn(self, request: ModelRequest) -> Turn:
        """Raises LookupError where a request does not fit the script."""
        named = re.search(r"You are (\w+)", request.words)
        if named is None or named[1] not in self.script:
            raise LookupError(f"Nobody of the script is asked: {request.words[:500]}")
        self.requests.append((named[1], request))
        turn = self.script[named[1]][request.results]
        return ScriptedCall(request.offered(turn.tool), turn.arguments) if isinstance(turn, ScriptedCall) else turn

    def agents(self) -> set[str]:
        return {agent for agent, _ in self.requests}


def _call_id() -> str:
    return f"call_{next(_call_numbers)}"


def _from_chat(body: Json) -> ModelRequest:
    return ModelRequest(
        words=json.dumps(body["messages"]),
        results=sum(message["role"] == "tool" for message in body["messages"]),
        tools=frozenset(tool["function"]["name"] for tool in body.get("tools") or ()),
    )


def _to_chat(turn: Turn) -> Json:
    message: Json = {"role": "assistant", "content": None if isinstance(turn, ScriptedCall) else turn}
    if isinstance(turn, ScriptedCall):
        function = {"name": turn.tool, "arguments": json.dumps(turn.arguments)}
        message["tool_calls"] = [{"id": _call_id(), "type": "function", "function": function}]
    reason = "tool_calls" if isinstance(turn, ScriptedCall) else "stop"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def _from_responses(body: Json) -> ModelRequest:
    items = body["input"] if isinstance(body["input"], list) else []
    return ModelRequest(
        words=f"{body.get('instructions')} {json.dumps(body['input'])}",
        results=sum(item.get("type") == "function_call_output" for item in items),
        tools=frozenset(tool["name"] for tool in body.get("tools") or ()),
    )


def _to_responses(turn: Turn) -> Json:
    if isinstance(turn, ScriptedCall):
        called = {"call_id": _call_id(), "name": turn.tool, "arguments": json.dumps(turn.arguments)}
        item: Json = {"type": "function_call", "id": "fc_1", "status": "completed", **called}
    else:
        said = {"type": "output_text", "text": turn, "annotations": []}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [said]}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": "scripted",
        "output": [item],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2,
        },
    }


def _from_gemini(body: Json) -> ModelRequest:
    parts = [part for content in body["contents"] for part in content["parts"]]
    declared = [tool for tools in body.get("tools") or () for tool in tools.get("functionDeclarations", ())]
    return ModelRequest(
        words=json.dumps([body.get("systemInstruction"), body["contents"]]),
        results=sum("functionResponse" in part for part in parts),
        tools=frozenset(tool["name"] for tool in declared),
    )


def _to_gemini(turn: Turn) -> Json:
    if isinstance(turn, ScriptedCall):
        part: Json = {"functionCall": {"name": turn.tool, "args": turn.arguments}}
    else:
        part = {"text": turn}
    return {
        "candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        "modelVersion": "scripted",
    }


_INTERFACES: Mapping[str, tuple[Callable[[Json], ModelRequest], Callable[[Turn], Json]]] = {
    "/chat/completions": (_from_chat, _to_chat),
    "/responses": (_from_responses, _to_responses),
    ":generateContent": (_from_gemini, _to_gemini),
}
"""By the end of the address."""


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class ModelHandler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            path = self.path.partition("?")[0]
            try:
                read, write = next(both for end, both in _INTERFACES.items() if path.endswith(end))
                self._answers(200, write(model.turn(read(body))))
            except (LookupError, StopIteration) as error:
                # A status that no client tries again.
                self._answers(400, {"error": {"message": f"{path}: {error!r}", "type": "invalid_request_error"}})

        def _answers(self, status: int, body: Json) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """A test says what it saw; requests are in `model.requests`."""

    return ModelHandler


@contextmanager
def playing(script: Script) -> Iterator[ScriptedModel]:
    model = ScriptedModel(script)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(model))
    server.daemon_threads = True
    model.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
