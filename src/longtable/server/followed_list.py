"""One list of one stream that stays open for long."""

import asyncio
from contextlib import suppress

from longtable.kernel.background import owned_task
from longtable.kernel.errors import LongtableError
from longtable.server.list_changes import ListChanges, Sender
from longtable.server.senders import MessageSender


class FollowedList:
    """Notifies a client that a list is not the one it has `seen` any more. Its task lives only while there is something
    to look at: of a thousand streams that wait, each would hold one."""

    __slots__ = ("_is_due", "_lists", "_looking", "_notifications", "_seen", "_sender")

    def __init__(self, lists: ListChanges, sender: MessageSender, seen: str, notifications: Sender) -> None:
        self._lists = lists
        self._sender = sender
        self._seen = seen
        self._notifications = notifications
        self._is_due = True
        self._looking: asyncio.Task[None] | None = owned_task(self._begin())

    def set(self) -> None:
        """The list may have changed."""
        self._is_due = True
        if self._looking is None and self._lists.is_followed(self._sender.caller.tenant):
            self._looking = owned_task(self._look())

    async def close(self) -> None:
        self._lists.remove_follower(self._sender.caller.tenant, self)
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    async def _begin(self) -> None:
        with suppress(LongtableError):
            await self._lists.add_follower(self._sender.caller.tenant, self)
        await self._look()

    async def _look(self) -> None:
        with suppress(LongtableError):
            while self._is_due:
                self._is_due = False
                self._seen = await self._lists.notify_of_change(self._sender, self._seen, self._notifications, {})
        # After a failure that nobody expects the task stays, and `close` notices it.
        self._looking = None
