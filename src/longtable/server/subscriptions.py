"""Listening over MCP: to events by their kinds, or to resources. Everything reads the one feed."""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from functools import partial
from typing import Annotated, Any, cast

import anyio
import mcp_types as types
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY
from pydantic import ConfigDict, Field

from longtable.app import App
from longtable.connections.model import SavedSubscription
from longtable.connections.service import Connection
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller, Surface
from longtable.kernel.errors import LongtableError, NotFound, ShuttingDown
from longtable.kernel.logs import logger
from longtable.log.feed import FeedItem, Subscription
from longtable.log.kinds import KindFilter
from longtable.log.reader import EventFilter
from longtable.server.addresses import Address, parse_address
from longtable.server.notifications import (
    WATCH,
    Notification,
    ToNotifications,
    error_notification,
    event_notifications,
    update_notifications,
)
from longtable.server.process_connection import Exchange, NotificationSender, Subscribing, notifications_of
from longtable.server.senders import Context, MessageSender, Recognise, connection_of, is_modern, refused, unreadable
from longtable.server.upstream_listening import UpstreamListening
from longtable.server.upstream_notifications import NotificationSources
from longtable.server.upstream_subscriptions import RESOURCE, is_of_upstream
from longtable.toolkit.arguments import parse_arguments
from longtable.toolkit.envelope import session_named
from longtable.toolkit.tool import Arguments

WATCHING = "scratchpad/watching"
MAX_RESOURCES = 200
"""How many resources one stream watches."""

_SEED = "sub_"
_ERROR_NOTICE_SECONDS = 10.0
_TRUSTED_SECONDS = 0.5
_NEW_TOOLS = "gateway/tools_changed"

Relay = Callable[[], Awaitable[None]]


