"""SQL for runs: executions that go on after their call has returned."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from longtable.gateway.stored_fields import fields_of, row_of
from longtable.kernel.clock import MINUTE
from longtable.kernel.errors import ShuttingDown
from longtable.storage.database import Transaction

LOST_AFTER = 2 * MINUTE
"""The process of a run sends heartbeats more often than that."""

_AS_JSON = ("progress", "result", "error")


@dataclass(frozen=True, slots=True)
class Run:
    """`status` is running, confirmation_required, completed or failed. `remote_id` is its id at a backend."""

    execution_id: str
    agent: str
    session_id: str | None
    tool: str
    upstream: str
    created_at: int
    updated_at: int
    remote_id: str | None = None
    status: str = "running"
    progress: Mapping[str, Any] = field(default_factory=dict)
    result: Any = None
    error: Mapping[str, Any] | None = None

    @property
    def is_over(self) -> bool:
        return self.status in ("completed", "failed")


_COLUMNS = ", ".join(Run.__slots__)


async def insert(tx: Transaction, run: Run) -> None:
    await tx.execute(
        f"""INSERT INTO gateway_runs (tenant, {_COLUMNS})
            VALUES (:tenant, {", ".join(f":{name}" for name in Run.__slots__)})""",
        **row_of(run, _AS_JSON),
    )


async def update(tx: Transaction, run: Run) -> None:
    fields = row_of(run, _AS_JSON)
    await tx.execute(
        """UPDATE gateway_runs SET status = :status, progress = :progress, result = :result, error = :error,
               updated_at = :updated_at
           WHERE tenant = :tenant AND execution_id = :execution_id""",
        **{name: fields[name] for name in ("execution_id", "status", "progress", "result", "error", "updated_at")},
    )


async def find(tx: Transaction, execution_id: str) -> Run | None:
    row = await tx.first(
        f"SELECT {_COLUMNS} FROM gateway_runs WHERE tenant = :tenant AND execution_id = :execution_id",
        execution_id=execution_id,
    )
    return Run(**fields_of(row, _AS_JSON)) if row else None


async def forget(tx: Transaction, before: int) -> None:
    """In SYSTEM scope."""
    await tx.execute("DELETE FROM gateway_runs WHERE updated_at < :before", before=before)


async def settle_lost(tx: Transaction, upstream: str, now: int) -> None:
    """Fails the runs of our own processes without a heartbeat: the process is gone. In SYSTEM scope."""
    await tx.execute(
        """UPDATE gateway_runs SET status = 'failed', error = :error, updated_at = :now
           WHERE upstream = :upstream AND status IN ('running', 'confirmation_required') AND updated_at < :before""",
        error=json.dumps({"code": ShuttingDown.code, "message": "The server that ran it is gone."}),
        upstream=upstream,
        now=now,
        before=now - LOST_AFTER,
    )
