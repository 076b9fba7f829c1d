"""How we connect to PostgreSQL: what a connection knows, and after how many seconds nobody waits for it any more."""

import logging
import socket
import sys
from typing import TYPE_CHECKING, Any, Final

import asyncpg

if TYPE_CHECKING:
    from longtable.storage.postgres_transaction import PostgresConnection

# What it logs it also raises where we ask for a connection, and there we say it in our own words.
logging.getLogger("asyncpg").setLevel(logging.CRITICAL)

COMMAND_SECONDS: Final = 8
"""For one statement, a lock that it waits for included. With what follows a failure, a caller hears within ten."""
IDLE_SECONDS: Final = 7
"""After so long without a statement the server ends a transaction, and frees what it has locked: its client is gone.
Less than others wait for the lock, so that these get through."""
ALIVE_SECONDS: Final = 4
_CONNECT_SECONDS: Final = 4
_APPLICATION: Final = "longtable"

_SERVER_SETTINGS: Final = {
    "application_name": _APPLICATION,
    "jit": "off",
    "idle_in_transaction_session_timeout": f"{IDLE_SECONDS}s",
    "tcp_keepalives_idle": str(ALIVE_SECONDS),
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "2",
    "tcp_user_timeout": f"{COMMAND_SECONDS}s",
}
CONNECT: Final[dict[str, Any]] = {
    "timeout": _CONNECT_SECONDS,
    "command_timeout": COMMAND_SECONDS,
    "statement_cache_size": 500,
    "max_cached_statement_lifetime": 0,
    "server_settings": _SERVER_SETTINGS,
}

NAME_TRANSACTION: Final = f"set_config('application_name', '{_APPLICATION} ' || pg_current_xact_id()::text, true)"
"""The server reports this setting back by itself, together with the answer to whatever it is part of. So we know the
number of a transaction before its commit, without a round trip for it."""


class TenantConnection(asyncpg.Connection):
    """A connection that knows which tenant's rows its session may see outside of write transactions, and which history
    of the server it belongs to: after a failover, numbers of transactions may mean others."""

    tenant: str | None = None
    timeline: str | None = None

    async def set_tenant(self, tenant: str) -> None:
        if self.tenant == tenant:
            return
        # Unknown while it changes: a caller may be cancelled between the server's answer and ours.
        self.tenant = None
        await self.execute("SELECT set_config('longtable.tenant', $1, false)", tenant)
        self.tenant = tenant


async def connect(url: str) -> TenantConnection:
    connection: TenantConnection = await asyncpg.connect(url, connection_class=TenantConnection, **CONNECT)
    await prepare(connection)
    return connection


async def prepare(connection: Any) -> None:
    """For every new connection."""
    keep_alive(connection)
    connection.timeline = await timeline_of(connection)


async def timeline_of(connection: "PostgresConnection") -> str | None:
    """None on a server that takes no changes."""
    timeline = await connection.fetchval(
        "SELECT CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END"
    )
    return None if timeline is None else str(timeline)


def transaction_number(connection: "PostgresConnection") -> int | None:
    """The number of the transaction that was begun with `NAME_TRANSACTION`."""
    name = str(getattr(connection.get_settings(), "application_name", ""))
    number = name.removeprefix(f"{_APPLICATION} ")
    return int(number) if number.isdecimal() else None


def keep_alive(connection: Any) -> None:
    """The kernel tells us of a server that has gone, and gives up on bytes that nobody acknowledges."""
    transport = getattr(connection, "_transport", None)
    sock = transport.get_extra_info("socket") if transport is not None else None
    if sock is None or sock.family not in (socket.AF_INET, socket.AF_INET6):
        return
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if sys.platform == "linux":
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, ALIVE_SECONDS)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 2)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 2)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, COMMAND_SECONDS * 1000)
