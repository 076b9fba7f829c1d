"""What a client of the current revision hears of other servers in one long request: changed lists and resources."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

import anyio
import mcp_types as types

from longtable.kernel.errors import LongtableError
from longtable.kernel.logs import logger
from longtable.server.list_changes import Sender
from longtable.server.senders import MessageSender
from longtable.server.upstream_notifications import NotificationSources
from longtable.server.upstream_subscriptions import is_of_upstream


class UpstreamListening:
    def __init__(
        self, sources: NotificationSources, sender: MessageSender, notifications: Sender, meta: dict[str, Any]
    ) -> None:
        self._sources = sources
        self._sender = sender
        self._notifications = notifications
        self._meta = meta

    @asynccontextmanager
    async def opened(self, requested: types.SubscriptionFilter, most: int) -> AsyncIterator[dict[str, Any]]:
        """Listens while it is entered. Yields what the client will hear of, at `most` so many resources. Of what the
        caller may not read it hears nothing, not even why."""
        honored: dict[str, Any] = {}
        async with AsyncExitStack() as stack, anyio.create_task_group() as group:
            for lists in self._sources.lists:
                if getattr(requested, f"{lists.kind}_list_changed"):
                    honored[f"{lists.kind}ListChanged"] = True
                    notify = await stack.enter_async_context(lists.following(self._sender))
                    group.start_soon(self._until_refused, partial(notify, self._notifications, {"_meta": self._meta}))
            uris = [uri for uri in dict.fromkeys(requested.resource_subscriptions or ()) if is_of_upstream(uri)]
            honored["resourceSubscriptions"] = [
                uri for uri in uris[:most] if await self._has_subscribed(uri, stack, group)
            ]
            yield honored
            group.cancel_scope.cancel()

    async def _has_subscribed(self, uri: str, stack: AsyncExitStack, group: anyio.abc.TaskGroup) -> bool:
        subscriptions, sender = self._sources.subscriptions, self._sender
        if subscriptions is None:
            return False
        try:
            caller = await subscriptions.caller_of(sender)
            updates = await stack.enter_async_context(subscriptions.opened(caller, uri))
        except LongtableError as error:
            logger.info("subscription_refused", code=error.code, agent=sender.caller.agent)
            return False
        relay = partial(subscriptions.relay, updates, sender, self._notifications, self._meta)
        group.start_soon(self._until_refused, relay)
        return True

    async def _until_refused(self, relay: Any) -> None:
        """Relays until the subscription is refused. An error ends this subscription alone."""
        try:
            await relay()
        except LongtableError as error:
            logger.info("subscription_ended", code=error.code, agent=self._sender.caller.agent)
