"""A reference Mindscape backend with faults on demand, to try the gateway against. Not for anything else: it keeps its
data in memory and believes whoever it listens to.

    python -m tests.gateway.mindscape.backend --port 8000
"""

import argparse
import asyncio
import json
import socket
from collections.abc import Sequence
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from tests.gateway.mindscape.backend import bridge, routes
from tests.gateway.mindscape.backend.routes import BackendRequest, Handler, Problem
from tests.gateway.mindscape.backend.world import World

BASE = "/api/v1"

ROUTES: Sequence[tuple[str, str, Handler]] = (
    ("POST", "/tools/filtered", routes.filtered),
    ("GET", "/tools/", routes.list_tools),
    ("POST", "/tools/execute", routes.execute),
    ("POST", "/playbooks/execute/start", routes.start_playbook),
    ("GET", "/playbooks/execute/{execution_id}/result", routes.run_result),
    ("GET", "/playbooks/execute/{execution_id}/status", routes.run_status),
    ("GET", "/capability-packs/", routes.packs),
    ("GET", "/workspaces/", routes.list_workspaces),
    ("POST", "/workspaces/", routes.create_workspace),
    ("GET", "/workspaces/{workspace_id}", routes.one_workspace),
    ("GET", "/lenses/schemas/{role}", routes.lens_schema),
    ("POST", "/lenses/resolve", routes.resolve_lens),
    ("GET", "/mindscape/lens/effective-lens", routes.effective_lens),
    ("POST", "/surfaces/external-context", routes.external_context),
    ("POST", "/mcp/chat/sync", bridge.sync_chat),
    ("POST", "/mcp/intent/submit", bridge.submit_intent),
    ("POST", "/mcp/intent/layout/execute", bridge.execute_layout),
    ("POST", "/mcp/project/detect", bridge.detect_project),
    ("POST", "/commands", bridge.add_command),
    ("GET", "/commands", bridge.list_commands),
    ("POST", "/commands/{command_id}/approve", bridge.approve_command),
    ("POST", "/commands/{command_id}/reject", bridge.reject_command),
    ("GET", "/commands/{command_id}", bridge.one_command),
    ("POST", "/events", bridge.add_event),
    ("GET", "/events", bridge.list_events),
)


def create_app(world: World | None = None) -> Starlette:
    """Beside the interface: `POST /_faults` sets faults and changes the world, `GET /_requests` tells what was asked,
    with the headers and bodies, `DELETE /_requests` forgets that, and `DELETE /_world` begins anew."""
    own = [
        Route(BASE + path, _endpoint(f"{method} {path}", handler), methods=[method]) for method, path, handler in ROUTES
    ]
    app = Starlette(
        routes=[
            *own,
            Route("/_faults", _set_faults, methods=["POST"]),
            Route("/_requests", _list_requests, methods=["GET"]),
            Route("/_requests", _forget, methods=["DELETE"]),
            Route("/_world", _reset, methods=["DELETE"]),
        ],
        exception_handlers={HTTPException: _not_found},
    )
    # The original answers a missing slash with a redirect; we follow it only where a fault asks for that.
    app.router.redirect_slashes = False
    app.state.world = world or World()
    return app


def _endpoint(route: str, handler: Handler) -> Any:
    async def endpoint(request: Request) -> Response:
        world: World = request.app.state.world
        with world.answering():
            return await _answer(world, route, handler, request)

    return endpoint


async def _answer(world: World, route: str, handler: Handler, request: Request) -> Response:
    raw = await request.body()
    try:
        body = json.loads(raw) if raw else None
    except ValueError:
        return _problem(422, [{"loc": ["body"], "msg": "JSON decode error", "type": "json_invalid"}])
    is_first = _record(world, route, request, body)
    refusal = await _fault(world, route, is_first)
    if refusal is not None:
        return refusal
    if not _is_known(world, request):
        return _problem(401, "Invalid or missing credentials")
    try:
        response = await handler(BackendRequest(world, request, body))
    except Problem as problem:
        response = _problem(problem.status, problem.detail)
    return _damaged(world, route, response)


