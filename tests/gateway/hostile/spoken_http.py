"""An MCP server over HTTP without a library, which answers in every way that the protocol allows; prints its address.

Argument: `modern` for revision 2026-07-28, `handshake` for the one before. `GET /journal` says what it was told."""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

_IS_MODERN = sys.argv[1] == "modern"
_INFO = {"name": "spoken", "version": "1"}
_CAPABILITIES = {"tools": {"listChanged": True}, "logging": {}}
_SESSION = "a-session"
_FORM = {
    "mode": "form",
    "message": "Which colour?",
    "requestedSchema": {"type": "object", "properties": {"colour": {"type": "string"}}},
}
_SIMPLE: dict[str, dict[str, Any]] = {
    "get_text": {"content": [{"type": "text", "text": "räd"}], "structuredContent": {"word": "räd"}},
    "get_failure": {"content": [{"type": "text", "text": "no"}], "isError": True},
    "get_picture": {"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}], "_meta": {"by": "me"}},
    "get_noted": {"content": [{"type": "text", "text": "x", "annotations": {"priority": 1}}]},
    "get_more": {"content": [], "unknown": 1},
    "get_nothing": {},
    "get_wrong": {"content": "text"},
    "get_wrong_block": {"content": [{"type": "text"}]},
}
_SPECIAL = (
    *("get_error", "get_told", "get_colour", "get_slow", "get_resumed", "get_cut", "get_moved", "get_plain"),
    *("get_accepted", "get_no_json", "get_status", "get_refused", "get_locked"),
)
_PAGES = [
    {"mode": "url", "elicitationId": "1", "message": "To paint.", "url": "https://studio.example/login"},
    {"mode": "url", "elicitationId": "2", "message": "To run.", "url": "javascript:alert(1)"},
]
_journal: list[Any] = []
_replies: dict[Any, asyncio.Future[Any]] = {}


async def post(request: Request) -> Response:
    message = await request.json()
    if "method" not in message:
        _journal.append({"reply": message.get("result") or message.get("error")})
        if message["id"] in _replies:
            _replies[message["id"]].set_result(message.get("result") or message.get("error"))
        return Response(status_code=202)
    if "id" not in message:
        _journal.append({message["method"]: bool(message.get("params"))})
        return Response(status_code=202)
    if message["method"] == "tools/call":
        return await _called(request, message)
    result = _result(message)
    if result is None:
        return JSONResponse(_error(message, -32601, "no such method"))
    return _json(message, result, session=message["method"] == "initialize")


def _result(message: dict[str, Any]) -> dict[str, Any] | None:
    method = message["method"]
    if method == "server/discover" and _IS_MODERN:
        return {"supportedVersions": ["2026-07-28"], "capabilities": _CAPABILITIES, "ttlMs": 0, "cacheScope": "private"}
    if method == "initialize" and not _IS_MODERN:
        return {"protocolVersion": "2025-11-25", "capabilities": _CAPABILITIES, "serverInfo": _INFO}
    if method == "tools/list":
        names = (*_SIMPLE, *_SPECIAL)
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
        return {"tools": tools, **({"ttlMs": 0, "cacheScope": "private"} if _IS_MODERN else {})}
    return None


async def _called(request: Request, message: dict[str, Any]) -> Response:
    if not _IS_MODERN and request.headers.get("mcp-session-id") != _SESSION:
        return JSONResponse({"error": "no session"}, 404)
    name, params = message["params"]["name"], message["params"]
    if name in _SIMPLE:
        return _json(message, _SIMPLE[name])
    if name == "get_moved" and "moved" not in request.url.query:
        return RedirectResponse("/mcp?moved", 307)
    if name == "get_colour" and _IS_MODERN and "inputResponses" not in params:
        asked = {"one": {"method": "elicitation/create", "params": _FORM}}
        return _json(message, {"resultType": "input_required", "inputRequests": asked, "requestState": "one"})
    if name in _SPECIAL_BODIES:
        return _SPECIAL_BODIES[name](message)
    return StreamingResponse(_streams(name, message), media_type="text/event-stream")


async def _streams(name: str, message: dict[str, Any]) -> AsyncIterator[str]:
    token = message["params"].get("_meta", {}).get("progressToken")
    if name == "get_told":
        if token is not None:
            yield _event({"method": "notifications/progress", "params": {"progressToken": token, "progress": 1}})
        said = {"level": "warning", "logger": "brush", "data": "wet"}
        yield _event({"method": "notifications/message", "params": said})
        yield ": a comment\r\n\r\n"
        yield _event({"method": "ping", "id": "p"}) if not _IS_MODERN else ""
        yield _event(_answer(message, _text("told")))
    elif name == "get_colour":
        answers = message["params"].get("inputResponses")
        if answers is None:
            _replies["q"] = asyncio.get_running_loop().create_future()
            yield _event({"method": "elicitation/create", "id": "q", "params": _FORM})
            answers = {"one": await _replies["q"]}
        yield _event(_answer(message, _text(json.dumps(answers["one"], sort_keys=True))))
    elif name == "get_slow":
        try:
            if token is not None:
                yield _event({"method": "notifications/progress", "params": {"progressToken": token, "progress": 1}})
            await asyncio.sleep(60)
        finally:
            _journal.append({"slow": "ended"})
    else:
        yield "id: 7\r\nretry: 10\r\ndata:\r\n\r\n" if name == "get_resumed" else ": nothing\n\n"


async def stream(request: Request) -> Response:
    if request.headers.get("last-event-id") == "7":
        response = _event({"id": 0, "jsonrpc": "2.0", **_answer({"id": 0}, _text("resumed"))})
        return StreamingResponse(iter([response]), media_type="text/event-stream")
    return Response(status_code=405)


def _text(words: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}]}


def _event(message: dict[str, Any]) -> str:
    return f"event: message\r\ndata: {json.dumps({'jsonrpc': '2.0', **message})}\r\n\r\n"


def _answer(message: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    return {"id": message["id"], "result": {"resultType": "complete", **result} if _IS_MODERN else result}


def _error(message: dict[str, Any], code: int, problem: str, **data: Any) -> dict[str, Any]:
    error = {"code": code, "message": problem, **({"data": data} if data else {})}
    return {"jsonrpc": "2.0", "id": message["id"], "error": error}


def _json(message: dict[str, Any], result: dict[str, Any], *, session: bool = False) -> Response:
    headers = {"mcp-session-id": _SESSION} if session else {}
    return JSONResponse({"jsonrpc": "2.0", **_answer(message, result)}, headers=headers)


_SPECIAL_BODIES: dict[str, Callable[[dict[str, Any]], Response]] = {
    "get_error": lambda message: JSONResponse(_error(message, -32000, "out of paint")),
    "get_refused": lambda message: JSONResponse(_error(message, -32602, "no such colour"), 400),
    "get_locked": lambda message: JSONResponse(_error(message, -32042, "Log in first.", elicitations=_PAGES)),
    "get_status": lambda message: JSONResponse({"error": "busy"}, 503),
    "get_plain": lambda message: Response("words", media_type="text/plain"),
    "get_accepted": lambda message: Response(status_code=202),
    "get_no_json": lambda message: Response(b"{", media_type="application/json"),
    "get_moved": lambda message: _json(message, _text("moved")),
}


async def journal(request: Request) -> Response:
    return JSONResponse(_journal)


def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    routes = [
        Route("/mcp", post, methods=["POST"]),
        Route("/mcp", stream, methods=["GET"]),
        Route("/journal", journal),
    ]
    config = uvicorn.Config(Starlette(routes=routes), log_level="error", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run([listener])


if __name__ == "__main__":
    main()
