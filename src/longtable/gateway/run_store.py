"""SQL for runs: executions that go on after their call has returned."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from longtable.kernel.clock import MINUTE
from longtable.kernel.errors import ShuttingDown
from longtable.storage.database import Row, Transaction

LOST_AFTER = 2 * MINUTE
"""The process of a run sends heartbeats more often than that."""

_COLUMNS = """execution_id, agent, session_id, tool, upstream, remote_id, status, progress, result, error, created_at,
    updated_at"""


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


async def insert(tx: Transaction, run: Run) -> None:
    await tx.execute(
        f"""INSERT INTO gateway_runs (tenant, {_COLUMNS})
            VALUES (:tenant, :execution_id, :agent, :session_id, :tool, :upstream, :remote_id, :status, :progress,
                :result, :error, :created_at, :updated_at)""",
        **_fields(run),
    )


async def update(tx: Transaction, run: Run) -> None:
    fields = _fields(run)
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
    return _run(row) if row else None


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


def _fields(run: Run) -> dict[str, Any]:
    return {
        "execution_id": run.execution_id,
        "agent": run.agent,
        "session_id": run.session_id,
        "tool": run.tool,
        "upstream": run.upstream,
        "remote_id": run.remote_id,
        "status": run.status,
        "progress": json.dumps(run.progress),
        "result": None if run.result is None else json.dumps(run.result),
        "error": None if run.error is None else json.dumps(run.error),
        "created_at": run.created_at,
        "updated_at": run.updated_at,
    }


def _run(row: Row) -> Run:
    fields = dict(row)
    for name in ("progress", "result", "error"):
        fields[name] = None if fields[name] is None else json.loads(fields[name])
    return Run(**fields)
