"""Notifies clients that a list of theirs has changed: because of an upstream, a person or a rule."""

import asyncio
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, Protocol
from weakref import WeakKeyDictionary

from longtable.kernel.background import BackgroundTask, BackgroundTasks
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.errors import LongtableError
from longtable.kernel.light_event import LightEvent
from longtable.log.feed import Feed
from longtable.log.kinds import KindFilter
from longtable.log.reader import EventFilter
from longtable.server.notifications import Notification
from longtable.server.process_connection import ProcessConnection, Subscribing
from longtable.server.senders import Context, MessageSender, connection_of, is_modern

WatchedList = Literal["tools", "resources", "prompts"]
NOTHING = ""
"""The signature of the list of a tenant that has nothing behind the gateway."""

_EVENTS = KindFilter(("gateway/tools_changed",))
_FIRST_SECONDS = 2.0
"""Seconds between two looks whether a tenant has got its first upstream."""
_SETTLED = 1.1
"""Seconds until every replica has noticed a change that another one was notified of."""


class Sender(Protocol):
    """Sends notifications to a client."""

    async def notify(self, notification: Notification) -> None: ...


class Follower(Protocol):
    """Wants to hear that a list may have changed."""

    def set(self) -> None: ...


IsUsed = Callable[[str], Awaitable[bool]]
Notify = Callable[[Sender, dict[str, Any]], Awaitable[None]]


@dataclass(slots=True)
class _ShownList:
    """The list that a client was shown last; until it `was_shown` one, it is not notified."""

    signature: str = NOTHING
    was_shown: LightEvent = field(default_factory=LightEvent)


