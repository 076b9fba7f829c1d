"""The lists of tools of upstreams, looked at again whenever an upstream may have changed them."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from longtable.kernel.background import BackgroundTask, BackgroundTasks
from longtable.kernel.caller import Caller
from longtable.kernel.errors import LongtableError
from longtable.kernel.logs import logger
from longtable.log.feed import Feed
from longtable.server.list_changes import IsUsed, ListChanges, system_caller

if TYPE_CHECKING:
    from longtable.gateway.service import Gateway

_PAUSE = 0.2
"""Seconds between two looks at the upstreams: some tell of changes all the time."""


class ToolLists(ListChanges):
    """`gateway` makes what is behind it when it is first asked."""

    def __init__(
        self, gateway: "Callable[[], Gateway]", is_used: IsUsed, feed: Feed, background: BackgroundTasks
    ) -> None:
        super().__init__("tools", is_used, feed, background)
        self._gateway = gateway
        self._tenants: set[str] = set()
        self._looking: BackgroundTask | None = None
        self._look_again: set[str] = set()

    async def signature(self, caller: Caller) -> str:
        return (await self._gateway().listed(caller)).signature

    def listed(self, tenant: str) -> None:
        if not self._tenants:
            self._gateway().dependencies.upstreams.on_change(self._upstream_changed)
        self._tenants.add(tenant)

    def _upstream_changed(self, tenant: str | None) -> None:
        """`tenant` is None when the upstreams of all tenants may have changed."""
        self._look_again |= self._tenants if tenant is None else self._tenants & {tenant}
        if self._looking is None or self._looking.done():
            self._looking = self.background.start("tool_list_look", self._look)

    async def _look(self) -> None:
        """Lists the tools again. Changes that this finds are written to the log, which all replicas read."""
        while self._look_again:
            tenants, self._look_again = self._look_again, set()
            for tenant in tenants:
                try:
                    await self._gateway().offered(system_caller(tenant))
                except LongtableError as error:
                    logger.warning("tools_not_looked_at", code=error.code)
                # Also without an event: of an upstream that is gone there is nothing to write.
                self.set_changed(tenant)
            await asyncio.sleep(_PAUSE)