def _record(world: World, route: str, request: Request, body: Any) -> bool:
    is_first = all(each["route"] != route for each in world.requests)
    world.requests.append(
        {
            "route": route,
            "path": request.url.path,
            "query": dict(request.query_params),
            "headers": dict(request.headers),
            "body": body,
        }
    )
    return is_first


async def _fault(world: World, route: str, is_first: bool) -> Response | None:
    faults = world.faults
    wait = (faults.of(faults.latency, route) or 0) + ((faults.of(faults.slow_first, route) or 0) if is_first else 0)
    if wait:
        await asyncio.sleep(wait)
    away = faults.of(faults.redirect_to, route)
    if away is not None:
        return Response(status_code=307, headers={"location": away})
    filters = faults.status_for(route)
    if filters is None:
        return None
    detail = filters.get("detail", "fault")
    return JSONResponse({"detail": detail}, filters["status"], headers=filters.get("headers"))


def _is_known(world: World, request: Request) -> bool:
    return world.api_key is None or request.headers.get("authorization") == f"Bearer {world.api_key}"


def _damaged(world: World, route: str, response: Response) -> Response:
    faults = world.faults
    if route in faults.truncate:
        whole = bytes(response.body)
        return Response(whole[: len(whole) // 2], response.status_code, media_type="application/json")
    after = faults.of(faults.drop_after, route)
    return response if after is None else _BrokenResponse(bytes(response.body), after)


class _BrokenResponse(Response):
    """Promises the whole body and sends a part of it."""

    def __init__(self, whole: bytes, after: int) -> None:
        super().__init__(whole, media_type="application/json")
        self._after = after

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body[: self._after], "more_body": True})
        raise ConnectionAbortedError("dropped on purpose")


async def _set_faults(request: Request) -> Response:
    """The names of `Faults`, and `swap_tool: [old, new]`, `describe: {tool_id: text}`, `workspaces: [{title, ...}]`,
    `forget_workspaces: true`, `results: {tool_id: anything}`, `api_key`, `identity`."""
    world: World = request.app.state.world
    changes = await request.json()
    if "swap_tool" in changes:
        world.swap(*changes.pop("swap_tool"))
    for tool_id, text in changes.pop("describe", {}).items():
        world.describe(tool_id, text)
    if changes.pop("forget_workspaces", False):
        world.workspaces = []
    for each in changes.pop("workspaces", []):
        world.add_workspace(each["title"], each.get("owner", world.identity), each.get("id"))
    world.results |= changes.pop("results", {})
    world.api_key = changes.pop("api_key", world.api_key)
    world.identity = changes.pop("identity", world.identity)
    try:
        world.faults.change(changes)
    except ValueError as error:
        return _problem(422, str(error))
    return JSONResponse({"ok": True})


async def _list_requests(request: Request) -> Response:
    world: World = request.app.state.world
    body = {"counts": world.counts(), "peak": world.peak, "requests": world.requests}
    return JSONResponse({**body, "workspaces": world.workspaces})


async def _forget(request: Request) -> Response:
    request.app.state.world.requests.clear()
    return JSONResponse({"ok": True})


async def _reset(request: Request) -> Response:
    request.app.state.world = World()
    return JSONResponse({"ok": True})


async def _not_found(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    world: World = request.app.state.world
    path = request.url.path
    collections = {BASE + each for _, each, _ in ROUTES if each.endswith("/")}
    if error.status_code == 404 and world.faults.slash_redirects and f"{path}/" in collections:
        return Response(status_code=307, headers={"location": str(request.url.replace(path=f"{path}/"))})
    return _problem(error.status_code, error.detail)


def _problem(status: int, detail: Any) -> Response:
    return JSONResponse({"detail": detail}, status)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.gateway.mindscape.backend", description=(__doc__ or "").partition(".")[0]
    )
    parser.add_argument("--port", type=int, default=8000, help="0 takes any free one")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--api-key", help="refuse whoever does not show this key")
    changes = parser.parse_args(arguments)
    listening = socket.create_server((changes.host, changes.port))
    print(f"http://{changes.host}:{listening.getsockname()[1]}", flush=True)
    server = uvicorn.Server(uvicorn.Config(create_app(World(changes.api_key)), log_level="critical"))
    server.run(sockets=[listening])


if __name__ == "__main__":
    main()
