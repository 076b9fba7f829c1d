"""Responses of a Mindscape backend as MCP results: one envelope for tools and playbooks."""

import json
from collections.abc import Mapping
from typing import Any

from longtable.kernel.clock import system_clock, to_iso
from longtable.upstreams.port import UpstreamResult

MAX_BYTES = 1_048_576
"""Longer results are truncated."""
_MAX_CODES = 20
_BLOCKED = "ARTIFACT_DISCLOSURE_BLOCKED"
_UNKNOWN = "UNKNOWN"
_RUNNING = frozenset({"queued", "pending", "running", "in_progress", "started", "paused", "waiting", "accepted"})
_FAILED = frozenset({"failed", "error", "cancelled", "canceled", "timeout", "rejected", "expired"})
_AROUND = frozenset({"execution_mode", "playbook_code", "execution_id", "status", "error"})


def tool_result(tool: str, response: Any) -> UpstreamResult:
    """Of `/tools/execute`, which returns 200 for failures as well."""
    body = response if isinstance(response, dict) else {}
    outputs = body.get("result")
    status, error = ("completed", None) if body.get("success") is True else ("failed", error_of(body.get("error")))
    if isinstance(outputs, dict) and outputs.get("artifact_created") is False:
        status, error = _undisclosed(outputs, status, error)
    return execution_result(tool, status, outputs, error)


def playbook_result(tool: str, response: Any) -> UpstreamResult:
    """Of `/playbooks/execute/start`. One that is queued or talks to its user is still running."""
    body = response if isinstance(response, dict) else {}
    execution_id = body.get("execution_id") if isinstance(body.get("execution_id"), str) else None
    outputs = body.get("result")
    if outputs is None:
        outputs = {name: value for name, value in body.items() if name not in _AROUND}
    status = status_of(body.get("status"))
    if body.get("status") is None and (
        body.get("execution_mode") == "conversation" or body.get("is_complete") is False
    ):
        status = "running"
    error = error_of(body.get("error")) if status == "failed" else None
    return execution_result(tool, status, outputs, error, execution_id)


def status_of(status: Any) -> str:
    """Maps the backend's many states to three."""
    name = status.lower() if isinstance(status, str) else ""
    return "running" if name in _RUNNING else "failed" if name in _FAILED else "completed"


def error_of(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    return {"code": _UNKNOWN, "message": value if isinstance(value, str) and value else "The tool failed."}


def execution_result(
    tool: str, status: str, outputs: Any, error: Mapping[str, Any] | None = None, execution_id: str | None = None
) -> UpstreamResult:
    outputs = {} if outputs is None else outputs
    text = json.dumps(outputs, ensure_ascii=False)
    is_long = len(text) > MAX_BYTES
    envelope: dict[str, Any] = {
        "status": status,
        "inputs": {},
        "outputs": {"truncated": True, "text": text[:MAX_BYTES]} if is_long else outputs,
        "logs": [],
        "_metadata": {"tool": tool, "timestamp": to_iso(system_clock())},
    }
    if execution_id is not None:
        envelope["execution_id"] = execution_id
    if error is not None:
        envelope["error"] = dict(error)
    block = {"type": "text", "text": json.dumps(envelope, indent=2, ensure_ascii=False)}
    return UpstreamResult(
        content=[block],
        structured=envelope,
        is_error=status == "failed",
        status=status,
        execution_id=execution_id,
        truncated=is_long,
    )


def _undisclosed(
    outputs: Mapping[str, Any], status: str, error: dict[str, Any] | None
) -> tuple[str, dict[str, Any] | None]:
    """No artifact was created: it is forbidden, or a person has to review it first."""
    codes, reviews = outputs.get("blocking_codes"), outputs.get("review_requirements")
    if isinstance(codes, list) and codes:
        message = "The artifact may not be disclosed."
        return "failed", {"code": _BLOCKED, "message": message, "details": codes[:_MAX_CODES]}
    if isinstance(reviews, list) and reviews:
        return "confirmation_required", None
    return status, error
