"""Decides about namespaces: groups of scratchpads, which come into being with the first that names one."""

from longtable.kernel.call import Call
from longtable.kernel.errors import CapacityLimitReached, Conflict, NotFound
from longtable.log.ledger import Ledger, Work
from longtable.notebooks import events, namespace_store, store
from longtable.notebooks.answers import (
    NamespaceCreated,
    NamespaceDeleted,
    NamespaceList,
    NamespaceRenamed,
    NamespaceView,
)
from longtable.notebooks.model import Tags
from longtable.notebooks.quota import discard
from longtable.storage import counters
from longtable.storage.database import Transaction

MAX_NAMESPACES = 10_000
_SEEDED = "namespaces_seeded"


class Namespaces:
    """`defaults` are there for every tenant from the start, until it renames or deletes them."""

    def __init__(self, ledger: Ledger, defaults: Tags) -> None:
        self._ledger = ledger
        self._defaults = defaults

    async def list(self, call: Call) -> NamespaceList:
        async def body(tx: Transaction) -> dict[str, int]:
            known = {row["namespace"]: row["scratchpads"] for row in await namespace_store.all_of(tx)}
            if self._defaults and not await counters.current(tx, counters.TENANT_WIDE, _SEEDED):
                known = {**dict.fromkeys(self._defaults, 0), **known}
            return known

        known = await self._ledger.read(call.caller, body)
        return NamespaceList(
            namespaces=[NamespaceView(namespace=name, scratchpad_count=known[name]) for name in sorted(known)]
        )

    async def create(self, call: Call, namespace: str) -> NamespaceCreated:
        async def body(work: Work) -> NamespaceCreated:
            work.concerns_tenant()
            await seed_namespaces(work, self._defaults)
            created = await open_namespace(work, namespace)
            work.touched("namespace")
            return NamespaceCreated(namespace=namespace, created=created)

        return await self._ledger.write(call, NamespaceCreated, body)

    async def rename(self, call: Call, old: str, new: str, migrate: bool) -> NamespaceRenamed:
        async def body(work: Work) -> NamespaceRenamed:
            work.concerns_tenant()
            await seed_namespaces(work, self._defaults)
            inside = await namespace_store.find(work.tx, old)
            if inside is None:
                raise NotFound("old_namespace: there is no such namespace.")
            if old == new:
                return NamespaceRenamed(namespace=new, migrated_count=0)
            if await namespace_store.find(work.tx, new) is not None:
                raise Conflict("new_namespace: there is such a namespace already.")
            if inside and not migrate:
                raise Conflict(
                    f"old_namespace: {inside} scratchpads are in it.", hint="Allow migrate_scratchpads.", count=inside
                )
            migrated = await _migrate(work, old, new)
            work.touched("namespace", migrated=migrated)
            return NamespaceRenamed(namespace=new, migrated_count=migrated)

        return await self._ledger.write(call, NamespaceRenamed, body)

    async def delete(self, call: Call, namespace: str, with_scratchpads: bool) -> NamespaceDeleted:
        async def body(work: Work) -> NamespaceDeleted:
            work.concerns_tenant()
            await seed_namespaces(work, self._defaults)
            inside = await namespace_store.find(work.tx, namespace) or 0
            if inside and not with_scratchpads:
                raise Conflict(
                    f"namespace: {inside} scratchpads are in it.", hint="Allow delete_scratchpads.", count=inside
                )
            for pad in await store.all_in(work.tx, namespace):
                await discard(work, pad, "deleted")
                work.happened(events.deleted(pad.scratch_id, "namespace"))
            deleted = await namespace_store.delete(work.tx, namespace)
            work.touched("namespace", removed=inside)
            return NamespaceDeleted(deleted=deleted, removed_scratchpads=inside)

        return await self._ledger.write(call, NamespaceDeleted, body)


async def open_namespace(work: Work, namespace: str) -> bool:
    """False when it was there already."""
    created = await namespace_store.create(work.tx, namespace, work.now)
    if created and await namespace_store.how_many(work.tx) > MAX_NAMESPACES:
        raise CapacityLimitReached(f"This tenant has {MAX_NAMESPACES} namespaces.", limit=MAX_NAMESPACES)
    return created


async def enter_namespace(work: Work, namespace: str | None) -> None:
    """One scratchpad more is in it; it comes into being with its first."""
    if namespace is not None:
        await open_namespace(work, namespace)
        await namespace_store.count(work.tx, namespace, 1, work.now)


async def seed_namespaces(work: Work, defaults: Tags) -> None:
    """Once for a tenant, with its first change here."""
    if not defaults or await counters.current(work.tx, counters.TENANT_WIDE, _SEEDED):
        return
    await counters.advance(work.tx, counters.TENANT_WIDE, _SEEDED)
    for namespace in defaults:
        await namespace_store.create(work.tx, namespace, work.now)


async def _migrate(work: Work, old: str, new: str) -> int:
    """In one transaction: nobody sees half of them moved."""
    pads = await store.all_in(work.tx, old)
    await namespace_store.create(work.tx, new, work.now)
    migrated = await namespace_store.rename_inside(work.tx, old, new, work.now)
    await namespace_store.count(work.tx, new, migrated, work.now)
    await namespace_store.delete(work.tx, old)
    for pad in pads:
        work.happened(events.changed(pad.scratch_id, reason="namespace"))
    return migrated
