"""Refusals of a server as the exceptions of their codes."""

from typing import Any

from longtable.kernel.errors import InternalError, LongtableError

_BY_CODE: dict[str, type[LongtableError]] = {error.code: error for error in LongtableError.__subclasses__()}


def failure(code: str, message: str, details: dict[str, Any]) -> LongtableError:
    """A code that only a newer server knows becomes INTERNAL_ERROR, and is kept in the details."""
    kind = _BY_CODE.get(code)
    if kind is None:
        kind, details = InternalError, {**details, "code": code}
    # Not by calling it: some errors write their own message, and details may have the name of a parameter.
    error = kind.__new__(kind, message)
    LongtableError.__init__(error, message)
    error.details = details
    return error


def check_envelope(body: dict[str, Any]) -> dict[str, Any]:
    """The body of a success. Raises the failure in either of the two envelopes."""
    if body.get("ok", body.get("success")):
        return body
    problem = body["error"] if isinstance(body.get("error"), dict) else body
    raise failure(str(problem.get("code")), str(problem.get("error")), problem.get("details") or {})


def check_message(message: dict[str, Any]) -> dict[str, Any]:
    """The body of a tool's result in a JSON-RPC response. Raises its failure."""
    problem = message.get("error")
    if problem is not None:
        data = problem.get("data") or {}
        raise failure(
            str(data.get("code", problem.get("code"))), str(problem.get("message")), data.get("details") or {}
        )
    return check_envelope(message["result"]["structuredContent"])
