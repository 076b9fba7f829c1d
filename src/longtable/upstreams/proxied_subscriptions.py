"""Subscriptions to resources of a program that another process runs, or that this one runs in its absence."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from longtable.kernel.background import owned_task
from longtable.kernel.errors import UpstreamError
from longtable.upstreams.port import Upstream
from longtable.upstreams.resource_subscriptions import (
    ListChanged,
    ListKind,
    ReportingUpstream,
    ResourceSubscriptions,
    Updated,
)

_AGAIN_SECONDS = 1.0


class ProxiedSubscriptions:
    """`ask` sends `subscribe` or `unsubscribe` with a URI to the process that runs the program; it returns False where
    there is none. Then `own` is asked."""

    def __init__(self, own: Upstream, ask: Callable[[str, str], Awaitable[bool]]) -> None:
        self._own = own if isinstance(own, ReportingUpstream) else None
        self._name = own.name
        self._ask = ask
        self._own_callbacks: dict[str, Updated] = {}
        self._subscriptions = ResourceSubscriptions(own.name, self._subscribe, self._unsubscribe)
        self._list_callbacks: list[ListChanged] = []
        self._renewing: asyncio.Task[None] | None = None
        self.subscribe = self._subscriptions.add
        self.unsubscribe = self._subscriptions.remove

    def on_list_change(self, callback: ListChanged) -> None:
        self._list_callbacks.append(callback)
        if self._own is not None:
            self._own.on_list_change(callback)

    def receive(self, message: dict[str, Any]) -> None:
        """A report of the other process, or that it is gone."""
        if "uri" in message:
            self._subscriptions.report(message["uri"])
        elif "kind" in message:
            self._list_changed(message["kind"])
        else:
            self._list_changed("resources")
            self._list_changed("prompts")
            if not self._subscriptions.is_empty and (self._renewing is None or self._renewing.done()):
                self._renewing = owned_task(self._renew())

    async def close(self) -> None:
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.wait({self._renewing})

    async def _renew(self) -> None:
        # Not at once: it may be about to stop, as this process is.
        await asyncio.sleep(_AGAIN_SECONDS)
        await self._subscriptions.renew()

    async def _subscribe(self, uri: str) -> None:
        if await self._ask("subscribe", uri):
            return
        if self._own is None:
            raise UpstreamError(f"The process that runs {self._name} does not answer.", upstream=self._name)
        if uri not in self._own_callbacks:
            updated = partial(self._subscriptions.report, uri)
            await self._own.subscribe(uri, updated)
            self._own_callbacks[uri] = updated

    async def _unsubscribe(self, uri: str) -> None:
        if uri in self._own_callbacks and self._own is not None:
            await self._own.unsubscribe(uri, self._own_callbacks.pop(uri))
        else:
            await self._ask("unsubscribe", uri)

    def _list_changed(self, kind: ListKind) -> None:
        for callback in self._list_callbacks:
            callback(kind)
