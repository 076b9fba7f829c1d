"""Whatever no other code has handled is logged, and answered with no more than an id to find it."""

import secrets

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longtable.kernel.errors import InternalError, LongtableError
from longtable.kernel.logs import logger
from longtable.rest.replies import refusal


class ErrorBoundary:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_started = False

        async def watched(message: Message) -> None:
            nonlocal is_started
            is_started = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as problem:  # whatever it is, it is answered and logged
            if is_started:
                raise
            await failure_response(problem, scope)(scope, receive, send)


def failure_response(problem: Exception, scope: Scope) -> Response:
    if isinstance(problem, LongtableError):
        return refusal(problem)
    error_id = secrets.token_hex(8)
    logger.failed("internal_error", problem, error_id=error_id, method=scope["method"])
    return refusal(InternalError(f"Something went wrong on our side (error {error_id}).", error_id=error_id))
