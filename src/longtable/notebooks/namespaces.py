"""Decides about namespaces: groups of scratchpads. The first scratchpad that names one creates it."""

from longtable.identity.model import EVERYONE, WORKERS
from longtable.kernel.call import Call
from longtable.kernel.errors import CapacityLimitReached, Conflict, NotFound
from longtable.kernel.suggestions import did_you_mean
from longtable.log.ledger import Work
from longtable.notebooks import events, namespace_store, store
from longtable.notebooks.arguments import CreateNamespace, DeleteNamespace, ListNamespaces, RenameNamespace
from longtable.notebooks.dependencies import NotebookDependencies, notebook_tool
from longtable.notebooks.model import Tags
from longtable.notebooks.results import (
    NamespaceCreated,
    NamespaceDeleted,
    NamespaceList,
    NamespaceRenamed,
    NamespaceView,
)
from longtable.notebooks.scratchpads import discard
from longtable.storage import counters
from longtable.storage.database import Transaction
from longtable.toolkit.tool import Route

MAX_NAMESPACES = 10_000
_SEEDED = "namespaces_seeded"


class Namespaces:
    """The default ones are there for every tenant from the start, until it renames or deletes them."""

    def __init__(self, dependencies: NotebookDependencies) -> None:
        self._ledger = dependencies.ledger
        self._defaults = dependencies.default_namespaces

    @notebook_tool(
        "scratch_namespace_list",
        title="List namespaces",
        description="List the namespaces; look before you make a new one.",
        roles=EVERYONE,
        audited_as="namespaces_listed",
        routes=(Route("GET", "/namespaces"),),
    )
    async def list(self, call: Call, arguments: ListNamespaces) -> NamespaceList:
        async def body(tx: Transaction) -> dict[str, int]:
            known = {row["namespace"]: row["scratchpads"] for row in await namespace_store.all_of(tx)}
            if self._defaults and not await counters.current(tx, counters.TENANT_WIDE, _SEEDED):
                known = {**dict.fromkeys(self._defaults, 0), **known}
            return known

        known = await self._ledger.read(call.caller, body)
        return NamespaceList(
            namespaces=[NamespaceView(namespace=name, scratchpad_count=known[name]) for name in sorted(known)]
        )

    @notebook_tool(
        "scratch_namespace_create",
        title="Create a namespace",
        description="Create a namespace for scratchpads.",
        roles=WORKERS,
        audited_as="namespace_created",
        writes=True,
        repeatable=True,
        routes=(Route("POST", "/namespaces", 201),),
    )
    async def create(self, call: Call, arguments: CreateNamespace) -> NamespaceCreated:
        async def body(work: Work) -> NamespaceCreated:
            work.concerns_tenant()
            await seed_namespaces(work, self._defaults)
            created = await _open(work, arguments.namespace)
            work.touched("namespace")
            return NamespaceCreated(namespace=arguments.namespace, created=created)

        return await self._ledger.write(call, NamespaceCreated, body)

    @notebook_tool(
        "scratch_namespace_rename",
        title="Rename a namespace",
        description="Rename a namespace.",
        roles=WORKERS,
        audited_as="namespace_renamed",
        writes=True,
        routes=(Route("POST", "/namespaces/{old_namespace}/rename"),),
    )
    async def rename(self, call: Call, arguments: RenameNamespace) -> NamespaceRenamed:
        old, new = arguments.old_namespace, arguments.new_namespace

        async def body(work: Work) -> NamespaceRenamed:
            work.concerns_tenant()
            await seed_namespaces(work, self._defaults)
            inside = await namespace_store.find(work.tx, old)
            if inside is None:
                known = [row["namespace"] for row in await namespace_store.all_of(work.tx)]
                hint = did_you_mean(old, known, "scratch_namespace_list shows those there are.")
                raise NotFound("old_namespace: there is no such namespace.", hint=hint)
            if old == new:
                return NamespaceRenamed(namespace=new, migrated_count=0)
            if await namespace_store.find(work.tx, new) is not None:
                raise Conflict("new_namespace: there is such a namespace already.")
            if inside and not arguments.migrate_scratchpads:
                raise Conflict(
                    f"old_namespace: {inside} scratchpads are in it.", hint="Allow migrate_scratchpads.", count=inside
                )
            migrated = await _migrate(work, old, new)
            work.touched("namespace", migrated=migrated)
            return NamespaceRenamed(namespace=new, migrated_count=migrated)

        return await self._ledger.write(call, NamespaceRenamed, body)

    @notebook_tool(
        "scratch_namespace_delete",
        title="Delete a namespace",
        description="Delete a namespace.",
        roles=WORKERS,
        audited_as="namespace_deleted",
        frees=True,
        writes=True,
        destructive=True,
        repeatable=True,
        routes=(Route("DELETE", "/namespaces/{namespace}"),),
    )
    async def delete(self, call: Call, arguments: DeleteNamespace) -> NamespaceDeleted:
        namespace = arguments.namespace

        async def body(work: Work) -> NamespaceDeleted:
            work.concerns_tenant()
            await seed_namespaces(work, self._defaults)
            inside = await namespace_store.find(work.tx, namespace) or 0
            if inside and not arguments.delete_scratchpads:
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


async def _open(work: Work, namespace: str) -> bool:
    """False when it was there already."""
    created = await namespace_store.create(work.tx, namespace, work.now)
    if created and await namespace_store.how_many(work.tx) > MAX_NAMESPACES:
        raise CapacityLimitReached(f"This tenant has {MAX_NAMESPACES} namespaces.", limit=MAX_NAMESPACES)
    return created


async def enter_namespace(work: Work, namespace: str | None) -> None:
    """Counts one more scratchpad in it, and creates it with its first."""
    if namespace is not None:
        await _open(work, namespace)
        await namespace_store.count(work.tx, namespace, 1, work.now)


async def seed_namespaces(work: Work, defaults: Tags) -> None:
    """Once for a tenant, with its first change here."""
    if not defaults or await counters.current(work.tx, counters.TENANT_WIDE, _SEEDED):
        return
    await counters.step(work.tx, counters.TENANT_WIDE, _SEEDED)
    for namespace in defaults:
        await namespace_store.create(work.tx, namespace, work.now)


async def _migrate(work: Work, old: str, new: str) -> int:
    """In one transaction: a reader never sees half of them moved."""
    pads = await store.all_in(work.tx, old)
    await namespace_store.create(work.tx, new, work.now)
    migrated = await namespace_store.rename_inside(work.tx, old, new, work.now)
    await namespace_store.count(work.tx, new, migrated, work.now)
    await namespace_store.delete(work.tx, old)
    for pad in pads:
        work.happened(events.changed(pad.scratch_id, reason="namespace"))
    return migrated
