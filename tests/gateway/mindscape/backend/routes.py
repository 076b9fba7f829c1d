"""The answers of the reference backend, route by route: the interface of the original with none of its accidents."""

import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.gateway.mindscape.backend.world import LONGEST_PAGE, PAGE, Item, World, now

Handler = Callable[["BackendRequest"], Awaitable[Response]]

_OPERATIONS = ("query", "read", "generate", "modify", "delete", "publish", "payment")


class Problem(Exception):
    """Answered as `{"detail": ...}`."""

    def __init__(self, status: int, detail: Any) -> None:
        super().__init__(str(detail))
        self.status = status
        self.detail = detail


class BackendRequest:
    """One request with its body read."""

    def __init__(self, world: World, request: Request, body: Any) -> None:
        self.world = world
        self.query = request.query_params
        self.path = request.path_params
        self.body: Item = body if isinstance(body, dict) else {}

    def needs(self, *names: str) -> None:
        self._missing("body", [name for name in names if self.body.get(name) is None])

    def needs_query(self, *names: str) -> None:
        self._missing("query", [name for name in names if not self.query.get(name)])

    def number(self, name: str, default: int, most: int) -> int:
        raw = self.query.get(name, str(default))
        if not raw.isdigit() or not 0 <= int(raw) <= most:
            raise Problem(422, [{"loc": ["query", name], "msg": f"must be 0 to {most}", "type": "value_error"}])
        return int(raw)

    def _missing(self, where: str, names: list[str]) -> None:
        if names:
            faults = [{"loc": [where, name], "msg": "Field required", "type": "missing"} for name in names]
            raise Problem(422, faults)


async def filtered(request: BackendRequest) -> Response:
    most = max(1, min(int(request.body.get("max_tools", 30)), 100))
    tools = request.world.listed_tools()[: min(most, 50)]
    playbooks = request.world.listed_playbooks()[:10] if request.body.get("include_playbooks", True) else []
    meta = {
        "tool_count": len(tools),
        "playbook_count": len(playbooks),
        "rag_status": "hit" if request.body.get("task_hint") else "skipped",
        "pack_codes": request.body.get("recommended_pack_codes", []),
        "safe_default_used": False,
    }
    return JSONResponse({"tools": tools, "playbooks": playbooks, "meta": meta})


async def list_tools(request: BackendRequest) -> Response:
    return JSONResponse(request.world.listed_tools())


async def execute(request: BackendRequest) -> Response:
    request.needs("workspace_id", "product_surface_id", "tool_name", "arguments")
    world, name = request.world, request.body["tool_name"]
    if request.body.get("operation_type", "modify") not in _OPERATIONS:
        raise Problem(422, [{"loc": ["body", "operation_type"], "msg": "unknown operation type", "type": "enum"}])
    _check_workspace(request, request.body["workspace_id"])
    bare = name.removeprefix("default.")
    known = next((tool for tool in world.listed_tools() if tool["tool_id"] in (name, bare)), None)
    error = "Tool not found" if known is None else world.faults.failing_tools.get(known["tool_id"])
    result = None if error else world.results.get(bare, {"echo": request.body["arguments"]})
    return JSONResponse(
        {
            "success": error is None,
            "tool_name": name,
            "tool_type": "builtin",
            "result": result,
            "error": error,
            "execution_time": 0.01,
            "metadata": {"admission_snapshot_hash": secrets.token_hex(16)},
            "timestamp": now(),
        }
    )


def _check_workspace(request: BackendRequest, workspace_id: str) -> None:
    if not any(each["id"] == workspace_id for each in request.world.workspaces):
        raise Problem(404, f"Workspace {workspace_id} not found")


async def start_playbook(request: BackendRequest) -> Response:
    request.needs_query("playbook_code")
    code, world = request.query["playbook_code"], request.world
    bare = code.rpartition(".")[2]
    if not any(each["playbook_code"] in (code, bare) for each in world.playbooks):
        raise Problem(404, f"Playbook {code} not found")
    if request.query.get("workspace_id"):
        _check_workspace(request, request.query["workspace_id"])
    run = world.add_run(code, request.body.get("inputs", {}))
    answer = {"execution_mode": "workflow", "playbook_code": code, "execution_id": run["execution_id"]}
    if world.faults.queues_playbooks:
        note = {"status": "queued", "execution_id": run["execution_id"], "note": "It waits for a runner."}
        return JSONResponse({**answer, "status": "queued", "result": note})
    run["polls_left"] = 0
    return JSONResponse({**answer, "status": "completed", "result": {"digest": run["inputs"]}})


