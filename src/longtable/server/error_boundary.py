"""The last net: whatever falls through everything else is logged, and answered with no more than an id to find it."""

import secrets

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longtable.kernel.errors import InternalError, LongtableError
from longtable.kernel.logs import logger
from longtable.rest.replies import refusal


class ErrorBoundary:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answered = False

        async def watched(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as problem:  # whatever it is, it is answered and logged
            if answered:
                raise
            await refusal(_told(problem, scope))(scope, receive, send)


def _told(problem: Exception, scope: Scope) -> LongtableError:
    if isinstance(problem, LongtableError):
        return problem
    error_id = secrets.token_hex(8)
    logger.failed("internal_error", problem, error_id=error_id, method=scope["method"])
    return InternalError(f"Something went wrong on our side (error {error_id}).", error_id=error_id)
