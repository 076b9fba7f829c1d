"""Ends the work for a client that has gone: nobody waits for its answer any more."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longtable.kernel.background import owned_task
from longtable.kernel.delivery import DELIVERY, Delivery

WATCHED_AFTER = 0.05
"""Seconds. Most calls are over by then, and a task for each would cost more than some of them."""


class WhileConnected:
    """Runs `app` for one request until its client disconnects. `after_body` receives what comes after the body of the
    request, which can only be that."""

    def __init__(self, app: ASGIApp, delivery: Delivery, after_body: Receive) -> None:
        self._app = app
        self._delivery = delivery
        self._after_body = after_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def noting(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                self._delivery.sent()

        watch = _DisconnectWatch(self._after_body, self._delivery)
        before = DELIVERY.set(self._delivery)
        try:
            await self._app(scope, receive, noting)
        except asyncio.CancelledError:
            if not watch.caused_this():
                raise
        finally:
            DELIVERY.reset(before)
            watch.close()


class _DisconnectWatch:
    """Made in the task that does the work, which it cancels."""

    def __init__(self, after_body: Receive, delivery: Delivery) -> None:
        self._after_body = after_body
        self._delivery = delivery
        self._working = asyncio.current_task()
        self._has_cancelled = False
        self._watching: asyncio.Task[None] | None = None
        self._timer = asyncio.get_running_loop().call_later(WATCHED_AFTER, self._begin)

    def caused_this(self) -> bool:
        """Whether a cancellation that has arrived is ours, and nobody else's as well."""
        return self._has_cancelled and self._working is not None and self._working.uncancel() == 0

    def close(self) -> None:
        self._timer.cancel()
        if self._watching is not None:
            self._watching.cancel()

    def _begin(self) -> None:
        self._watching = owned_task(self._watch())

    async def _watch(self) -> None:
        while (await self._after_body())["type"] != "http.disconnect":
            continue
        self._delivery.abandon(self._interrupt)

    def _interrupt(self) -> None:
        if self._working is not None and not self._has_cancelled:
            self._has_cancelled = True
            self._working.cancel()
