"""SQL for workspaces of a backend and their owners. A row without an id is a claim: its holder is about to find or
create a workspace."""

from dataclasses import dataclass
from typing import Any

from longtable.storage.database import SYSTEM, Row, Transaction


@dataclass(frozen=True, slots=True)
class WorkspaceKey:
    """`scope` is a tenant, or SYSTEM for a workspace that all of them share."""

    scope: str
    backend: str
    owner: str

    @property
    def parameters(self) -> dict[str, Any]:
        whose = {"tenant": SYSTEM} if self.scope == SYSTEM else {}
        return {"backend": self.backend, "owner": self.owner, **whose}


_SAME = "tenant = :tenant AND backend = :backend AND owner = :owner"
_HELD = f"{_SAME} AND workspace_id = '' AND created_at = :held_at"


async def find(tx: Transaction, key: WorkspaceKey) -> Row | None:
    return await tx.first(f"SELECT workspace_id, created_at FROM workspaces WHERE {_SAME}", **key.parameters)


async def claim(tx: Transaction, key: WorkspaceKey, title: str, now: int) -> bool:
    inserted = await tx.execute(
        """INSERT INTO workspaces (tenant, backend, owner, workspace_id, title, created_at)
           VALUES (:tenant, :backend, :owner, '', :title, :now)
           ON CONFLICT (tenant, backend, owner) DO NOTHING""",
        **key.parameters,
        title=title,
        now=now,
    )
    return inserted == 1


async def renew(tx: Transaction, key: WorkspaceKey, held_at: int, now: int) -> bool:
    """Takes over a claim made at `held_at`; False when another process has it."""
    sql = f"UPDATE workspaces SET created_at = :now WHERE {_HELD}"
    return await tx.execute(sql, **key.parameters, held_at=held_at, now=now) == 1


async def fill(tx: Transaction, key: WorkspaceKey, held_at: int, workspace_id: str) -> bool:
    sql = f"UPDATE workspaces SET workspace_id = :workspace_id WHERE {_HELD}"
    return await tx.execute(sql, **key.parameters, held_at=held_at, workspace_id=workspace_id) == 1


async def release(tx: Transaction, key: WorkspaceKey, held_at: int) -> None:
    await tx.execute(f"DELETE FROM workspaces WHERE {_HELD}", **key.parameters, held_at=held_at)


async def count(tx: Transaction, key: WorkspaceKey) -> int:
    parameters = {name: value for name, value in key.parameters.items() if name != "owner"}
    row = await tx.first(
        "SELECT COUNT(*) AS held FROM workspaces WHERE tenant = :tenant AND backend = :backend", **parameters
    )
    return int(row["held"]) if row else 0


async def holders(tx: Transaction, backend: str, workspace_id: str) -> list[tuple[str, str]]:
    """In SYSTEM scope: tenant and owner of each row with this workspace."""
    rows = await tx.all(
        "SELECT tenant, owner FROM workspaces WHERE backend = :backend AND workspace_id = :workspace_id",
        backend=backend,
        workspace_id=workspace_id,
    )
    return [(row["tenant"], row["owner"]) for row in rows]


async def forget(tx: Transaction, backend: str, workspace_id: str) -> None:
    """In SYSTEM scope."""
    await tx.execute(
        "DELETE FROM workspaces WHERE backend = :backend AND workspace_id = :workspace_id",
        backend=backend,
        workspace_id=workspace_id,
    )
