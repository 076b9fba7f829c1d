"""SQL for tokens and browser logins. Only a known tenant's tokens change in its scope."""

from typing import Any

from longtable.identity.model import Credential, Login, Token
from longtable.kernel.caller import Role
from longtable.storage.database import Row, Transaction

_TOKEN = "token_id, tenant, role, name, agent, agent_type, session_id, created_at, expires_at, revoked_at"


async def insert_token(tx: Transaction, token: Token, secret_hash: str) -> None:
    own = token.credential
    await tx.execute(
        """INSERT INTO tokens (token_id, secret_hash, tenant, role, name, agent, agent_type, session_id,
               created_at, expires_at)
           VALUES (:token_id, :secret_hash, :tenant, :role, :name, :agent, :agent_type, :session_id,
               :created_at, :expires_at)""",
        token_id=token.token_id,
        secret_hash=secret_hash,
        role=own.role.value,
        name=own.name,
        agent=own.agent,
        agent_type=own.agent_type,
        session_id=own.session_id,
        created_at=token.created_at,
        expires_at=token.expires_at,
    )


async def find_token(tx: Transaction, secret_hash: str) -> Token | None:
    row = await tx.first(f"SELECT {_TOKEN} FROM tokens WHERE secret_hash = :secret_hash", secret_hash=secret_hash)
    return _token(row) if row else None


async def find_token_by_id(tx: Transaction, token_id: str) -> Token | None:
    row = await tx.first(f"SELECT {_TOKEN} FROM tokens WHERE token_id = :token_id", token_id=token_id)
    return _token(row) if row else None


async def list_tokens(tx: Transaction, tenant: str | None) -> list[Token]:
    where = "" if tenant is None else "WHERE tenant = :tenant"
    parameters: dict[str, Any] = {} if tenant is None else {"tenant": tenant}
    rows = await tx.all(f"SELECT {_TOKEN} FROM tokens {where} ORDER BY created_at, token_id", **parameters)
    return [_token(row) for row in rows]


async def revoke_token(tx: Transaction, token_id: str, now: int) -> None:
    await tx.execute(
        """UPDATE tokens SET revoked_at = :now
           WHERE tenant = :tenant AND token_id = :token_id AND revoked_at IS NULL""",
        token_id=token_id,
        now=now,
    )
    await tx.execute("DELETE FROM logins WHERE tenant = :tenant AND token_id = :token_id", token_id=token_id)


async def add_login_link(tx: Transaction, secret_hash: str, expires_at: int, now: int) -> None:
    await tx.execute("DELETE FROM login_links WHERE expires_at <= :now", now=now)
    await tx.execute(
        "INSERT INTO login_links (secret_hash, expires_at) VALUES (:secret_hash, :expires_at)",
        secret_hash=secret_hash,
        expires_at=expires_at,
    )


async def knows_login_link(tx: Transaction, secret_hash: str, now: int) -> bool:
    row = await tx.first(
        "SELECT 1 AS known FROM login_links WHERE secret_hash = :secret_hash AND expires_at > :now",
        secret_hash=secret_hash,
        now=now,
    )
    return row is not None


async def take_login_link(tx: Transaction, secret_hash: str, now: int) -> bool:
    """True once for each link that is still valid."""
    taken = await tx.execute(
        "DELETE FROM login_links WHERE secret_hash = :secret_hash AND expires_at > :now",
        secret_hash=secret_hash,
        now=now,
    )
    return taken == 1


async def add_login(tx: Transaction, secret_hash: str, credential: Credential, expires_at: int, now: int) -> None:
    await tx.execute("DELETE FROM logins WHERE expires_at <= :now", now=now)
    await tx.execute(
        """INSERT INTO logins (secret_hash, tenant, role, name, token_id, expires_at)
           VALUES (:secret_hash, :tenant, :role, :name, :token_id, :expires_at)""",
        secret_hash=secret_hash,
        tenant=credential.tenant,
        role=credential.role.value,
        name=credential.name,
        token_id=credential.token_id,
        expires_at=expires_at,
    )


async def find_login(tx: Transaction, secret_hash: str, now: int) -> Login | None:
    """A valid login: neither it nor its token has expired."""
    row = await tx.first(
        """SELECT logins.tenant, logins.role, logins.name, logins.token_id, logins.expires_at,
               tokens.expires_at AS token_expires_at
           FROM logins LEFT JOIN tokens ON tokens.token_id = logins.token_id
           WHERE logins.secret_hash = :secret_hash AND logins.expires_at > :now AND tokens.revoked_at IS NULL
             AND (tokens.expires_at IS NULL OR tokens.expires_at > :now)""",
        secret_hash=secret_hash,
        now=now,
    )
    if row is None:
        return None
    credential = Credential(row["tenant"], Role(row["role"]), row["name"], token_id=row["token_id"])
    return Login(credential, min(row["expires_at"], row["token_expires_at"] or row["expires_at"]))


async def end_login(tx: Transaction, secret_hash: str) -> None:
    await tx.execute("DELETE FROM logins WHERE secret_hash = :secret_hash", secret_hash=secret_hash)


async def end_all_logins(tx: Transaction) -> None:
    """What a login was worth changes when auth is switched."""
    await tx.execute("DELETE FROM login_links")
    await tx.execute("DELETE FROM logins")


def _token(row: Row) -> Token:
    credential = Credential(
        tenant=row["tenant"],
        role=Role(row["role"]),
        name=row["name"],
        agent=row["agent"],
        agent_type=row["agent_type"],
        session_id=row["session_id"],
        token_id=row["token_id"],
    )
    return Token(row["token_id"], credential, row["created_at"], row["expires_at"], row["revoked_at"])
