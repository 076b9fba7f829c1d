"""The paths that are not tools, as the OpenAPI document describes them."""

from typing import Any

from longtable.rest.exports import AUDIT_EXPORT, SESSION_EXPORT
from longtable.rest.me import ME, SECRET_NOTICE, SEEN
from longtable.rest.stream import SESSION_EVENTS, TENANT_EVENTS

Json = dict[str, Any]

SERVER = "server"
EVENTS = "events"
EXPORTS = "exports"
"""Their tags."""

_STATUS: Json = {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}
STATUS = "/status"
_STATUS_TEXT = (
    "Of the process that answers: its store, its background tasks and the upstreams that were needed so far. For the "
    "owner, and with auth off."
)
_DOCUMENT: Json = {"type": "object"}
_TEXT: Json = {"type": "string"}


def fixed_paths(metrics_path: str | None) -> Json:
    alive = {"200": _answer("It is.", _STATUS)}
    ready = {
        "200": _answer("The store can be written, and all background work runs.", _STATUS),
        "503": _answer("The store cannot be written, background work has failed, or the server is stopping.", _STATUS),
    }
    state = {"200": _answer("Each part, with its last failure.", _PARTS), **_refused(401, 403)}
    document = {"200": _answer("The document.", _DOCUMENT), **_refused(401)}
    page = {"200": _answer("The page.", _TEXT, "text/html"), **_refused(401)}
    metrics = {"200": _answer("The metrics.", _TEXT, "text/plain"), **_refused(401, 403)}
    paths: Json = {
        "/health": {"get": {**_operation("health", "Is the process alive?", alive), "security": []}},
        "/ready": {"get": {**_operation("ready", "Can it serve?", ready), "security": []}},
        STATUS: {"get": {**_operation("status", "How each part is", state), "description": _STATUS_TEXT}},
        "/openapi.json": {"get": _operation("openapi", "This description", document)},
        "/docs": {"get": _operation("docs", "This description as a page", page)},
    }
    paths.update(_me())
    paths.update(_event_streams())
    paths.update(_exports())
    if metrics_path is not None:
        summary = "Metrics for Prometheus, with an owner's token or the scrape token"
        paths[metrics_path] = {"get": _operation("metrics", summary, metrics)}
    return paths


def _me() -> Json:
    answers = {"200": _answer("The caller, and what this server offers.", _ME), **_refused(401)}
    described = {
        **_operation("me", "Who you are here", answers),
        "description": "For who has signed in to the console, or sends a token: with auth off nobody else is anybody. "
        "`csrf` and `login_expires_at` are null with a token; a page sends `csrf` as `X-CSRF-Token` with every change.",
    }
    seen = {"200": _answer("It is not shown any more.", _SEEN), **_refused(401, 403, 404)}
    path = {"name": "notice", "in": "path", "required": True, "schema": {**_WORD, "enum": [SECRET_NOTICE]}}
    marked = {
        **_operation("see_notice", "Say that a notice was seen", seen),
        "description": "For the owner, whom `/me` tells of it until then.",
        "parameters": [path],
    }
    return {ME: {"get": described}, SEEN: {"post": marked}}


def _exports() -> Json:
    files = {
        "application/json": {"schema": _SESSION_FILE},
        "text/markdown": {"schema": _TEXT},
    }
    session = {
        **_operation("export_session", "Export a session", {"200": {"description": "A file.", "content": files}}),
        "tags": [EXPORTS],
        "description": "Everything in a session as one file, also when it is closed or expired. For the owner; "
        "with auth off for everybody, with the messages that the caller may see.",
        "parameters": [{"$ref": "#/components/parameters/session_id"}, _FORMAT],
    }
    session["responses"] |= _refused(400, 401, 403, 404)
    lines = {
        "200": _answer("A file: one record on each line, oldest first.", _TEXT, "application/x-ndjson"),
        **_refused(400, 401, 403),
    }
    audit = {
        **_operation("export_audit_log", "Export the audit log", lines),
        "tags": [EXPORTS],
        "description": "Your tenant's records with the digests that chain them, up to this one. For the owner; "
        "with auth off for everybody.",
    }
    return {SESSION_EXPORT: {"get": session}, AUDIT_EXPORT: {"get": audit}}


def _event_streams() -> Json:
    answers = {
        "200": _answer("Events, until the session or the server ends.", _TEXT, "text/event-stream"),
        **_refused(400, 401, 403, 409, 503),
    }
    over = {"204": {"description": "The session is over, and there is nothing after the cursor."}}
    session = {"$ref": "#/components/parameters/session_id"}
    headers = [{"$ref": f"#/components/parameters/{name}"} for name in ("X-Caller-Agent", "X-Agent-Type")]
    one = {
        **_operation("stream_events", "Listen to a session", {**answers, **over, **_refused(404, 410)}),
        "tags": [EVENTS],
        "description": f"{_STREAM} Everybody hears what they may read.",
        "parameters": [session, *_STREAM_PARAMETERS, *headers],
    }
    whole = {
        **_operation("stream_tenant_events", "Listen to all sessions", answers),
        "tags": [EVENTS],
        "description": f"{_STREAM} For the roles human, owner and orchestrator, and with auth off.",
        "parameters": [*_STREAM_PARAMETERS, *headers],
    }
    return {SESSION_EVENTS: {"get": one}, TENANT_EVENTS: {"get": whole}}


