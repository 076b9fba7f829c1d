"""Follows the log of each tenant that has added upstreams: what another process has removed or changed ends here as
well, also when nobody asks for its tools."""

from functools import partial

from longtable.gateway.added_upstreams import AddedUpstreams
from longtable.kernel.background import BackgroundTask, BackgroundTasks
from longtable.kernel.caller import Caller, Role, Surface
from longtable.log.feed import Feed
from longtable.log.kinds import KindFilter
from longtable.log.reader import EventFilter

_EVENTS = KindFilter(("gateway/tools_changed",))


class UpstreamFollower:
    def __init__(self, feed: Feed, background: BackgroundTasks, added: AddedUpstreams) -> None:
        self._feed = feed
        self._background = background
        self._added = added
        self._tasks: dict[str, BackgroundTask] = {}

    def follow(self, tenant: str) -> None:
        task = self._tasks.get(tenant)
        if task is None or task.done():
            run = partial(self._run, tenant)
            self._tasks[tenant] = self._background.start("upstream_follower", run, about=tenant)

    async def _run(self, tenant: str) -> None:
        caller = Caller(tenant, Role.OWNER, "longtable", "system", Surface.CLI)
        async with self._feed.subscribe(EventFilter(caller, None, _EVENTS), None) as subscription:
            # What happened before we listened, or after a failure, went past us.
            await self._added.reload(tenant)
            async for _ in subscription:
                await self._added.reload(tenant)

    async def close(self) -> None:
        for task in self._tasks.values():
            await task.stop()
