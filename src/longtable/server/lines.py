"""The connections over which clients listen: what each has subscribed to, and the way to tell it."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.session import ServerSession
from pydantic import BaseModel

from longtable.kernel.background import owned_task
from longtable.kernel.logs import logger
from longtable.server.guests import Context
from longtable.server.outlets import OUTLET, Outlet

Subscribing = Callable[["asyncio.Future[None]"], Awaitable[None]]
"""Runs for as long as the subscription lasts. Settles the future when it has begun; raises when it cannot."""


class Notice(BaseModel):
    """A notification of any method."""

    method: str
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Voice:
    """A way to tell a client something: in answer to a request of its own, or beside them all."""

    session: ServerSession
    request_id: types.RequestId | None = None
    outlet: Outlet | None = None

    async def say(self, notice: Notice) -> None:
        """Waits as long as the client takes: nobody but the one subscription may stand behind it."""
        if self.outlet is None:
            await self._send(notice)
            return
        async with self.outlet.turn():
            await self._send(notice)

    async def _send(self, notice: Notice) -> None:
        # Any model with a method and params will do, as methods of our own need one.
        await self.session.send_notification(notice, self.request_id)  # type: ignore[arg-type]


def voice_of(ctx: Context) -> Voice:
    """On the older HTTP a JSON answer has no room for anything before it: then beside the request."""
    outlet = _outlet(ctx)
    return Voice(ctx.session, None, outlet) if outlet is not None else Voice(ctx.session, ctx.request_id)


class Line:
    """One connection. Each of its subscriptions is a task, and none outlives it."""

    def __init__(self, outlet: Outlet | None) -> None:
        self.outlet = outlet
        self._count = 0
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def voice(self, session: ServerSession) -> Voice:
        return Voice(session, None, self.outlet)

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
    """All lines of one run of a server: a single one on stdio and on each SSE connection, many on HTTP."""

    def __init__(self) -> None:
        self._lines: dict[str | None, Line] = {}
        self._opening: Counter[str | None] = Counter()
        self._opened = asyncio.Event()

    def line(self, ctx: Context) -> Line:
        outlet = _outlet(ctx)
        name = _connection_id(ctx)
        line = self._lines.get(name)
        if line is None:
            line = self._lines[name] = Line(outlet)
            if outlet is not None:
                # The one private name that we use of the SDK: nothing else tells of a connection that ended by
                # DELETE or by idling, and the stack is made for handlers to leave their cleaning up in.
                ctx.session._connection.exit_stack.push_async_callback(self._hang_up, name)
        return line

    @contextmanager
    def opening(self, ctx: Context) -> Iterator[None]:
        name = _connection_id(ctx)
        self._opening[name] += 1
        try:
            yield
        finally:
            self._opening[name] -= 1
            if not self._opening[name]:
                del self._opening[name]
            self._opened.set()

    async def until_opened(self, ctx: Context) -> None:
        """Who subscribes by a notification gets no answer, and hears of the very next call all the same."""
        while self._opening and _connection_id(ctx) in self._opening:
            self._opened.clear()
            await self._opened.wait()

    async def close(self) -> None:
        for name in list(self._lines):
            await self._hang_up(name)

    async def _hang_up(self, name: str | None) -> None:
        line = self._lines.pop(name, None)
        if line is not None:
            await line.close()


@asynccontextmanager
async def exchange_of(server: Server[Any]) -> AsyncIterator[Exchange]:
    """The lifespan of a run."""
    exchange = Exchange()
    try:
        yield exchange
    finally:
        await exchange.close()


def _outlet(ctx: Context) -> Outlet | None:
    return ctx.request.scope.get(OUTLET) if ctx.request is not None else None


def _connection_id(ctx: Context) -> str | None:
    outlet = _outlet(ctx)
    return None if outlet is None else outlet.connection_id