def _object(**properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties)}


_WORD: Json = {"type": "string"}
_WORD_OR_NONE: Json = {"type": ["string", "null"]}
_NUMBER: Json = {"type": "integer"}
_LAST_FAILURE: Json = {
    "type": ["object", "null"],
    "properties": {"at": {"type": "string", "format": "date-time"}, "error": _WORD},
    "required": ["at", "error"],
}
_PARTS = _object(
    ok={"type": "boolean", "const": True},
    status={**_WORD, "enum": ["ok", "unavailable"]},
    version=_WORD,
    pid=_NUMBER,
    started_at={**_WORD, "format": "date-time"},
    uptime_seconds={"type": "number"},
    store=_object(
        kind={**_WORD, "enum": ["sqlite", "postgresql"]},
        status={**_WORD, "enum": ["ok", "unavailable"]},
        problem=_WORD_OR_NONE,
        last_failure=_LAST_FAILURE,
    ),
    background={
        "type": "array",
        "items": _object(
            task=_WORD,
            status={**_WORD, "enum": ["running", "restarting", "idle"]},
            failures=_NUMBER,
            last_failure=_LAST_FAILURE,
        ),
    },
    upstreams={"type": "array", "items": _object(name=_WORD, health=_WORD, problem=_WORD_OR_NONE)},
    gateway_file_problem=_WORD_OR_NONE,
    workers={
        "type": "array",
        "items": _object(number=_NUMBER, pid=_NUMBER, started_at={**_WORD, "format": "date-time"}),
    },
)
_ME = _object(
    ok={"type": "boolean", "const": True},
    name=_WORD,
    agent={**_WORD, "description": "The name under which what you write appears."},
    role=_WORD,
    tenant=_WORD,
    auth={**_WORD, "enum": ["off", "tokens", "jwt"]},
    csrf=_WORD_OR_NONE,
    login_expires_at=_WORD_OR_NONE,
    server_name=_WORD,
    version=_WORD,
    mcp_url=_WORD_OR_NONE,
    features=_object(
        gateway={"type": "boolean"},
        search={**_WORD, "enum": ["keyword", "hybrid"]},
        metrics={"type": "boolean"},
    ),
    notices={
        "type": "array",
        "items": _object(notice={**_WORD, "enum": [SECRET_NOTICE]}, since={**_WORD, "format": "date-time"}),
        "description": "What an owner should know and none has seen yet.",
    },
)
_SEEN = _object(ok={"type": "boolean", "const": True}, notice=_WORD)
_LIST: Json = {"type": "array", "items": {"type": "object"}}
_SESSION_FILE = _object(
    format={**_WORD, "const": "longtable-session"},
    version={"type": "integer", "const": 1},
    exported_at=_WORD,
    session={"type": "object"},
    notes=_LIST,
    sections={**_LIST, "description": "In order, each with every version it had."},
    tasks=_LIST,
    questions=_LIST,
    messages=_LIST,
    events=_LIST,
)
_FORMAT: Json = {
    "name": "format",
    "in": "query",
    "required": False,
    "description": "A file for programs, or one to read.",
    "schema": {"type": "string", "enum": ["json", "md"], "default": "json"},
}
_STREAM = (
    "Server-Sent Events: `id` is the number of the event, `event` its kind, `data` the event itself. "
    "`event: lagged` says that events after `after` were left out, `event: end` where to go on from."
)
_STREAM_PARAMETERS: list[Json] = [
    {
        "name": "kinds",
        "in": "query",
        "required": False,
        "description": "Only these kinds, by comma or repeated; all without it.",
        "schema": {"type": "string"},
        "example": "scratchpad/*,message/added",
    },
    {
        "name": "after",
        "in": "query",
        "required": False,
        "description": "Begin after the event of this number; without it, from now on.",
        "schema": {"type": "integer", "minimum": 0},
    },
    {
        "name": "Last-Event-ID",
        "in": "header",
        "required": False,
        "description": "The same as after, and counts more: what browsers send when they come back.",
        "schema": {"type": "integer", "minimum": 0},
    },
]


def _operation(operation_id: str, summary: str, responses: Json) -> Json:
    failure = {"default": {"$ref": "#/components/responses/Failure"}}
    return {"operationId": operation_id, "tags": [SERVER], "summary": summary, "responses": {**responses, **failure}}


def _answer(description: str, schema: Json, media_type: str = "application/json") -> Json:
    return {"description": description, "content": {media_type: {"schema": schema}}}


def _refused(*statuses: int) -> Json:
    return {str(status): {"$ref": f"#/components/responses/{_NAMES[status]}"} for status in statuses}


_NAMES = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    409: "Conflict",
    410: "Gone",
    503: "Unavailable",
}
