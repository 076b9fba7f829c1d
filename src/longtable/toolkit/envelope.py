"""The shapes that results and failures travel in, and the schema that describes both."""

from typing import Any

from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.kernel.errors import LongtableError
from longtable.toolkit.tool import Envelope, Tool, without_titles

_ERROR_SCHEMA = {
    "type": "object",
    "properties": {"error": {"type": "string"}, "code": {"type": "string"}, "details": {"type": "object"}},
}


def wrap_error(envelope: Envelope, error: LongtableError, now: int) -> dict[str, Any]:
    if envelope is Envelope.OK:
        return {"ok": False, "error": {"error": error.message, "code": error.code, "details": error.details}}
    return {
        "success": False,
        "error": error.message,
        "code": error.code,
        "details": error.details,
        "timestamp": to_iso(now),
    }


def session_named(caller: Caller) -> dict[str, str]:
    """Names the session to a caller that did not choose it."""
    return {} if caller.session_id is None or caller.bound else {"session_id": caller.session_id}


def output_schema(tool: Tool[Any]) -> dict[str, Any]:
    """Holds for results and failures alike, so only the flag that tells them apart is required."""
    schema = without_titles(tool.result.model_json_schema(mode="serialization"))
    properties: dict[str, Any] = dict(schema.get("properties", {}))
    if tool.envelope is Envelope.OK:
        properties = {"ok": {"type": "boolean"}, **properties, "error": _ERROR_SCHEMA}
        required = "ok"
    else:
        properties = {
            "success": {"type": "boolean"},
            **properties,
            "error": {"type": "string"},
            "code": {"type": "string"},
            "details": {"type": "object"},
            "timestamp": {"type": "string"},
        }
        required = "success"
    properties["session_id"] = {"type": "string"}
    properties["inbox"] = {"type": "object"}
    described = {"type": "object", "properties": properties, "required": [required]}
    return {**described, "$defs": schema["$defs"]} if "$defs" in schema else described
