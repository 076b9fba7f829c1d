"""The paths that are no tools, as the OpenAPI document describes them."""

from typing import Any

from longtable.rest.stream import SESSION_EVENTS, TENANT_EVENTS

Json = dict[str, Any]

SERVER = "server"
EVENTS = "events"
"""The tags they stand under."""

_STATUS: Json = {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}
_DOCUMENT: Json = {"type": "object"}
_TEXT: Json = {"type": "string"}


def fixed_paths(metrics_path: str | None) -> Json:
    alive = {"200": _answer("It is.", _STATUS)}
    ready = {
        "200": _answer("The store is reachable.", _STATUS),
        "503": _answer("The store is not reachable, or the server is stopping.", _STATUS),
    }
    document = {"200": _answer("The document.", _DOCUMENT), **_refused(401)}
    page = {"200": _answer("The page.", _TEXT, "text/html"), **_refused(401)}
    metrics = {"200": _answer("The metrics.", _TEXT, "text/plain"), **_refused(401, 403)}
    paths: Json = {
        "/health": {"get": {**_operation("health", "Is the process alive?", alive), "security": []}},
        "/ready": {"get": {**_operation("ready", "Can it serve?", ready), "security": []}},
        "/openapi.json": {"get": _operation("openapi", "This description", document)},
        "/docs": {"get": _operation("docs", "This description as a page", page)},
    }
    paths.update(_event_streams())
    if metrics_path is not None:
        summary = "Metrics for Prometheus, with an owner's token or the scrape token"
        paths[metrics_path] = {"get": _operation("metrics", summary, metrics)}
    return paths


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
