"""The lists of resources and of prompts of upstreams, compared again when an upstream reports a change."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from longtable.kernel.background import BackgroundTasks
from longtable.kernel.caller import Caller
from longtable.kernel.canonical import digest
from longtable.log.feed import Feed
from longtable.server.list_changes import NOTHING, IsUsed, ListChanges

if TYPE_CHECKING:
    from longtable.gateway.service import Gateway
    from longtable.upstreams.resource_subscriptions import ListKind

_PAUSE = 0.2
"""Seconds in which reports of upstreams count once: each listener has the list requested again."""


class ResourceAndPromptLists(ListChanges):
    """`gateway` makes what is behind it when it is first asked."""

    def __init__(
        self,
        kind: "ListKind",
        gateway: "Callable[[], Gateway]",
        is_used: IsUsed,
        feed: Feed,
        background: BackgroundTasks,
    ) -> None:
        super().__init__(kind, is_used, feed, background)
        self._gateway = gateway
        self._is_watching = False
        self._reported: set[str | None] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def signature(self, caller: Caller) -> str:
        gateway = self._gateway()
        await gateway.added.follow(caller.tenant)
        offered = gateway.resources if self.kind == "resources" else gateway.prompts
        return signature_of(await offered.listed(caller))

    def listed(self, tenant: str) -> None:
        if not self._is_watching:
            self._is_watching = True
            self._gateway().dependencies.upstreams.on_list_change(self._upstream_changed)

    def _upstream_changed(self, tenant: str | None, kind: "ListKind") -> None:
        if kind != self.kind:
            return
        self._reported.add(tenant)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_PAUSE, self._set_reported_changed)

    def _set_reported_changed(self) -> None:
        self._timer, tenants, self._reported = None, self._reported, set()
        if None in tenants:
            self.set_all_changed()
        for tenant in tenants:
            if tenant is not None:
                self.set_changed(tenant)


def signature_of(items: Sequence[dict[str, Any]]) -> str:
    """Without any it is that of a tenant without upstreams."""
    return digest(list(items)) if items else NOTHING
