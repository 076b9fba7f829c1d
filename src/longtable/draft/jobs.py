"""Periodic job of the draft: events about reads are deleted after an hour."""

from longtable.draft import store
from longtable.kernel.clock import HOUR
from longtable.log.ledger import Ledger
from longtable.storage.database import SYSTEM

READ_EVENTS_LIFETIME = HOUR
_BATCH = 5_000


async def forget_reads(ledger: Ledger) -> None:
    """In small batches, so that writers come in between; it only writes when there is something to delete."""
    before = ledger.clock() - READ_EVENTS_LIFETIME
    while await ledger.database.read(SYSTEM, lambda tx: store.any_read_before(tx, before)):
        await ledger.database.write(SYSTEM, lambda tx: store.forget_reads(tx, before, _BATCH))
