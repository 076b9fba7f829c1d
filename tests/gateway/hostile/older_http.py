"""An MCP server over HTTP of the revision 2025-06-18, which reports changes on a stream; prints its address.

`GET /lists` says how often it was asked for its tools; `POST /cut` ends the stream and refuses the next ones."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

_state: dict[str, Any] = {"lists": 0, "description": "Reads one note.", "cut": False}
_ended, _opened = asyncio.Event(), asyncio.Event()


async def post(request: Request) -> Response:
    message = await request.json()
    if "id" not in message:
        return Response(status_code=202)
    result = _result(message["method"])
    if result is None:
        error = {"code": -32601, "message": "no such method"}
        return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "error": error})
    if message["method"] == "tools/call":
        # A change counts as reported on the stream only once that is there.
        await _opened.wait()
    answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
    return JSONResponse(answer, headers={"Mcp-Session-Id": "one"})


def _result(method: str) -> dict[str, Any] | None:
    if method == "initialize":
        about = {"name": "older", "version": "1"}
        capabilities = {"tools": {"listChanged": True}}
        return {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": about}
    if method == "tools/list":
        _state["lists"] += 1
        schema = {"type": "object"}
        return {"tools": [{"name": "read_note", "description": _state["description"], "inputSchema": schema}]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": "read"}]}
    return None


async def stream(request: Request) -> Response:
    if _state["cut"]:
        return Response(status_code=405)
    return StreamingResponse(_frames(), media_type="text/event-stream")


async def _frames() -> AsyncIterator[str]:
    yield ": open\n\n"
    _opened.set()
    await _ended.wait()


async def change(request: Request) -> Response:
    _state.update(await request.json())
    return Response(status_code=204)


async def cut(request: Request) -> Response:
    _state["cut"] = True
    _ended.set()
    return Response(status_code=204)


async def lists(request: Request) -> Response:
    return Response(json.dumps(_state["lists"]))


def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    routes = [
        Route("/mcp", post, methods=["POST"]),
        Route("/mcp", stream, methods=["GET"]),
        Route("/change", change, methods=["POST"]),
        Route("/cut", cut, methods=["POST"]),
        Route("/lists", lists),
    ]
    config = uvicorn.Config(Starlette(routes=routes), log_level="error", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run([listener])


if __name__ == "__main__":
    main()
