"""Connections to PostgreSQL: their settings and timeouts."""

import logging
import socket
import sys
from typing import TYPE_CHECKING, Any, Final

import asyncpg

if TYPE_CHECKING:
    from longtable.storage.postgres_transaction import PostgresConnection

# It also raises what it logs, and there we translate it.
logging.getLogger("asyncpg").setLevel(logging.CRITICAL)

COMMAND_SECONDS: Final = 8
"""For one statement, waiting for a lock included. With what follows a failure, a caller has an error within ten."""
IDLE_SECONDS: Final = 7
"""After this long without a statement the server ends a transaction and frees its locks: its client is gone. Less than
the lock timeout of others, so that they get through."""
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
"""The server reports this setting back with its response. So the number of a transaction is known before its commit,
without another round trip."""


class TenantConnection(asyncpg.Connection):
    """A connection with the tenant whose rows it may read outside of write transactions, and the timeline of the
    server: after a failover, transaction numbers may mean other transactions."""

    tenant: str | None = None
    timeline: str | None = None

    async def set_tenant(self, tenant: str) -> None:
        if self.tenant == tenant:
            return
        # Unknown while it changes: the caller may be cancelled in between.
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
    """The kernel detects a server that is gone, and gives up on bytes that are not acknowledged."""
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
