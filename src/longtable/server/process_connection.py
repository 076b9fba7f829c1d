"""Connections that last as long as their process: stdio, and the legacy SSE transport. What each has subscribed to, and
the way to tell it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.session import ServerSession

from longtable.kernel.background import owned_task
from longtable.kernel.call import CurrentSession
from longtable.kernel.logs import logger
from longtable.server.notifications import Notification
from longtable.server.senders import Context

Subscribing = Callable[["asyncio.Future[None]"], Awaitable[None]]
"""Runs for as long as the subscription lasts. Settles the future when it has begun; raises when it cannot."""


@dataclass(frozen=True, slots=True)
class NotificationSender:
    """A way to tell a client something: in answer to a request of its own, or beside them all."""

    session: ServerSession
    request_id: types.RequestId | None = None

    async def notify(self, notification: Notification) -> None:
        """Waits as long as the client takes: nobody but the one subscription may stand behind it."""
        # Any model with a method and params will do, as methods of our own need one.
        await self.session.send_notification(notification, self.request_id)  # type: ignore[arg-type]


def notifications_of(ctx: Context) -> NotificationSender:
    return NotificationSender(ctx.session, ctx.request_id)


class ProcessConnection:
    """One connection. Each of its subscriptions is a task, and none outlives it."""

    def __init__(self) -> None:
        self._count = 0
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def notifications(self, session: ServerSession) -> NotificationSender:
        return NotificationSender(session)

    def new_id(self) -> str:
        self._count += 1
        return f"sub_{self._count}"

    def has(self, name: str) -> bool:
        return name in self._tasks

    def names(self, prefix: str) -> list[str]:
        return [name for name in self._tasks if name.startswith(prefix)]

    async def open(self, name: str, subscribing: Subscribing) -> None:
        """Returns once it has begun. Raises what keeps it from beginning."""
        begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        task = self._tasks[name] = owned_task(subscribing(begun))
        task.add_done_callback(partial(self._ended, name, begun))
        try:
            await begun
        except BaseException:
            task.cancel()
            raise

    async def end(self, name: str) -> None:
        task = self._tasks.pop(name, None)
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def close(self) -> None:
        for name in list(self._tasks):
            await self.end(name)

    def _ended(self, name: str, begun: "asyncio.Future[None]", task: "asyncio.Task[None]") -> None:
        if self._tasks.get(name) is task:
            del self._tasks[name]
        problem = None if task.cancelled() else task.exception()
        if not begun.done():
            begun.set_exception(problem) if problem is not None else begun.cancel()
        elif isinstance(problem, Exception):
            logger.failed("subscription_failed", problem)


class Exchange:
    """The one connection of a run of a server, and its current session."""

    def __init__(self) -> None:
        self.connection = ProcessConnection()
        self.current_session = CurrentSession()
        self.log_level: str | None = None
        self.agent_key: str | None = None
        """What the name of its agent is made of, if it has no other."""
        self.naming = asyncio.Lock()
        self._opening = 0
        self._opened = asyncio.Event()

    @contextmanager
    def opening(self) -> Iterator[None]:
        self._opening += 1
        try:
            yield
        finally:
            self._opening -= 1
            self._opened.set()

    async def until_opened(self) -> None:
        """Waits for subscriptions that were requested by a notification, which has no response: they see the very next
        call."""
        while self._opening:
            self._opened.clear()
            await self._opened.wait()

    async def close(self) -> None:
        await self.connection.close()


@asynccontextmanager
async def exchange_of(server: Server[Any]) -> AsyncIterator[Exchange]:
    """The lifespan of a run."""
    exchange = Exchange()
    try:
        yield exchange
    finally:
        await exchange.close()
