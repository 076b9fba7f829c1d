"""What happens to the draft by itself: that somebody has read a section is forgotten after an hour."""

from longtable.draft import store
from longtable.kernel.clock import HOUR
from longtable.log.ledger import Ledger
from longtable.storage.database import SYSTEM

READS_ARE_TOLD_FOR = HOUR
_BATCH = 5_000


async def forget_reads(ledger: Ledger) -> None:
    """In small steps, so that writers come in between; it only writes when there is something to forget."""
    before = ledger.clock() - READS_ARE_TOLD_FOR
    while await ledger.database.read(SYSTEM, lambda tx: store.any_read_before(tx, before)):
        await ledger.database.write(SYSTEM, lambda tx: store.forget_reads(tx, before, _BATCH))
