"""The outcome of a commit whose reply was lost: PostgreSQL keeps it, and is queried over a new connection."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from longtable.kernel.errors import LongtableError, StoreUnavailable
from longtable.kernel.logs import logger
from longtable.storage.group import outcome_unknown
from longtable.storage.postgres_connection import timeline_of
from longtable.storage.postgres_transaction import DRIVER_ERRORS

if TYPE_CHECKING:
    from longtable.storage.postgres_connection import TenantConnection

QUERY_SECONDS: Final = 5.0
_RETRY_SECONDS: Final = 0.1
_STATUS: Final = "SELECT pg_xact_status($1::text::xid8)"
# A backend may still wait on a lost connection: terminated, it frees its locks, and the transaction has a status.
_END: Final = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE backend_xid::text::bigint = $1"""
_LOW_BITS: Final = 0xFFFF_FFFF

CommitStatus = Literal["committed", "aborted"]


@dataclass(frozen=True, slots=True)
class LostTransaction:
    """Identifies a transaction. `number` is None where the server did not report it."""

    number: int | None
    timeline: str | None


class InDoubt(Exception):
    """The connection was lost after COMMIT was sent and before its reply came."""

    def __init__(self, transaction: LostTransaction) -> None:
        super().__init__("The reply to a commit was lost.")
        self.transaction = transaction


class Outcomes:
    def __init__(self, connect: "Callable[[], Awaitable[TenantConnection]]") -> None:
        self._connect = connect

    async def failure_of(self, doubt: InDoubt) -> LongtableError | None:
        """None when it was committed; else StoreUnavailable for what was not, or OutcomeUnknown."""
        status = await self._status(doubt.transaction)
        logger.warning("commit_in_doubt", status=status or "unknown")
        if status == "committed":
            return None
        if status is None:
            return outcome_unknown(doubt)
        return StoreUnavailable("The connection to the store was lost.", hint="Nothing was changed; try again.")

    async def _status(self, transaction: LostTransaction) -> CommitStatus | None:
        if transaction.number is None or transaction.timeline is None:
            return None
        try:
            async with asyncio.timeout(QUERY_SECONDS):
                while True:
                    try:
                        return await self._query_status(transaction)
                    except DRIVER_ERRORS:
                        await asyncio.sleep(_RETRY_SECONDS)
        except TimeoutError:
            return None

    async def _query_status(self, transaction: LostTransaction) -> CommitStatus | None:
        connection = await self._connect()
        try:
            while True:
                # A pooler may hand every transaction to another connection, and each must be of the same history.
                async with connection.transaction():
                    if await timeline_of(connection) != transaction.timeline:
                        return None
                    status = await connection.fetchval(_STATUS, str(transaction.number))
                    if status != "in progress":
                        return status if status in ("committed", "aborted") else None
                    await connection.execute(_END, (transaction.number or 0) & _LOW_BITS)
                await asyncio.sleep(_RETRY_SECONDS)
        finally:
            connection.terminate()
