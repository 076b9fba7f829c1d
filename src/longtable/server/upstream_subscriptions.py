"""Subscriptions of clients to resources of upstreams."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from longtable.app import App
from longtable.connections.model import SavedSubscription
from longtable.connections.service import Connection, topic_of
from longtable.gateway.resource_links import PREFIX
from longtable.kernel.caller import Caller
from longtable.kernel.errors import LongtableError, NotFound
from longtable.kernel.logs import logger
from longtable.server.list_changes import Sender
from longtable.server.notifications import UPDATED, Notification
from longtable.server.process_connection import ProcessConnection, Subscribing
from longtable.server.senders import Context, MessageSender, connection_of
from longtable.server.upstream_tools import placed

if TYPE_CHECKING:
    from longtable.gateway.resource_updates import ResourceUpdates

RESOURCE = "uri:"
"""What the name of a subscription to a resource begins with."""

_STREAM_SECONDS = 5.0


def is_of_upstream(uri: str | None) -> bool:
    return uri is not None and uri.startswith(PREFIX)


class UpstreamSubscriptions:
    """`is_used` says whether a tenant has anything behind the gateway."""

    def __init__(self, app: App, is_used: Callable[[str], Awaitable[bool]]) -> None:
        self._app = app
        self._is_used = is_used

    @asynccontextmanager
    async def opened(self, caller: Caller, uri: str) -> AsyncIterator["ResourceUpdates"]:
        """Raises LongtableError where there is nothing to subscribe to, or not for this caller."""
        if not await self._is_used(caller.tenant):
            raise NotFound("There is no such resource.", hint="resources/list shows those there are.")
        gateway = self._app.slices.gateway
        await gateway.added.follow(caller.tenant)
        async with gateway.resources.updates(caller, uri) as updates:
            yield updates

    async def caller_of(self, sender: MessageSender) -> Caller:
        """In the session that the caller has, if it has one."""
        return await placed(self._app, sender)

    async def subscribe(self, ctx: Context, sender: MessageSender, uri: str) -> None:
        """Subscribes a client that has a connection. Raises LongtableError."""
        connection, name = connection_of(ctx), RESOURCE + uri
        with self._app.dispatcher.limits.counting(sender.caller):
            caller = await self.caller_of(sender)
            if connection is None:
                process: ProcessConnection = ctx.lifespan_context.connection
                if not process.has(name):
                    await process.open(name, self._task(caller, sender, uri, process.notifications(ctx.session)))
                return
            async with self.opened(caller, uri):
                await connection.subscribe(_saved(caller, uri), None)
                # The stream of the connection, in whichever process, subscribes itself.
                await self._until_watched(connection, name)

    async def relay(
        self, updates: "ResourceUpdates", sender: MessageSender, notifications: Sender, meta: dict[str, Any]
    ) -> None:
        """Passes changes on until it is cancelled. Raises Unauthorized once the credential of the listener is not valid
        any more."""
        stamp = {"_meta": meta} if meta else {}
        while True:
            await updates.wait()
            if sender.recheck is not None:
                await sender.recheck()
            await notifications.notify(Notification(method=UPDATED, params={"uri": updates.address, **stamp}))

    def _task(self, caller: Caller, sender: MessageSender, uri: str, notifications: Sender) -> Subscribing:
        async def run(begun: "asyncio.Future[None]") -> None:
            async with self.opened(caller, uri) as updates:
                begun.set_result(None)
                try:
                    await self.relay(updates, sender, notifications, {})
                except LongtableError as error:
                    logger.info("subscription_ended", code=error.code, agent=sender.caller.agent)

        return run

    async def _until_watched(self, connection: Connection, name: str) -> None:
        """Waits until the stream watches the resource, if there is a stream."""
        row = connection.row
        with (
            suppress(TimeoutError),
            self._app.wakeups.for_changes(*topic_of(row.tenant, row.connection_id)) as changes,
        ):
            async with asyncio.timeout(_STREAM_SECONDS):
                while True:
                    now = await connection.reload()
                    if now is None or now.state.listener is None or name in now.state.watched:
                        return
                    if not await changes.wait():
                        return


def _saved(caller: Caller, uri: str) -> SavedSubscription:
    """Without kinds, as no event of the log is about a resource of an upstream."""
    return SavedSubscription(
        name=RESOURCE + uri,
        session_id=caller.session_id,
        agent=caller.agent,
        agent_type=caller.agent_type,
        bound=caller.bound,
        kinds=(),
        uri=uri,
        after=0,
    )
