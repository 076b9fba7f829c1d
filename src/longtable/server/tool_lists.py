"""Tells clients that their list of tools is another one: because an upstream, a person or a rule has changed it."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from longtable.kernel.background import BackgroundTask, BackgroundTasks
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.errors import LongtableError
from longtable.kernel.logs import logger
from longtable.log.feed import Feed
from longtable.log.kinds import KindFilter
from longtable.log.reader import EventFilter
from longtable.server.notices import Notice
from longtable.server.process_connection import ProcessConnection, Subscribing
from longtable.server.senders import Context, MessageSender, connection_of

if TYPE_CHECKING:
    from longtable.gateway.service import Gateway

CHANGED = "notifications/tools/list_changed"
_EVENTS = KindFilter(("gateway/tools_changed",))
_NAME = "tools"
_PAUSE = 0.2
"""Seconds between two looks at the upstreams: some tell of changes all the time."""
_SETTLED = 1.1
"""Seconds until every replica has noticed a change that another one was notified of."""


class Sender(Protocol):
    """A way to tell a client something."""

    async def notify(self, notice: Notice) -> None: ...


Tell = Callable[[Sender, dict[str, Any]], Awaitable[None]]


@dataclass(slots=True)
class _Known:
    """What a client has been shown last."""

    signature: str


class ToolLists:
    """`gateway` makes what is behind it when it is first asked."""

    def __init__(self, gateway: "Callable[[], Gateway]", feed: Feed, background: BackgroundTasks) -> None:
        self._background = background
        self._gateway = gateway
        self._feed = feed
        self._known: WeakKeyDictionary[ProcessConnection, _Known] = WeakKeyDictionary()
        self._tenants: set[str] = set()
        self._ears: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._followers: dict[str, BackgroundTask] = {}
        self._looking: BackgroundTask | None = None
        self._look_again: set[str] = set()

    def listed(self, tenant: str) -> None:
        """From now on, what becomes of its tools is noticed without anybody asking."""
        if not self._tenants:
            self._gateway().dependencies.upstreams.on_change(self._upstream_changed)
        self._tenants.add(tenant)

    async def follow(self, ctx: Context, sender: MessageSender) -> None:
        """Of a client with a connection, which is about to be shown its list. Before, so that no change is missed."""
        connection = connection_of(ctx)
        if connection is not None:
            await connection.saw_tools(await self._signature(sender.caller_in_session))
            return
        line: ProcessConnection = ctx.lifespan_context.line
        known = self._known.get(line)
        if known is not None and line.has(_NAME):
            known.signature = await self._signature(sender.caller_in_session)
            return
        known = self._known[line] = _Known("")
        await line.open(_NAME, self._telling(sender, line.notifications(ctx.session), known))

    @asynccontextmanager
    async def following(self, sender: MessageSender, seen: str | None = None) -> AsyncIterator[Tell]:
        """Of a client that listens for as long as a request lasts. It knows the list that it has `seen`, or the one
        that there is now."""
        async with self._hearing(sender.caller.tenant) as ear:
            self.listed(sender.caller.tenant)
            known = _Known(await self._signature(sender.caller_in_session) if seen is None else seen)
            if seen is not None:
                ear.set()
            yield partial(self._tell, sender, known, ear)

    def _telling(self, sender: MessageSender, notifications: Sender, known: _Known) -> Subscribing:
        async def run(begun: "asyncio.Future[None]") -> None:
            async with self._hearing(sender.caller.tenant) as ear:
                known.signature = await self._signature(sender.caller_in_session)
                begun.set_result(None)
                with suppress(LongtableError):
                    await self._tell(sender, known, ear, notifications, {})

        return run

    async def _tell(
        self, sender: MessageSender, known: _Known, ear: asyncio.Event, notifications: Sender, params: dict[str, Any]
    ) -> None:
        """Until the feed ends. Raises Unauthorized as soon as the listener counts no more."""
        while await ear.wait():
            ear.clear()
            if sender.caller.tenant not in self._followers:
                return
            if sender.recheck is not None:
                await sender.recheck()
            now = await self._signature(sender.caller_in_session)
            if now != known.signature:
                known.signature = now
                await notifications.notify(Notice(method=CHANGED, params=params))

    async def _signature(self, caller: Caller) -> str:
        """Of what others offer; our own tools stay as they are."""
        return (await self._gateway().listed(caller)).signature

    @asynccontextmanager
    async def _hearing(self, tenant: str) -> AsyncIterator[asyncio.Event]:
        """An event that is set whenever the tenant's lists may have changed. One task follows the log for all."""
        ear = asyncio.Event()
        ears = self._ears[tenant]
        ears.add(ear)
        try:
            if tenant not in self._followers:
                following = asyncio.get_running_loop().create_future()
                run = partial(self._follow_log, tenant, following)
                follower = self._followers[tenant] = self._background.start("tool_list_follower", run, about=tenant)
                follower.when_done(partial(self._unfollowed, tenant, following))
                await following
            yield ear
        finally:
            ears.discard(ear)
            if not ears and tenant in self._followers:
                self._followers.pop(tenant).cancel()

    async def _follow_log(self, tenant: str, following: "asyncio.Future[None]") -> None:
        try:
            async with self._feed.subscribe(EventFilter(_noticing(tenant), None, _EVENTS), None) as subscription:
                if not following.done():
                    following.set_result(None)
                # Also after a failure: what happened meanwhile went past us.
                self._rouse(tenant)
                async for _ in subscription:
                    self._rouse(tenant)
                    asyncio.get_running_loop().call_later(_SETTLED, self._rouse, tenant)
        except Exception as error:
            if following.done():
                raise
            following.set_exception(error)

    def _unfollowed(self, tenant: str, following: "asyncio.Future[None]") -> None:
        """The feed has ended, and with it what hangs on it."""
        follower = self._followers.get(tenant)
        if follower is not None and follower.done():
            del self._followers[tenant]
        if not following.done():
            following.cancel()
        self._rouse(tenant)

    def _rouse(self, tenant: str) -> None:
        for ear in self._ears.get(tenant, ()):
            ear.set()

    def _upstream_changed(self, tenant: str | None) -> None:
        """None is all of them."""
        self._look_again |= self._tenants if tenant is None else self._tenants & {tenant}
        if self._looking is None or self._looking.done():
            self._looking = self._background.start("tool_list_look", self._look)

    async def _look(self) -> None:
        """The look itself writes what it finds to the log, which all replicas read."""
        while self._look_again:
            tenants, self._look_again = self._look_again, set()
            for tenant in tenants:
                try:
                    await self._gateway().offered(_noticing(tenant))
                except LongtableError as error:
                    logger.warning("tools_not_looked_at", code=error.code)
                # Also without an event: of an upstream that is gone there is nothing to write.
                self._rouse(tenant)
            await asyncio.sleep(_PAUSE)


def _noticing(tenant: str) -> Caller:
    return Caller(tenant, Role.OWNER, "longtable", "system", Surface.CLI)
