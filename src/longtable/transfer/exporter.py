"""Writes exports to wherever their reader wants them, and tells the audit log."""

import secrets
from collections.abc import Awaitable, Callable
from functools import partial

from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.log.ledger import Ledger
from longtable.storage.database import SYSTEM, Database, Transaction
from longtable.storage.facts import get_fact, set_fact
from longtable.transfer.export import Export
from longtable.transfer.model import Exported, ExportScope

CallerOf = Callable[[str], Awaitable[Caller]]
"""Who exports, in a tenant."""

_STORE_ID = "store_id"


class Exporter:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def export(self, scope: ExportScope, write: Callable[[bytes], object], caller_of: CallerOf) -> Exported:
        """Calls `write` with every line. All of them are of one moment, while others go on to write."""
        store_id = await store_name(self._ledger.database)
        async with self._ledger.database.snapshot() as snapshot:
            export = Export(snapshot, scope, store_id)
            async for line in export.lines():
                write(line)
        for tenant in export.tenants:
            call = Call(await caller_of(tenant), "export", "data_exported", metadata={"records": export.records})
            self._ledger.observe(call, "SUCCESS", scope.object)
        await self._ledger.flush()
        return Exported(
            sessions=export.sessions,
            scratchpads=export.scratchpads,
            records=export.records,
            bytes=export.bytes,
            sha256=export.sha256,
        )


async def store_name(database: Database) -> str:
    """The name of this store in its exports: random, made by the first one."""
    known = await database.read(SYSTEM, partial(get_fact, name=_STORE_ID))
    return await database.write(SYSTEM, _name_store) if known is None else known


async def _name_store(tx: Transaction) -> str:
    known = await get_fact(tx, _STORE_ID)
    if known is not None:
        return known
    name = secrets.token_hex(8)
    await set_fact(tx, _STORE_ID, name)
    return name
