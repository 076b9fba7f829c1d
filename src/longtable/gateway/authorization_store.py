"""SQL for authorizations: what a tenant was granted at its upstreams, and owners who are about to grant it."""

from dataclasses import dataclass

from longtable.gateway.stored_fields import row_of
from longtable.storage.database import Transaction


@dataclass(frozen=True, slots=True)
class StoredAuthorization:
    """`version` is another one after each change. `sealed` is None when an owner has to connect again."""

    upstream: str
    version: str
    sealed: str | None
    issuer: str
    scope: str | None
    connected_by: str
    connected_at: int
    issued_at: int
    expires_at: int | None
    problem: str | None


@dataclass(frozen=True, slots=True)
class StoredFlow:
    """`surface` is where the owner asked for the link; `state_hash` is None until it is opened."""

    tenant: str
    link_hash: str
    upstream: str
    started_by: str
    surface: str
    state_hash: str | None
    browser_hash: str | None
    sealed: str | None
    expires_at: int


_ROW = ", ".join(StoredAuthorization.__slots__)
_FLOW = ", ".join(StoredFlow.__slots__)


async def of_tenant(tx: Transaction) -> list[StoredAuthorization]:
    rows = await tx.all(f"SELECT {_ROW} FROM gateway_authorizations WHERE tenant = :tenant")
    return [StoredAuthorization(**row) for row in rows]


async def find(tx: Transaction, upstream: str) -> StoredAuthorization | None:
    row = await tx.first(
        f"SELECT {_ROW} FROM gateway_authorizations WHERE tenant = :tenant AND upstream = :upstream",
        upstream=upstream,
    )
    return None if row is None else StoredAuthorization(**row)


async def put(tx: Transaction, stored: StoredAuthorization) -> None:
    await delete(tx, stored.upstream)
    await tx.execute(
        f"""INSERT INTO gateway_authorizations (tenant, {_ROW}, holder, held_until)
            VALUES (:tenant, {", ".join(f":{name}" for name in StoredAuthorization.__slots__)}, NULL, 0)""",
        **row_of(stored),
    )


async def delete(tx: Transaction, upstream: str) -> None:
    await tx.execute(
        "DELETE FROM gateway_authorizations WHERE tenant = :tenant AND upstream = :upstream", upstream=upstream
    )


async def claim(tx: Transaction, upstream: str, holder: str, now: int, until: int) -> bool:
    """Whether this process is the one that renews the tokens now."""
    changed = await tx.execute(
        """UPDATE gateway_authorizations SET holder = :holder, held_until = :until
           WHERE tenant = :tenant AND upstream = :upstream AND (holder IS NULL OR held_until < :now)""",
        upstream=upstream,
        holder=holder,
        until=until,
        now=now,
    )
    return changed > 0


async def release(tx: Transaction, upstream: str, holder: str) -> None:
    await tx.execute(
        """UPDATE gateway_authorizations SET holder = NULL
           WHERE tenant = :tenant AND upstream = :upstream AND holder = :holder""",
        upstream=upstream,
        holder=holder,
    )


async def add_flow(tx: Transaction, flow: StoredFlow) -> None:
    await tx.execute(
        f"""INSERT INTO gateway_authorization_flows ({_FLOW})
            VALUES (:tenant, :link_hash, :upstream, :started_by, :surface, NULL, NULL, NULL, :expires_at)""",
        link_hash=flow.link_hash,
        upstream=flow.upstream,
        started_by=flow.started_by,
        surface=flow.surface,
        expires_at=flow.expires_at,
    )


async def flow_by_link(tx: Transaction, link_hash: str, now: int) -> StoredFlow | None:
    """Whatever its tenant: the link is all that a browser brings."""
    row = await tx.first(
        f"SELECT {_FLOW} FROM gateway_authorization_flows WHERE link_hash = :link_hash AND expires_at > :now",
        link_hash=link_hash,
        now=now,
    )
    return None if row is None else StoredFlow(**row)


async def flow_by_state(tx: Transaction, state_hash: str, now: int) -> StoredFlow | None:
    """Whatever its tenant: the state is all that an authorization server sends back."""
    row = await tx.first(
        f"SELECT {_FLOW} FROM gateway_authorization_flows WHERE state_hash = :state_hash AND expires_at > :now",
        state_hash=state_hash,
        now=now,
    )
    return None if row is None else StoredFlow(**row)


async def open_flow(tx: Transaction, link_hash: str, state_hash: str, browser_hash: str) -> bool:
    """Whether nobody has opened it before."""
    changed = await tx.execute(
        """UPDATE gateway_authorization_flows SET state_hash = :state_hash, browser_hash = :browser_hash
           WHERE tenant = :tenant AND link_hash = :link_hash AND state_hash IS NULL""",
        link_hash=link_hash,
        state_hash=state_hash,
        browser_hash=browser_hash,
    )
    return changed > 0


async def keep_pending(tx: Transaction, link_hash: str, sealed: str) -> None:
    await tx.execute(
        """UPDATE gateway_authorization_flows SET sealed = :sealed
           WHERE tenant = :tenant AND link_hash = :link_hash""",
        link_hash=link_hash,
        sealed=sealed,
    )


async def take_flow(tx: Transaction, link_hash: str) -> StoredFlow | None:
    """Once: it is gone afterwards."""
    row = await tx.first(
        f"SELECT {_FLOW} FROM gateway_authorization_flows WHERE tenant = :tenant AND link_hash = :link_hash",
        link_hash=link_hash,
    )
    await tx.execute(
        "DELETE FROM gateway_authorization_flows WHERE tenant = :tenant AND link_hash = :link_hash",
        link_hash=link_hash,
    )
    return None if row is None else StoredFlow(**row)


async def forget_flows(tx: Transaction, now: int) -> None:
    await tx.execute("DELETE FROM gateway_authorization_flows WHERE expires_at < :now", now=now)