async def run_result(request: BackendRequest) -> Response:
    run = _run(request)
    if run["polls_left"] > 0:
        run["polls_left"] -= 1
        raise Problem(404, "Execution not finished")
    if run["fails"]:
        raise Problem(500, "Step 2 failed: the shop is closed")
    return JSONResponse({"digest": run["inputs"]})


async def run_status(request: BackendRequest) -> Response:
    run = _run(request)
    status = "running" if run["polls_left"] > 0 else "failed" if run["fails"] else "completed"
    shown = {"execution_id": run["execution_id"], "task_status": status, "status": status, "execution_context": {}}
    return JSONResponse(shown)


def _run(request: BackendRequest) -> Item:
    run = request.world.runs.get(request.path["execution_id"])
    if run is None:
        raise Problem(404, "Execution not found")
    return run


async def packs(request: BackendRequest) -> Response:
    more = ["web_generation", "my-pack", "a_b", "a"] if request.world.faults.odd_packs else []
    shown = {"description": "", "version": "1.0.0", "enabled": True, "installed": True}
    return JSONResponse([{"id": pack, "name": pack.title(), **shown} for pack in [*request.world.packs, *more]])


async def list_workspaces(request: BackendRequest) -> Response:
    faults = request.world.faults
    limit = request.number("limit", PAGE, LONGEST_PAGE)
    limit = limit if faults.page_limit is None else min(limit, faults.page_limit)
    start = 0 if faults.ignores_offset else request.number("offset", 0, 10**6)
    return JSONResponse(request.world.seen_workspaces()[start : start + limit])


async def create_workspace(request: BackendRequest) -> Response:
    request.needs_query("owner_user_id")
    request.needs("title")
    created = request.world.add_workspace(request.body["title"], request.query["owner_user_id"])
    return JSONResponse({**created, "description": request.body.get("description")}, 201)


async def one_workspace(request: BackendRequest) -> Response:
    filters = request.path["workspace_id"]
    found = next((each for each in request.world.workspaces if each["id"] == filters), None)
    if found is None:
        raise Problem(404, f"Workspace {filters} not found")
    return JSONResponse(found)


async def lens_schema(request: BackendRequest) -> Response:
    role = request.path["role"]
    if role != "writer":
        raise Problem(404, f"No schema for role {role}")
    tone = {"key": "tone", "label": "Tone", "type": "enum", "options": ["warm", "dry"], "from_modalities": []}
    return JSONResponse({"schema_id": "s1", "role": role, "label": "Writer", "dimensions": [tone], "version": "1"})


async def resolve_lens(request: BackendRequest) -> Response:
    request.needs("user_id", "workspace_id")
    values = {"role": request.body.get("role_hint", "default"), "source_lenses": [], "values": {"tone": "warm"}}
    return JSONResponse({"resolved_mind_lens_id": "lens-1", **values})


async def effective_lens(request: BackendRequest) -> Response:
    request.needs_query("profile_id")
    named = {name: request.query.get(name) for name in ("profile_id", "workspace_id", "session_id")}
    return JSONResponse({**named, "nodes": [], "global_preset_id": "p1", "hash": "0" * 16, "computed_at": now()})


async def external_context(request: BackendRequest) -> Response:
    request.needs("workspace_id", "surface_type", "surface_user_id", "tool_called")
    event = request.world.add_event(
        {"workspace_id": request.body["workspace_id"], "event_type": "external_tool_call", "payload": request.body}
    )
    ids = {"event_id": event["event_id"], "intent_id": f"int_{event['event_id'][4:]}", "seed_id": None}
    return JSONResponse({"success": True, **ids, "ide_receipt_used": False, "message": "recorded"}, 201)
