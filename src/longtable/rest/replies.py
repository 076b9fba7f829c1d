"""Answers of REST: the `ok` envelope with the status of its code."""

import json
import math

from starlette.responses import Response

from longtable.kernel.errors import LongtableError, Overloaded, RateLimited, RequestTimeout, Unauthorized
from longtable.toolkit.dispatch import CallOutcome
from longtable.toolkit.envelope import wrap_error
from longtable.toolkit.tool import Envelope


def json_reply(outcome: CallOutcome, status: int) -> Response:
    if outcome.error is not None:
        return Response(_dump(outcome.body), outcome.error.status, headers_for(outcome.error), "application/json")
    return Response(_dump(outcome.body), status, None, "application/json")


def refusal(error: LongtableError) -> Response:
    body = wrap_error(Envelope.OK, error, 0)
    return Response(_dump(body), error.status, headers_for(error), "application/json")


def headers_for(error: LongtableError) -> dict[str, str]:
    if isinstance(error, Unauthorized):
        return {"WWW-Authenticate": 'Bearer realm="longtable"'}
    if isinstance(error, RateLimited | Overloaded):
        # The header takes whole seconds only.
        return {"Retry-After": str(math.ceil(error.details.get("retry_after", 1)))}
    if isinstance(error, RequestTimeout):
        return {"Connection": "close"}
    return {}


def _dump(body: object) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
