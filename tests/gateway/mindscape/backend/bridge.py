"""More answers of the reference backend: the bridge of chats, intents and projects, the command bus and the events."""

import secrets

from starlette.responses import JSONResponse, Response

from tests.gateway.mindscape.backend.routes import BackendRequest, Problem


async def sync_chat(request: BackendRequest) -> Response:
    request.needs("workspace_id", "conversation_id", "messages")
    receipts = request.body.get("ide_receipts") or []
    return JSONResponse(
        {
            "synced": True,
            "trace_id": request.body.get("trace_id") or secrets.token_hex(8),
            "thread_id": request.body["conversation_id"],
            "events_emitted": [],
            "hooks_triggered": [],
            "ide_receipts_applied": [each["step"] for each in receipts],
            "receipt_details": [],
            "message_count": len(request.body["messages"]),
        }
    )


async def submit_intent(request: BackendRequest) -> Response:
    request.needs("workspace_id", "message", "extracted_intents")
    changes = request.body["extracted_intents"]
    tags = [
        {"id": f"tag{number}", "label": each["label"], "confidence": each.get("confidence", 0.5)}
        for number, each in enumerate(changes)
    ]
    themes = len(request.body.get("extracted_themes") or [])
    return JSONResponse({"success": True, "intent_tags_created": len(tags), "themes_recorded": themes, "tags": tags})


async def execute_layout(request: BackendRequest) -> Response:
    request.needs("workspace_id", "layout_plan")
    operations = request.body["layout_plan"]["long_term_intents"]
    turn = f"mcp_{secrets.token_hex(4)}"
    return JSONResponse({"success": True, "executed": len(operations), "operations": operations, "turn_id": turn})


async def detect_project(request: BackendRequest) -> Response:
    request.needs("workspace_id", "message", "detected_project")
    created = {"project_id": f"project_{secrets.token_hex(4)}", "created": True, "reason": None}
    return JSONResponse({**created, "suggestion": request.body["detected_project"]})


async def add_command(request: BackendRequest) -> Response:
    request.needs("workspace_id", "actor_id", "source_surface", "intent_code")
    command_id = request.body.get("command_id") or f"cmd_{secrets.token_hex(6)}"
    waits = bool(request.body.get("requires_approval"))
    request.world.commands[command_id] = {**request.body, "command_id": command_id, "status": "pending"}
    if waits:
        answer = {"command_id": command_id, "status": "pending_approval", "message": "It waits."}
        return JSONResponse(answer, 201)
    return JSONResponse(_run_command(request, command_id), 201)


async def approve_command(request: BackendRequest) -> Response:
    if _command(request, 400)["status"] != "pending":
        raise Problem(400, "Command is not pending")
    return JSONResponse(_run_command(request, request.path["command_id"]))


async def reject_command(request: BackendRequest) -> Response:
    command = _command(request, 400)
    command["status"] = "rejected"
    return JSONResponse({**_named(command), "reason": request.body.get("reason")})


async def one_command(request: BackendRequest) -> Response:
    return JSONResponse(_command(request, 404))


async def list_commands(request: BackendRequest) -> Response:
    filters = {name: request.query[name] for name in ("workspace_id", "status") if name in request.query}
    commands = [
        command
        for command in reversed(request.world.commands.values())
        if all(command.get(name) == value for name, value in filters.items())
    ]
    return JSONResponse(commands[: request.number("limit", 50, 200)])


async def add_event(request: BackendRequest) -> Response:
    request.needs("workspace_id", "source_surface", "event_type")
    return JSONResponse(request.world.add_event(request.body), 201)


async def list_events(request: BackendRequest) -> Response:
    request.needs_query("workspace_id")
    limit = request.number("limit", 50, 200)
    own = [event for event in request.world.events if event["workspace_id"] == request.query["workspace_id"]]
    return JSONResponse(own[:limit])


def _command(request: BackendRequest, status: int) -> dict[str, object]:
    command = request.world.commands.get(request.path["command_id"])
    if command is None:
        raise Problem(status, "Command not found")
    return command


def _run_command(request: BackendRequest, command_id: str) -> dict[str, object]:
    command = request.world.commands[command_id]
    run = request.world.add_run(str(command["intent_code"]), command.get("parameters", {}))
    command |= {"status": "completed", "execution_id": run["execution_id"]}
    return {**_named(command), "execution_id": run["execution_id"], "result": {}}


def _named(command: dict[str, object]) -> dict[str, object]:
    return {"command_id": command["command_id"], "status": command["status"]}
