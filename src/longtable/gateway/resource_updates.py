"""A caller's subscription to a resource of an upstream, which outlasts lost connections and changed entries."""

import asyncio
from types import TracebackType
from typing import Self

from longtable.gateway.upstream_requests import Readable, UpstreamRequests, not_there
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.errors import LongtableError
from longtable.upstreams.directory import UpstreamInstance
from longtable.upstreams.resource_subscriptions import ReportingUpstream

_SUBSCRIBE = "resources/subscribe"
_AGAIN_SECONDS = 5.0


class ResourceUpdates:
    """To be entered, then waited for again and again."""

    def __init__(self, requests: UpstreamRequests, caller: Caller, resource: Readable, address: str) -> None:
        self.address = address
        self._requests = requests
        self._caller = caller
        self._resource = resource
        self._instance: UpstreamInstance | None = None
        self._news = asyncio.Event()

    async def __aenter__(self) -> Self:
        """Raises Forbidden, NotFound, RateLimited, CapacityLimitReached, or the error of the upstream."""
        async with self._requests.audited(Call(self._caller, _SUBSCRIBE, "gateway_called"), self._resource):
            inputs = {"uri": self._resource.remote}
            await self._subscribe(await self._requests.admitted(self._caller, self._resource, _SUBSCRIBE, inputs))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._unsubscribe()

    async def wait(self) -> None:
        """Until the resource may have changed, and the caller may still read it. Changes in between count once."""
        while True:
            await self._news.wait()
            self._news.clear()
            if self._requests.instance(self._caller, self._resource) is not self._instance:
                await self._follow()
            if await self._requests.may_read(self._caller, self._resource):
                return

    async def _follow(self) -> None:
        """To the instance that there is now, however long that takes."""
        await self._unsubscribe()
        while self._instance is None:
            instance = self._requests.instance(self._caller, self._resource)
            try:
                if instance is not None:
                    await self._subscribe(instance)
            except LongtableError:
                pass
            if self._instance is None:
                await asyncio.sleep(_AGAIN_SECONDS)

    async def _subscribe(self, instance: UpstreamInstance) -> None:
        with instance as upstream:
            if not isinstance(upstream, ReportingUpstream):
                raise not_there("resources")
            await upstream.subscribe(self._resource.remote, self._news.set)
        self._instance = instance
        instance.when_ended.add(self._news.set)

    async def _unsubscribe(self) -> None:
        instance, self._instance = self._instance, None
        if instance is not None and isinstance(instance.upstream, ReportingUpstream):
            instance.when_ended.discard(self._news.set)
            await instance.upstream.unsubscribe(self._resource.remote, self._news.set)
