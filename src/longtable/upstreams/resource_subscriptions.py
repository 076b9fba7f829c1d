"""Who is to be notified of changes of which resources of one upstream, which is subscribed to once for all of them."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Literal, Protocol, runtime_checkable

from longtable.kernel.errors import CapacityLimitReached, LongtableError
from longtable.upstreams.requests import McpRequests

ListKind = Literal["resources", "prompts"]
"""Lists beside that of the tools, whose changes an upstream may report."""

MAX_SUBSCRIBED: Final = 1_000
"""Resources of one upstream."""

Updated = Callable[[], None]
ListChanged = Callable[[ListKind], None]
Subscribe = Callable[[str], Awaitable[None]]


@runtime_checkable
class ReportingUpstream(McpRequests, Protocol):
    """An upstream that tells of changes beside those of its tools."""

    async def subscribe(self, uri: str, updated: Updated) -> None:
        """From now on `updated` is called when the resource may have changed, also after the connection was lost.
        Raises NotFound, CapacityLimitReached, UpstreamError or UpstreamTimeout."""

    async def unsubscribe(self, uri: str, updated: Updated) -> None: ...

    def on_list_change(self, callback: ListChanged) -> None:
        """`callback` is called when that list may have changed."""


class ResourceSubscriptions:
    """`subscribe` and `unsubscribe` speak with the upstream."""

    def __init__(self, name: str, subscribe: Subscribe, unsubscribe: Subscribe) -> None:
        self._name = name
        self._subscribe = subscribe
        self._unsubscribe = unsubscribe
        self._listeners: dict[str, list[Updated]] = {}
        self._changing = asyncio.Lock()

    @property
    def is_empty(self) -> bool:
        return not self._listeners

    async def add(self, uri: str, updated: Updated) -> None:
        """Raises CapacityLimitReached, or what the upstream refuses for."""
        async with self._changing:
            if uri not in self._listeners:
                if len(self._listeners) >= MAX_SUBSCRIBED:
                    raise CapacityLimitReached(
                        f"{MAX_SUBSCRIBED} resources of {self._name} are subscribed to, which is the limit.",
                        upstream=self._name,
                        limit=MAX_SUBSCRIBED,
                    )
                await self._subscribe(uri)
            self._listeners.setdefault(uri, []).append(updated)

    async def remove(self, uri: str, updated: Updated) -> None:
        async with self._changing:
            listeners = self._listeners.get(uri, [])
            if updated in listeners:
                listeners.remove(updated)
                if not listeners:
                    del self._listeners[uri]
                    with suppress(LongtableError):
                        await self._unsubscribe(uri)

    def report(self, uri: str) -> None:
        """A report may name what lies below a resource that was subscribed to."""
        for known, listeners in self._listeners.items():
            if uri == known or uri.startswith(f"{known.rstrip('/')}/"):
                for updated in list(listeners):
                    updated()

    async def renew(self) -> None:
        """At a new connection. What happened meanwhile was not reported, so all of them may have changed."""
        async with self._changing:
            for uri in list(self._listeners):
                with suppress(LongtableError):
                    await self._subscribe(uri)
            for uri in list(self._listeners):
                self.report(uri)