class SubscribeParams(types.RequestParams):
    """Whatever was sent. What is not well formed gets an error that names it; the SDK would be silent."""

    model_config = ConfigDict(extra="allow")

    @property
    def raw(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


class Listen(Arguments):
    session_id: str | None = None
    events: list[str] | None = None
    after: Annotated[int, Field(ge=0, le=2**62)] | None = None


class Leave(Arguments):
    subscription_id: str | None = None


class Subscriptions:
    """`sources` has what clients are notified of that is not in the log: lists and resources of other servers."""

    def __init__(self, app: App, recognise: Recognise, sources: NotificationSources) -> None:
        self._app = app
        self._recognise = recognise
        self._sources = sources

    async def subscribe(self, ctx: Context, params: SubscribeParams) -> dict[str, Any]:
        """As a request."""
        sender = await self._recognise(ctx)
        placed: list[Caller] = []
        try:
            caller, name = await self._subscribe(ctx, sender, params, placed)
            return {"subscription_id": name, **session_named(caller)}
        except LongtableError as error:
            raise refused(self._recorded(sender, error, placed)) from error

    async def on_subscribe_notification(self, ctx: Context, params: SubscribeParams) -> None:
        """As a notification."""
        sender = await self._recognise(ctx)
        placed: list[Caller] = []
        try:
            with _exchange(ctx).opening():
                await self._subscribe(ctx, sender, params, placed)
        except LongtableError as error:
            await _send_error(ctx, self._recorded(sender, error, placed))

    async def unsubscribe(self, ctx: Context, params: SubscribeParams) -> dict[str, Any]:
        try:
            await self._unsubscribe(ctx, params)
        except LongtableError as error:
            raise refused(error) from error
        return {}

    async def on_unsubscribe_notification(self, ctx: Context, params: SubscribeParams) -> None:
        try:
            await self._unsubscribe(ctx, params)
        except LongtableError as error:
            await _send_error(ctx, error)

    async def watch(self, ctx: Context, params: SubscribeParams) -> dict[str, Any]:
        """One long request: events on the way, and in the end where to go on."""
        sender = await self._recognise(ctx)
        notifications, placed = notifications_of(ctx), list[Caller]()
        try:
            event_filter, after = await self._filter_and_position(sender, params, placed)
            async with self._listening(event_filter, after) as subscription:
                begun = {"session_id": event_filter.session_id, "after": subscription.delivered}
                await notifications.notify(Notification(method=WATCHING, params=begun))
                await _relay(subscription, sender, notifications, event_notifications)
                return {"next_after": subscription.delivered}
        except LongtableError as error:
            raise refused(self._recorded(sender, error, placed)) from error

    async def subscribe_resource(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        sender, uri = await self._recognise(ctx), str(params.uri)
        placed: list[Caller] = []
        try:
            if self._sources.subscriptions is not None and is_of_upstream(uri):
                await self._sources.subscriptions.subscribe(ctx, sender, uri)
                return types.EmptyResult()
            address = parse_address(uri)
            caller = await self._placed_for(sender, address)
            placed.append(caller)
            event_filter = EventFilter(caller, address.session_id, KindFilter(address.kinds))
            connection = connection_of(ctx)
            if connection is not None:
                await self._save(connection, event_filter, None, address.uri)
                return types.EmptyResult()
            process, name = _exchange(ctx).connection, RESOURCE + address.uri
            if not process.has(name):
                to_notifications = update_notifications([address], {})
                await process.open(
                    name, self._task(event_filter, None, sender, process.notifications(ctx.session), to_notifications)
                )
        except LongtableError as error:
            raise unreadable(ctx, self._recorded(sender, error, placed)) from error
        return types.EmptyResult()

    async def unsubscribe_resource(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        name, connection = RESOURCE + str(params.uri), connection_of(ctx)
        if connection is not None:
            await connection.unsubscribe([name])
            return types.EmptyResult()
        process = _exchange(ctx).connection
        if process.has(name):
            await process.end(name)
        return types.EmptyResult()

    async def listen(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        sender, notifications = await self._recognise(ctx), notifications_of(ctx)
        requested = params.notifications
        meta = {SUBSCRIPTION_ID_META_KEY: ctx.request_id}
        try:
            watched = await self._readable(sender, requested.resource_subscriptions or [])
            async with AsyncExitStack() as stack:
                relays: list[Relay] = []
                for event_filter, to_notifications in _filters(sender, watched, meta):
                    subscription = await stack.enter_async_context(self._listening(event_filter, None))
                    relays.append(partial(_relay, subscription, sender, notifications, to_notifications))
                listening = UpstreamListening(self._sources, sender, notifications, meta)
                others = await stack.enter_async_context(listening.opened(requested, MAX_RESOURCES - len(watched)))
                honored = {**others, "resourceSubscriptions": _uris(requested, watched, others)}
                await notifications.notify(_acknowledged(honored, meta))
                async with anyio.create_task_group() as group:
                    for relay in relays:
                        group.start_soon(_until_refused, sender, relay)
        except LongtableError as error:
            raise refused(self._recorded(sender, error)) from error
        return types.SubscriptionsListenResult(_meta=meta)

    async def _subscribe(
        self, ctx: Context, sender: MessageSender, params: SubscribeParams, placed: list[Caller]
    ) -> tuple[Caller, str]:
        """`placed` is filled with the caller in the session that was found."""
        if sender.caller.surface is Surface.HTTP and is_modern(ctx):
            raise NotFound("This revision has no channel beside a request.", hint=f"Send the request {WATCH}.")
        event_filter, after = await self._filter_and_position(sender, params, placed)
        connection = connection_of(ctx)
        if connection is not None:
            return event_filter.caller, await self._save(connection, event_filter, after, None)
        process = _exchange(ctx).connection
        name = process.new_id()
        await process.open(
            name, self._task(event_filter, after, sender, process.notifications(ctx.session), event_notifications)
        )
        return event_filter.caller, name

    async def _save(self, connection: Connection, event_filter: EventFilter, after: int | None, uri: str | None) -> str:
        """Saves the subscription with the connection, so that its stream, in whichever process, sends the
        notifications."""
        caller = event_filter.caller
        new = SavedSubscription(
            name="" if uri is None else RESOURCE + uri,
            session_id=event_filter.session_id,
            agent=caller.agent,
            agent_type=caller.agent_type,
            bound=caller.bound,
            kinds=event_filter.kinds.patterns,
            uri=uri,
            after=0,
        )
        name = await connection.subscribe(new, after)
        self._app.ledger.observe(_call(caller), "SUCCESS")
        return name

    async def _unsubscribe(self, ctx: Context, params: SubscribeParams) -> None:
        name = parse_arguments(Leave, params.raw).subscription_id
        connection, process = connection_of(ctx), _exchange(ctx).connection
        open_now = process.names(_SEED)
        if connection is not None:
            open_now = [one.name for one in connection.state.subscriptions if one.name.startswith(_SEED)]
        if name is not None and name not in open_now:
            raise NotFound("subscription_id: there is no such subscription on this connection.")
        ending = open_now if name is None else [name]
        if connection is not None:
            await connection.unsubscribe(ending)
            return
        for each in ending:
            await process.end(each)

    async def _filter_and_position(
        self, sender: MessageSender, params: SubscribeParams, placed: list[Caller]
    ) -> tuple[EventFilter, int | None]:
        named = params.raw.get("session_id")
        # An empty text is one that was not given, as for tools.
        caller = await self._placed(sender, named if named and isinstance(named, str) else None)
        placed.append(caller)
        requested = parse_arguments(Listen, params.raw)
        return EventFilter(caller, caller.session, KindFilter.parse("events", requested.events)), requested.after

    async def _placed(self, sender: MessageSender, session_id: str | None) -> Caller:
        if sender.refusal is not None:
            raise sender.refusal
        return await self._app.session_resolver.resolve_listener(sender.caller, session_id, sender.current_session)

    async def _placed_for(self, sender: MessageSender, address: Address) -> Caller:
        """What belongs to the tenant needs no session, and nobody else's events reach a caller of this tenant."""
        return sender.caller if address.session_id is None else await self._placed(sender, address.session_id)

    async def _readable(self, sender: MessageSender, uris: list[str]) -> list[tuple[Caller, Address]]:
        """The resources that the caller may read. Others are left out without a reason."""
        found: list[tuple[Caller, Address]] = []
        placed: dict[str | None, Caller] = {}
        for uri in dict.fromkeys(uri for uri in uris[:MAX_RESOURCES] if not is_of_upstream(uri)):
            try:
                address = parse_address(uri)
                if address.session_id not in placed:
                    placed[address.session_id] = await self._placed_for(sender, address)
                found.append((placed[address.session_id], address))
            except LongtableError as error:
                self._recorded(sender, error)
        return found

    @asynccontextmanager
    async def _listening(self, event_filter: EventFilter, after: int | None) -> AsyncIterator[Subscription]:
        if self._is_stopping():
            raise ShuttingDown("The server is shutting down.", hint="Try again in a moment.")
        async with self._app.feed.subscribe(event_filter, after) as subscription:
            # Asked when events are collected already: an end in between is among them.
            if event_filter.session_id is not None and await self._app.sessions.is_over(event_filter.caller):
                subscription.end_after_log()
            if self._is_stopping():
                subscription.end()
            self._app.ledger.observe(_call(event_filter.caller), "SUCCESS")
            yield subscription

    def _is_stopping(self) -> bool:
        return self._app.wakeups.closed

    def _recorded(self, sender: MessageSender, error: LongtableError, placed: Sequence[Caller] = ()) -> LongtableError:
        with suppress(LongtableError):
            self._app.ledger.observe(_call(placed[0] if placed else sender.caller), error.code)
        return error

    def _task(
        self,
        event_filter: EventFilter,
        after: int | None,
        sender: MessageSender,
        notifications: NotificationSender,
        to_notifications: ToNotifications,
    ) -> Subscribing:
        async def run(begun: "asyncio.Future[None]") -> None:
            try:
                async with self._listening(event_filter, after) as subscription:
                    begun.set_result(None)
                    await _relay(subscription, sender, notifications, to_notifications)
            except LongtableError as error:
                if not begun.done():
                    raise
                logger.info("subscription_ended", code=error.code, agent=sender.caller.agent)
                await notifications.notify(error_notification(error))

        return run


def _call(caller: Caller) -> Call:
    return Call(caller, "subscribe", "events_subscribed")


async def _relay(
    subscription: Subscription,
    sender: MessageSender,
    notifications: NotificationSender,
    to_notifications: ToNotifications,
) -> None:
    """Passes events on until the subscription ends. Raises Unauthorized once the credential of the listener is not
    valid any more."""
    trusted_until = time.monotonic() + _TRUSTED_SECONDS
    async with aclosing(cast("AsyncGenerator[FeedItem, None]", aiter(subscription))) as deliveries:
        async for delivery in deliveries:
            if sender.recheck is not None and time.monotonic() > trusted_until:
                await sender.recheck()
                trusted_until = time.monotonic() + _TRUSTED_SECONDS
            for notification in to_notifications(delivery):
                await notifications.notify(notification)


async def _until_refused(sender: MessageSender, relay: Relay) -> None:
    """Runs one of several subscriptions on a stream. An error ends this one alone."""
    try:
        await relay()
    except LongtableError as error:
        logger.info("subscription_ended", code=error.code, agent=sender.caller.agent)


def _filters(
    sender: MessageSender, watched: list[tuple[Caller, Address]], meta: dict[str, Any]
) -> list[tuple[EventFilter, ToNotifications]]:
    by_place: defaultdict[tuple[Caller, str | None], list[Address]] = defaultdict(list)
    for caller, address in watched:
        by_place[caller, address.session_id].append(address)
    if not by_place:
        # The stream stays open until somebody ends it, also when it has nothing of this kind to tell.
        return [(EventFilter(sender.caller, None, KindFilter((_NEW_TOOLS,))), lambda _: [])]
    return [
        (EventFilter(caller, session_id, _kinds(addresses)), update_notifications(addresses, meta))
        for (caller, session_id), addresses in by_place.items()
    ]


def _kinds(addresses: list[Address]) -> KindFilter:
    return KindFilter(tuple(dict.fromkeys(kind for address in addresses for kind in address.kinds)))


def _uris(
    requested: types.SubscriptionFilter, watched: list[tuple[Caller, Address]], others: dict[str, Any]
) -> list[str]:
    """In the order in which they were requested."""
    honored = {*(address.uri for _, address in watched), *others.get("resourceSubscriptions", ())}
    return [uri for uri in dict.fromkeys(requested.resource_subscriptions or ()) if uri in honored]


def _acknowledged(honored: dict[str, Any], meta: dict[str, Any]) -> Notification:
    accepted = {name: value for name, value in honored.items() if value}
    return Notification(
        method="notifications/subscriptions/acknowledged", params={"notifications": accepted, "_meta": meta}
    )


async def _send_error(ctx: Context, error: LongtableError) -> None:
    """Refuses a notification. It has no response, so the refusal is a notification, too; over stdio and SSE it is given
    up after a while."""
    connection, notification = connection_of(ctx), error_notification(error)
    if connection is not None:
        await connection.add_notification(notification.model_dump())
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(_ERROR_NOTICE_SECONDS):
            await notifications_of(ctx).notify(notification)


def _exchange(ctx: Context) -> Exchange:
    return cast(Exchange, ctx.lifespan_context)
