"""Notifications on the stream of a connection that are not in the log: of changed lists, and resources of upstreams."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from longtable.connections.model import SavedSubscription
from longtable.connections.service import Connection
from longtable.kernel.background import owned_task
from longtable.kernel.errors import LongtableError
from longtable.kernel.logs import logger
from longtable.server.followed_list import FollowedList
from longtable.server.list_changes import NOTHING, ListChanges, Sender
from longtable.server.notifications import UPDATED, Notification
from longtable.server.senders import MessageSender
from longtable.server.upstream_subscriptions import UpstreamSubscriptions, is_of_upstream


class ListeningStream(Sender, Protocol):
    connection: Connection
    sender: MessageSender


@dataclass(frozen=True, slots=True)
class NotificationSources:
    """`subscriptions` is None where there can be no upstreams."""

    lists: Sequence[ListChanges] = ()
    subscriptions: UpstreamSubscriptions | None = None


class UpstreamNotifications:
    """Of one stream, for as long as it is entered. `connection_changed` is to be called when its connection may have
    changed."""

    __slots__ = ("_followed", "_sources", "_state", "_stream", "_watching")

    def __init__(self, sources: NotificationSources, stream: ListeningStream) -> None:
        self._sources = sources
        self._stream = stream
        self._state = stream.connection.state
        self._followed: dict[str, FollowedList] = {}
        self._watching: dict[str, asyncio.Task[None]] = {}

    async def __aenter__(self) -> Self:
        for lists in self._sources.lists:
            if self._state.seen(lists.kind) is not None or await self._has_seen_all(lists):
                await self._notify_from_now(lists)
        # It was not watched before this stream, and may have changed.
        self._watch(is_new=False)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for followed in self._followed.values():
            await followed.close()
        tasks = list(self._watching.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def connection_changed(self) -> None:
        """May be called with every event: an unchanged state costs nothing."""
        if self._state is self._stream.connection.state:
            return
        before, self._state = self._state, self._stream.connection.state
        for lists in self._sources.lists:
            if self._state.seen(lists.kind) not in (None, before.seen(lists.kind)):
                await self._notify_from_now(lists)
        self._watch(is_new=True)

    async def _has_seen_all(self, lists: ListChanges) -> bool:
        """Whether a client knows the whole list without having been shown it: tools, where there are only our own."""
        return lists.kind == "tools" and not await lists.is_used(self._stream.connection.row.tenant)

    async def _notify_from_now(self, lists: ListChanges) -> None:
        """Notifies of changes after the list that the client was shown, if it was shown one."""
        if lists.kind in self._followed:
            await self._followed[lists.kind].close()
        seen = self._state.seen(lists.kind) or NOTHING
        self._followed[lists.kind] = FollowedList(lists, self._stream.sender, seen, self._stream)

    def _watch(self, *, is_new: bool) -> None:
        saved = [one for one in self._stream.connection.state.subscriptions if is_of_upstream(one.uri)]
        for name in self._watching.keys() - {one.name for one in saved}:
            self._watching.pop(name).cancel()
        for one in saved:
            if one.name not in self._watching and self._sources.subscriptions is not None:
                self._watching[one.name] = owned_task(self._relay_updates(self._sources.subscriptions, one, is_new))

    async def _relay_updates(self, subscriptions: UpstreamSubscriptions, one: SavedSubscription, is_new: bool) -> None:
        assert one.uri is not None  # it is of an upstream
        connection, sender = self._stream.connection, self._stream.sender
        try:
            async with subscriptions.opened(one.caller(connection.row.tenant, sender.caller.role), one.uri) as updates:
                if is_new:
                    await connection.is_watching([one.name])
                else:
                    await self._stream.notify(Notification(method=UPDATED, params={"uri": one.uri}))
                await subscriptions.relay(updates, sender, self._stream, {})
        except LongtableError as error:
            logger.info("subscription_ended", code=error.code, agent=one.agent)
