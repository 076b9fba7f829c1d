"""Whether this process can serve: the store, the background work and the upstreams, each with its last failure."""

import asyncio
import math
import os
import time
from typing import Any, Final

from longtable import __version__
from longtable.app import App
from longtable.kernel.background import TaskFailure, TaskState, owned_task
from longtable.kernel.clock import to_iso
from longtable.kernel.logs import logger
from longtable.server.worker_list import WorkerList
from longtable.storage.database import StoreState

FRESH_SECONDS: Final = 1.0
"""How long a check of the store is cached: requests for it that come more often cost the store nothing."""
WITHIN_SECONDS: Final = 1.5
_LATE: Final = StoreState("The store did not answer in time.")


class Health:
    def __init__(self, app: App, workers: WorkerList | None = None) -> None:
        self._app = app
        self._workers = workers
        self._began = time.monotonic()
        self._started_at = app.clock()
        self._state = StoreState(None)
        self._looked_at = -math.inf
        self._looking: asyncio.Task[StoreState] | None = None
        self._last_failure: TaskFailure | None = None
        if workers is not None:
            workers.enter(to_iso(self._started_at))

    async def is_ready(self) -> bool:
        """Within two seconds, whatever the store does."""
        return (await self._store()).problem is None and self._app.background.all_running

    async def status(self, tenant: str) -> dict[str, Any]:
        """As the owner of this tenant may see it."""
        store = await self._store()
        is_ready = store.problem is None and self._app.background.all_running
        return {
            "ok": True,
            "status": "ok" if is_ready else "unavailable",
            "version": __version__,
            "pid": os.getpid(),
            "started_at": to_iso(self._started_at),
            "uptime_seconds": round(time.monotonic() - self._began, 1),
            "store": {
                "kind": "sqlite" if self._app.database.dialect == "sqlite" else "postgresql",
                "status": "ok" if store.problem is None else "unavailable",
                "problem": store.problem,
                "last_failure": _failure(self._last_failure),
                **store.facts,
            },
            "background": [_task(state) for state in self._app.background.states()],
            "upstreams": self._upstreams(tenant),
            "gateway_file_problem": self._app.slices.gateway_file.problem if self._app.is_joined else None,
            "workers": self._workers.alive() if self._workers is not None else [],
        }

    async def _store(self) -> StoreState:
        is_fresh = time.monotonic() - self._looked_at < FRESH_SECONDS
        if is_fresh and (self._state.problem is not None or not self._app.database.looks_changed()):
            return self._state
        # One look for all who ask. It goes on when they have given up: the next ones need its answer as well.
        if self._looking is None or self._looking.done():
            self._looking = owned_task(self._app.database.check())
        await asyncio.wait({self._looking}, timeout=WITHIN_SECONDS)
        if not self._looking.done():
            return self._note(_LATE)
        self._looked_at = time.monotonic()
        return self._note(self._looking.result())

    def _note(self, state: StoreState) -> StoreState:
        was, self._state = self._state.problem, state
        if state.problem is not None:
            self._last_failure = TaskFailure(self._app.clock(), state.problem)
        if state.problem != was:
            if state.problem is None:
                logger.info("store_available")
            else:
                logger.warning("store_unavailable", problem=state.problem)
        return state

    def _upstreams(self, tenant: str) -> list[dict[str, Any]]:
        """Of those that the tenant has needed so far: to ask for the others would start them."""
        if not self._app.is_joined:
            return []
        instances = self._app.slices.gateway.dependencies.upstreams.all_instances()
        own = [each for each in instances if each.key.is_seen_by(tenant)]
        return [
            {"name": each.name, "health": each.upstream.health, "problem": each.upstream.problem}
            for each in sorted(own, key=lambda each: each.name)
        ]


def _task(state: TaskState) -> dict[str, Any]:
    return {
        "task": state.name,
        "status": "restarting" if state.restarting else "running" if state.running else "idle",
        "failures": state.failures,
        "last_failure": _failure(state.last_failure),
    }


def _failure(failure: TaskFailure | None) -> dict[str, str] | None:
    return None if failure is None else {"at": to_iso(failure.at), "error": failure.error}
