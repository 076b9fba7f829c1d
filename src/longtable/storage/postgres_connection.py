"""Connections to PostgreSQL: their settings and timeouts."""

import logging
import socket
import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import asyncpg

from longtable.storage.postgres_buffer import literal

if TYPE_CHECKING:
    from longtable.storage.postgres_buffer import PostgresConnection

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
_CONNECT: Final[dict[str, Any]] = {
    "timeout": _CONNECT_SECONDS,
    "command_timeout": COMMAND_SECONDS,
    "max_cached_statement_lifetime": 0,
}
_SETTINGS_IN_TRANSACTIONS: Final = ("jit", "idle_in_transaction_session_timeout")
"""What still counts behind a pooler. It refuses them at the start of a connection."""
_SEARCH_PATH: Final = "search_path"


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """Where PostgreSQL is. A pooler in transaction mode gives every transaction any of its connections: nothing lasts
    from one to the next, no setting and no prepared statement, and each statement needs a transaction around it."""

    url: str
    has_pooler: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """For a new connection."""
        if not self.has_pooler:
            return {**_CONNECT, "dsn": self.url, "statement_cache_size": 500, "server_settings": _SERVER_SETTINGS}
        parts = urlsplit(self.url)
        kept = [(name, value) for name, value in parse_qsl(parts.query) if name != _SEARCH_PATH]
        names = {"application_name": _APPLICATION}
        url = urlunsplit(parts._replace(query=urlencode(kept)))
        return {**_CONNECT, "dsn": url, "statement_cache_size": 0, "server_settings": names}

    @property
    def local_settings(self) -> str:
        """Statements for the beginning of each transaction."""
        if not self.has_pooler:
            return ""
        settings = {name: _SERVER_SETTINGS[name] for name in _SETTINGS_IN_TRANSACTIONS}
        schemas = dict(parse_qsl(urlsplit(self.url).query)).get(_SEARCH_PATH)
        text = "".join(f"SET LOCAL {name} = {literal(value)};" for name, value in settings.items())
        return text if schemas is None else f"{text}SELECT set_config('{_SEARCH_PATH}', {literal(schemas)}, true);"


NAME_TRANSACTION: Final = f"set_config('application_name', '{_APPLICATION} ' || pg_current_xact_id()::text, true)"
"""The server reports this setting back with its response. So the number of a transaction is known before its commit,
without another round trip."""


class TenantConnection(asyncpg.Connection):
    """A connection with the tenant whose rows it may read outside of write transactions, and the timeline of the
    server: after a failover, transaction numbers may mean other transactions. `prepared` has the names of statements
    by their texts; None behind a pooler, where none lasts."""

    tenant: str | None = None
    timeline: str | None = None
    local_settings: str = ""
    prepared: dict[str, str] | None = None

    async def begin_reading(self, tenant: str) -> None:
        """Shows the rows of this tenant to what is read from now on."""
        if self.local_settings:
            await self.execute(f"BEGIN;{self.local_settings}SET LOCAL longtable.tenant = {literal(tenant)}")
            return
        if self.tenant == tenant:
            return
        # Unknown while it changes: the caller may be cancelled in between.
        self.tenant = None
        await self.execute("SELECT set_config('longtable.tenant', $1, false)", tenant)
        self.tenant = tenant

    async def end_reading(self) -> None:
        if self.local_settings and self.is_in_transaction():
            await self.execute("COMMIT")


async def connect(address: PostgresAddress) -> TenantConnection:
    connection: TenantConnection = await asyncpg.connect(connection_class=TenantConnection, **address.options)
    await _prepare(address.local_settings, connection)
    return connection


async def open_pool(address: PostgresAddress, size: int) -> "asyncpg.Pool[asyncpg.Record]":
    return await asyncpg.create_pool(
        min_size=1,
        max_size=size,
        max_queries=10**9,
        connection_class=TenantConnection,
        reset=_keep_session,
        init=partial(_prepare, address.local_settings),
        **address.options,
    )


async def _keep_session(_: object) -> None:
    """Nothing to reset: a session holds the tenant it shows, which the next reader checks, and nothing else."""


async def _prepare(local_settings: str, connection: Any) -> None:
    """For every new connection."""
    keep_alive(connection)
    connection.local_settings = local_settings
    connection.prepared = None if local_settings else {}
    async with connection.transaction():
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
