"""Executions that go on after their call has returned: the caller can poll them and wait for their end."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from longtable.gateway import run_store
from longtable.gateway.playbook_file import UPSTREAM as PLAYBOOKS
from longtable.gateway.run_store import Run
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.kernel.errors import NotFound
from longtable.log.ledger import Ledger
from longtable.log.waits import Waits
from longtable.storage.database import Transaction
from longtable.upstreams.port import UpstreamResult

Poll = Callable[[str], Awaitable[UpstreamResult]]
"""Asks an upstream for the state of an execution."""

_POLL_SECONDS = 1.0


class Executions:
    """`polls` has a function for each upstream with executions, by name."""

    def __init__(self, ledger: Ledger, waits: Waits, polls: Mapping[str, Poll]) -> None:
        self._ledger = ledger
        self._waits = waits
        self._polls = polls
        self._polled_at: dict[tuple[str, str], float] = {}

    async def record_started(self, caller: Caller, tool: str, upstream: str, upstream_result: UpstreamResult) -> None:
        """Stores an execution, also one that has ended. An earlier one with the same id stays as it is."""
        if upstream_result.execution_id is None or upstream == PLAYBOOKS:
            return
        now, fields = self._ledger.clock(), upstream_result.structured or {}
        run = Run(
            execution_id=upstream_result.execution_id,
            agent=caller.agent,
            session_id=caller.session_id,
            tool=tool,
            upstream=upstream,
            created_at=now,
            updated_at=now,
            remote_id=upstream_result.execution_id,
            status=upstream_result.status,
            result=fields.get("outputs") if upstream_result.status == "completed" else None,
            error=fields.get("error"),
        )

        async def body(tx: Transaction) -> None:
            if await run_store.find(tx, run.execution_id) is None:
                await run_store.insert(tx, run)

        await self._ledger.database.write(caller.tenant, body)

    async def wait(self, call: Call, execution_id: str, seconds: float) -> Run:
        """Returns when it is over or the time is up. The upstream is polled once a second at most."""
        deadline = time.monotonic() + seconds
        while True:
            left = deadline - time.monotonic()
            run = await self._waits.until_tenant(
                call.caller,
                min(left, _POLL_SECONDS),
                lambda: self.find(call.caller, execution_id),
                lambda seen: seen.is_over,
            )
            if run.is_over or left <= _POLL_SECONDS or self._waits.wakeups.closed:
                return run

    async def find(self, caller: Caller, execution_id: str) -> Run:
        """Raises NotFound for an execution that the caller did not start."""
        run = await self._ledger.read(caller, lambda tx: run_store.find(tx, execution_id))
        if run is None or (run.agent != caller.agent and not caller.is_human):
            raise NotFound("There is no such execution of yours.")
        poll = self._polls.get(run.upstream)
        if run.is_over or poll is None or run.remote_id is None or not self._may_poll(caller.tenant, execution_id):
            return run
        return await self._refreshed(caller.tenant, run, poll)

    def _may_poll(self, tenant: str, execution_id: str) -> bool:
        now = time.monotonic()
        self._polled_at = {key: at for key, at in self._polled_at.items() if now - at < _POLL_SECONDS * 0.9}
        if (tenant, execution_id) in self._polled_at:
            return False
        self._polled_at[tenant, execution_id] = now
        return True

    async def _refreshed(self, tenant: str, run: Run, poll: Poll) -> Run:
        try:
            upstream_result = await poll(run.remote_id or "")
        except NotFound as error:
            failure = {"code": NotFound.code, "message": "The backend does not know it any more.", **error.details}
            return await self._save(tenant, replace(run, status="failed", error=failure))
        if upstream_result.status == run.status:
            return run
        fields = upstream_result.structured or {}
        done = upstream_result.status == "completed"
        return await self._save(
            tenant,
            replace(
                run,
                status=upstream_result.status,
                result=fields.get("outputs") if done else None,
                error=fields.get("error"),
            ),
        )

    async def _save(self, tenant: str, run: Run) -> Run:
        run = replace(run, updated_at=self._ledger.clock())
        await self._ledger.database.write(tenant, lambda tx: run_store.update(tx, run))
        return run


def run_view(run: Run) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "execution_id": run.execution_id,
        "tool": run.tool,
        "status": run.status,
        "outputs": {} if run.result is None else run.result,
        "progress": dict(run.progress),
        "created_at": to_iso(run.created_at),
        "updated_at": to_iso(run.updated_at),
    }
    return fields if run.error is None else {**fields, "error": dict(run.error)}
