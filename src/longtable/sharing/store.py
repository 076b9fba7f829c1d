"""SQL for shared links."""

from longtable.sharing.model import SharedLink
from longtable.storage.database import Row, Transaction

_COLUMNS = ", ".join(SharedLink._fields)
_MAX_LISTED = 1_000


async def insert(tx: Transaction, link: SharedLink, secret_hash: str) -> None:
    await tx.execute(
        f"""INSERT INTO shares (tenant, secret_hash, {_COLUMNS})
            VALUES (:tenant, :secret_hash, {", ".join(f":{name}" for name in SharedLink._fields)})""",
        secret_hash=secret_hash,
        **link._asdict(),
    )


async def count_open(tx: Transaction, session_id: str, now: int) -> int:
    row = await tx.first(
        """SELECT COUNT(*) AS number FROM shares
           WHERE tenant = :tenant AND session_id = :session_id AND revoked_at IS NULL AND expires_at > :now""",
        session_id=session_id,
        now=now,
    )
    assert row is not None
    return int(row["number"])


async def listed(tx: Transaction, session_id: str | None) -> list[SharedLink]:
    """The newest first."""
    rows = await tx.all(
        f"""SELECT {_COLUMNS} FROM shares
            WHERE tenant = :tenant AND (CAST(:session_id AS TEXT) IS NULL OR session_id = :session_id)
            ORDER BY created_at DESC, share_id LIMIT {_MAX_LISTED}""",
        session_id=session_id,
    )
    return [_link(row) for row in rows]


async def revoke(tx: Transaction, share_id: str, now: int) -> SharedLink | None:
    """None where there is none of this id; one that was revoked before stays as it is."""
    row = await tx.first(
        f"""UPDATE shares SET revoked_at = COALESCE(revoked_at, :now)
            WHERE tenant = :tenant AND share_id = :share_id RETURNING {_COLUMNS}""",
        share_id=share_id,
        now=now,
    )
    return _link(row) if row else None


async def find_by_secret(tx: Transaction, secret_hash: str) -> tuple[str, SharedLink] | None:
    """With its tenant; in SYSTEM scope."""
    row = await tx.first(f"SELECT tenant, {_COLUMNS} FROM shares WHERE secret_hash = :hash", hash=secret_hash)
    if row is None:
        return None
    fields = dict(row)
    return fields.pop("tenant"), SharedLink(**fields)


async def purge(tx: Transaction, session_id: str) -> None:
    await tx.execute("DELETE FROM shares WHERE tenant = :tenant AND session_id = :session_id", session_id=session_id)


def _link(row: Row) -> SharedLink:
    return SharedLink(**row)
