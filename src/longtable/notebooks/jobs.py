"""Periodic jobs: unused scratchpads are evicted, and the trash is emptied."""

from longtable.kernel.call import Call
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.result import Result
from longtable.log.ledger import Ledger, Work
from longtable.notebooks import cell_store, events, indexing, schema_store, store, trash_store
from longtable.notebooks.dependencies import NotebookDependencies
from longtable.notebooks.scratchpads import discard, log_evicted
from longtable.notebooks.trash_store import Trashed
from longtable.storage.database import SYSTEM, Transaction

_BATCH = 50


class Swept(Result):
    scratch_ids: list[str]


class Sweeper:
    """Policy `preempt`. Safe on many replicas at once: each step looks again inside its transaction."""

    def __init__(self, dependencies: NotebookDependencies, age: int) -> None:
        self._ledger = dependencies.ledger
        self._access = dependencies.access
        self._age = age

    async def sweep(self) -> None:
        # Reads that are not stored yet count, too.
        await self._access.flush()
        for tenant in await self._ledger.database.read(SYSTEM, store.tenants_with_scratchpads):
            while len(await self._sweep(tenant)) == _BATCH:
                continue

    async def _sweep(self, tenant: str) -> list[str]:
        before = self._ledger.clock() - self._age
        waiting = await self._ledger.database.read(tenant, lambda tx: store.unused_since(tx, before, 1))
        if not waiting:
            return []

        async def body(work: Work) -> Swept:
            work.concerns_tenant()
            evicted = await store.unused_since(work.tx, before, _BATCH)
            for pad in evicted:
                await discard(work, pad, "evicted")
                work.happened(events.evicted(pad.scratch_id, "preempt"))
            work.touched("scratchpads", evicted=len(evicted))
            return Swept(scratch_ids=[pad.scratch_id for pad in evicted])

        caller = Caller(tenant, Role.OWNER, "longtable", "system", Surface.CLI)
        swept = await self._ledger.write(Call(caller, "sweep_scratchpads", "scratchpads_swept"), Swept, body)
        log_evicted(tenant, swept.scratch_ids, "preempt")
        return swept.scratch_ids


class TrashJob:
    """Every minute: the index drops what is in the trash, and the trash what is older than `retention`."""

    def __init__(self, retention: int) -> None:
        self._retention = retention

    async def empty_trash(self, ledger: Ledger) -> None:
        before = ledger.clock() - self._retention
        for tenant in await ledger.database.read(SYSTEM, trash_store.tenants_with_trash):
            while await ledger.database.write(tenant, _unindex_one):
                continue
            while await ledger.database.write(tenant, lambda tx: _purge_one(tx, before)):
                continue


async def _unindex_one(tx: Transaction) -> bool:
    """One in each transaction: a large scratchpad takes long, and writers wait meanwhile."""
    for trashed in await trash_store.still_indexed(tx, 1):
        await _unindex(tx, trashed)
        return True
    return False


async def _purge_one(tx: Transaction, before: int) -> bool:
    for trashed in await trash_store.older_than(tx, before, 1):
        if trashed.indexed:
            await _unindex(tx, trashed)
        pad = trashed.scratchpad.pad
        await cell_store.delete_all(tx, pad)
        await schema_store.delete_all(tx, pad)
        await trash_store.purge(tx, pad)
        return True
    return False


async def _unindex(tx: Transaction, trashed: Trashed) -> None:
    await indexing.remove_all(tx, trashed.scratchpad)
    await trash_store.set_indexed(tx, trashed.scratchpad.pad, False)
