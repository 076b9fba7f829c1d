"""More answers of the reference backend: the bridge of chats, intents and projects, the command bus and the events."""

import secrets

from starlette.responses import JSONResponse, Response

from tests.gateway.mindscape.backend.routes import BackendRequest, Problem


async def sync_chat(asked: BackendRequest) -> Response:
    asked.needs("workspace_id", "conversation_id", "messages")
    receipts = asked.body.get("ide_receipts") or []
    return JSONResponse(
        {
            "synced": True,
            "trace_id": asked.body.get("trace_id") or secrets.token_hex(8),
            "thread_id": asked.body["conversation_id"],
            "events_emitted": [],
            "hooks_triggered": [],
            "ide_receipts_applied": [each["step"] for each in receipts],
            "receipt_details": [],
            "message_count": len(asked.body["messages"]),
        }
    )


async def submit_intent(asked: BackendRequest) -> Response:
    asked.needs("workspace_id", "message", "extracted_intents")
    given = asked.body["extracted_intents"]
    tags = [
        {"id": f"tag{number}", "label": each["label"], "confidence": each.get("confidence", 0.5)}
        for number, each in enumerate(given)
    ]
    themes = len(asked.body.get("extracted_themes") or [])
    return JSONResponse({"success": True, "intent_tags_created": len(tags), "themes_recorded": themes, "tags": tags})


async def execute_layout(asked: BackendRequest) -> Response:
    asked.needs("workspace_id", "layout_plan")
    operations = asked.body["layout_plan"]["long_term_intents"]
    turn = f"mcp_{secrets.token_hex(4)}"
    return JSONResponse({"success": True, "executed": len(operations), "operations": operations, "turn_id": turn})


async def detect_project(asked: BackendRequest) -> Response:
    asked.needs("workspace_id", "message", "detected_project")
    made = {"project_id": f"project_{secrets.token_hex(4)}", "created": True, "reason": None}
    return JSONResponse({**made, "suggestion": asked.body["detected_project"]})


async def add_command(asked: BackendRequest) -> Response:
    asked.needs("workspace_id", "actor_id", "source_surface", "intent_code")
    command_id = asked.body.get("command_id") or f"cmd_{secrets.token_hex(6)}"
    waits = bool(asked.body.get("requires_approval"))
    asked.world.commands[command_id] = {**asked.body, "command_id": command_id, "status": "pending"}
    if waits:
        answer = {"command_id": command_id, "status": "pending_approval", "message": "It waits."}
        return JSONResponse(answer, 201)
    return JSONResponse(_ran(asked, command_id), 201)


async def approve_command(asked: BackendRequest) -> Response:
    if _command(asked, 400)["status"] != "pending":
        raise Problem(400, "Command is not pending")
    return JSONResponse(_ran(asked, asked.path["command_id"]))


async def reject_command(asked: BackendRequest) -> Response:
    command = _command(asked, 400)
    command["status"] = "rejected"
    return JSONResponse({**_named(command), "reason": asked.body.get("reason")})


async def one_command(asked: BackendRequest) -> Response:
    return JSONResponse(_command(asked, 404))


async def list_commands(asked: BackendRequest) -> Response:
    wanted = {name: asked.query[name] for name in ("workspace_id", "status") if name in asked.query}
    commands = [
        command
        for command in reversed(asked.world.commands.values())
        if all(command.get(name) == value for name, value in wanted.items())
    ]
    return JSONResponse(commands[: asked.number("limit", 50, 200)])


async def add_event(asked: BackendRequest) -> Response:
    asked.needs("workspace_id", "source_surface", "event_type")
    return JSONResponse(asked.world.add_event(asked.body), 201)


async def list_events(asked: BackendRequest) -> Response:
    asked.needs_query("workspace_id")
    limit = asked.number("limit", 50, 200)
    own = [event for event in asked.world.events if event["workspace_id"] == asked.query["workspace_id"]]
    return JSONResponse(own[:limit])


def _command(asked: BackendRequest, status: int) -> dict[str, object]:
    command = asked.world.commands.get(asked.path["command_id"])
    if command is None:
        raise Problem(status, "Command not found")
    return command


def _ran(asked: BackendRequest, command_id: str) -> dict[str, object]:
    command = asked.world.commands[command_id]
    run = asked.world.add_run(str(command["intent_code"]), command.get("parameters", {}))
    command |= {"status": "completed", "execution_id": run["execution_id"]}
    return {**_named(command), "execution_id": run["execution_id"], "result": {}}


def _named(command: dict[str, object]) -> dict[str, object]:
    return {"command_id": command["command_id"], "status": command["status"]}