class ListChanges(ABC):
    """Of one kind of list. `is_used` says whether a tenant has anything behind the gateway: nothing of the gateway is
    loaded before it has."""

    def __init__(self, kind: WatchedList, is_used: IsUsed, feed: Feed, background: BackgroundTasks) -> None:
        self.kind: WatchedList = kind
        self.background = background
        self.is_used = is_used
        self._feed = feed
        self._known: WeakKeyDictionary[ProcessConnection, _ShownList] = WeakKeyDictionary()
        self._changed: defaultdict[str, set[Follower]] = defaultdict(set)
        self._followed: dict[str, BackgroundTask] = {}

    @abstractmethod
    async def signature(self, caller: Caller) -> str:
        """Changes whenever the caller's list does."""

    @abstractmethod
    def listed(self, tenant: str) -> None:
        """From now on, changes of the tenant's lists are looked for, also when nobody asks for them."""

    async def about_to_list(self, ctx: Context, sender: MessageSender) -> None:
        """Before a client is shown its list, so that no change is missed."""
        if is_modern(ctx) or connection_of(ctx) is not None:
            return
        process: ProcessConnection = ctx.lifespan_context.connection
        if process not in self._known or not process.has(self.kind):
            known = self._known[process] = _ShownList()
            await process.open(self.kind, self._notifying(sender, process.notifications(ctx.session), known))

    async def was_listed(self, ctx: Context, signature: str) -> None:
        """A client is about to be shown a list of this signature."""
        if is_modern(ctx):
            return
        connection = connection_of(ctx)
        if connection is not None:
            await connection.saw_list(self.kind, signature)
            return
        known = self._known.get(ctx.lifespan_context.connection)
        if known is not None:
            known.signature = signature
            known.was_shown.set()

    @asynccontextmanager
    async def following(self, sender: MessageSender) -> AsyncIterator[Notify]:
        """For a client that listens while a request lasts. It knows the current list."""
        async with self._following_changes(sender.caller.tenant) as changed:
            known = _ShownList(await self._current(sender.caller_in_session))
            known.was_shown.set()
            yield partial(self._notify, sender, known, changed)

    async def add_follower(self, tenant: str, follower: Follower) -> None:
        """It is set whenever the tenant's lists may have changed. One task follows the log for all."""
        self._changed[tenant].add(follower)
        if tenant not in self._followed:
            following = asyncio.get_running_loop().create_future()
            run = partial(self._follow, tenant, following)
            task = self._followed[tenant] = self.background.start("list_follower", run, about=tenant)
            task.when_done(partial(self._unfollowed, tenant, following))
            await following

    def remove_follower(self, tenant: str, follower: Follower) -> None:
        followers = self._changed[tenant]
        followers.discard(follower)
        if not followers and tenant in self._followed:
            self._followed.pop(tenant).cancel()

    def is_followed(self, tenant: str) -> bool:
        """False once the feed has ended."""
        return tenant in self._followed

    def set_changed(self, tenant: str) -> None:
        """Its lists may have changed."""
        for follower in tuple(self._changed.get(tenant, ())):
            follower.set()

    def set_all_changed(self) -> None:
        for tenant in list(self._changed):
            self.set_changed(tenant)

    def _notifying(self, sender: MessageSender, notifications: Sender, known: _ShownList) -> Subscribing:
        async def run(begun: "asyncio.Future[None]") -> None:
            async with self._following_changes(sender.caller.tenant) as changed:
                begun.set_result(None)
                with suppress(LongtableError):
                    await self._notify(sender, known, changed, notifications, {})

        return run

    async def _notify(
        self,
        sender: MessageSender,
        known: _ShownList,
        changed: LightEvent,
        notifications: Sender,
        params: dict[str, Any],
    ) -> None:
        """Notifies of changes until the feed ends. Raises Unauthorized once the credential of the listener is not valid
        any more."""
        while await changed.wait():
            if not self.is_followed(sender.caller.tenant):
                return
            await known.was_shown.wait()
            changed.clear()
            known.signature = await self.notify_of_change(sender, known.signature, notifications, params)

    async def notify_of_change(
        self, sender: MessageSender, seen: str, notifications: Sender, params: dict[str, Any]
    ) -> str:
        """Notifies whoever has `seen` another list than the current one. Returns the signature of that."""
        if sender.recheck is not None:
            await sender.recheck()
        now = await self._current(sender.caller_in_session)
        if now != seen:
            await notifications.notify(Notification(method=f"notifications/{self.kind}/list_changed", params=params))
        return now

    async def _current(self, caller: Caller) -> str:
        """The signature of what others offer; what is our own stays as it is."""
        if not await self.is_used(caller.tenant):
            return NOTHING
        self.listed(caller.tenant)
        return await self.signature(caller)

    @asynccontextmanager
    async def _following_changes(self, tenant: str) -> AsyncIterator[LightEvent]:
        """An event that is set whenever the tenant's lists may have changed."""
        changed = LightEvent()
        try:
            await self.add_follower(tenant, changed)
            yield changed
        finally:
            self.remove_follower(tenant, changed)

    async def _follow(self, tenant: str, following: "asyncio.Future[None]") -> None:
        """The log is followed by those who have something to hear: each commit would wake all the others."""
        if not await self.is_used(tenant):
            if not following.done():
                following.set_result(None)
            while not await self.is_used(tenant):  # noqa: ASYNC110 - another process may add it
                await asyncio.sleep(_FIRST_SECONDS)
        await self._follow_log(tenant, following)

    async def _follow_log(self, tenant: str, following: "asyncio.Future[None]") -> None:
        try:
            async with self._feed.subscribe(EventFilter(system_caller(tenant), None, _EVENTS), None) as subscription:
                if following.done():
                    # After a failure, or the first upstream: what happened meanwhile went past us.
                    self.set_changed(tenant)
                else:
                    following.set_result(None)
                async for _ in subscription:
                    self.set_changed(tenant)
                    asyncio.get_running_loop().call_later(_SETTLED, self.set_changed, tenant)
        except Exception as error:
            if following.done():
                raise
            following.set_exception(error)

    def _unfollowed(self, tenant: str, following: "asyncio.Future[None]") -> None:
        """The feed has ended: whoever follows it is woken and ends, too."""
        task = self._followed.get(tenant)
        if task is not None and task.done():
            del self._followed[tenant]
        if not following.done():
            following.cancel()
        self.set_changed(tenant)


def system_caller(tenant: str) -> Caller:
    """The server itself: it lists the tools of a tenant although no client has asked."""
    return Caller(tenant, Role.OWNER, "longtable", "system", Surface.CLI)
