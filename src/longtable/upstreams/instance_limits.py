"""Bounds how many instances of an upstream run at a time, and ends those that nobody has called for a while."""

import asyncio
import time
from collections.abc import Callable
from typing import Final, Protocol
from weakref import WeakSet

from longtable.kernel.background import BackgroundTask, BackgroundTasks
from longtable.kernel.errors import CapacityLimitReached
from longtable.upstreams.directory import InstanceKey
from longtable.upstreams.entries import UpstreamEntry

LOOK_SECONDS: Final = 5.0
SPARED_SECONDS: Final = 60.0
"""An instance that was called this recently is not ended to make room for another."""


class Usage:
    """Entered by each call: when the last one ended."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._calls = 0
        self._ended_at = clock()

    @property
    def ended_at(self) -> float | None:
        """None while there is a call."""
        return None if self._calls else self._ended_at

    def touch(self) -> None:
        self._ended_at = self._clock()

    def __enter__(self) -> None:
        self._calls += 1

    def __exit__(self, *error: object) -> None:
        self._calls -= 1
        self.touch()


class RestingUpstream(Protocol):
    """An upstream that can end its process or connection until it is needed again."""

    instance_limit: "InstanceLimit | None"

    @property
    def entry(self) -> UpstreamEntry: ...

    @property
    def is_running(self) -> bool: ...

    @property
    def unused_since(self) -> float | None:
        """`time.monotonic` of the end of its last call; None while there is one."""

    async def rest(self) -> None: ...


class InstanceLimit:
    """Of one upstream, for all its tenants and sessions."""

    def __init__(self) -> None:
        self._instances: WeakSet[RestingUpstream] = WeakSet()

    def add(self, upstream: RestingUpstream) -> None:
        self._instances.add(upstream)

    async def admit(self, newcomer: RestingUpstream) -> None:
        """To be called before it starts. Ends the one that was not called for longest, if there are too many; raises
        CapacityLimitReached when all of them are in use."""
        most = newcomer.entry.limits.max_instances
        running = [each for each in self._instances if each is not newcomer and each.is_running]
        if len(running) < most:
            return
        unused = [each for each in running if _unused_for(each) >= SPARED_SECONDS]
        if not unused:
            raise CapacityLimitReached(
                f"All {most} instances of {newcomer.entry.name} are in use.",
                hint="Try again in a minute, or let an operator raise max_instances of this upstream.",
                upstream=newcomer.entry.name,
                limit=most,
            )
        await max(unused, key=_unused_for).rest()

    async def end_idle(self) -> None:
        for each in list(self._instances):
            timeout = each.entry.limits.idle_timeout
            if timeout and each.is_running and _unused_for(each) >= timeout:
                await each.rest()


class InstanceLimits:
    """For all upstreams that this process runs."""

    def __init__(self, background: BackgroundTasks) -> None:
        self._background = background
        self._limits: dict[tuple[str | None, str], InstanceLimit] = {}
        self._watching: BackgroundTask | None = None

    def add(self, upstream: RestingUpstream, key: InstanceKey) -> None:
        """Registers an instance. One that all tenants share is not limited: there is only one, and it keeps running."""
        if key.tenant is None:
            return
        limit = self._limits.setdefault((key.owner, key.name), InstanceLimit())
        limit.add(upstream)
        upstream.instance_limit = limit
        if self._watching is None:
            self._watching = self._background.start("upstream_idle", self._watch)

    async def close(self) -> None:
        if self._watching is not None:
            await self._watching.stop()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            for limit in list(self._limits.values()):
                await limit.end_idle()


def _unused_for(upstream: RestingUpstream) -> float:
    since = upstream.unused_since
    return 0.0 if since is None else time.monotonic() - since
