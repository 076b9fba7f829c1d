"""Decides about the trash: what can be restored."""

from dataclasses import replace
from functools import partial

from longtable.identity.model import OVERSEERS
from longtable.kernel.call import Call
from longtable.kernel.clock import to_iso
from longtable.kernel.errors import NotFound
from longtable.kernel.ids import number_of, numbered
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.log.ledger import Work
from longtable.notebooks import events, indexing, namespace_store, store, trash_store
from longtable.notebooks.arguments import ListTrash, Restore
from longtable.notebooks.dependencies import NotebookDependencies, notebook_tool
from longtable.notebooks.results import ScratchpadOutline, ScratchpadRestored, TrashedScratchpad, TrashList
from longtable.notebooks.scratchpads import discard, log_evicted, make_room, outline
from longtable.notebooks.trash_store import Trashed
from longtable.storage.database import Transaction
from longtable.toolkit.tool import Route

PREFIX = "t:"
"""With a colon, which no id of a scratchpad has, so that neither is taken for the other."""
_NEWEST = (2**62, 2**62)

# Not for agents: people bring things back.
_trash_tool = partial(notebook_tool, over_mcp=False, roles=OVERSEERS)


class Trash:
    """`retention` is how long what lies in it can be restored; with `until_emptied` for as long as it is there."""

    def __init__(self, dependencies: NotebookDependencies, retention: int, *, until_emptied: bool = False) -> None:
        self._dependencies = dependencies
        self._ledger = dependencies.ledger
        self._retention = retention
        self._until_emptied = until_emptied

    @_trash_tool(
        "list_trash",
        title="List the trash",
        description="List scratchpads that were deleted, reset or evicted and can be restored, newest first.",
        audited_as="trash_listed",
        routes=(Route("GET", "/trash"),),
    )
    async def list(self, call: Call, arguments: ListTrash) -> TrashList:
        limit = arguments.limit
        moment, pad = decode_cursor(arguments.cursor, int, int) if arguments.cursor else _NEWEST
        oldest = self._oldest(self._ledger.clock())
        found = await self._ledger.read(call.caller, lambda tx: trash_store.page(tx, (moment, pad), limit + 1))
        kept = [trashed for trashed in found if trashed.trashed_at >= oldest]
        page = kept[:limit]
        last = page[-1] if page else None
        return TrashList(
            trash=[self._view(trashed) for trashed in page],
            next_cursor=encode_cursor(last.trashed_at, last.scratchpad.pad) if last and len(kept) > limit else None,
        )

    @_trash_tool(
        "restore_scratchpad",
        title="Restore a scratchpad",
        description="Bring a scratchpad back; one that lives under its id now goes to the trash in its place.",
        audited_as="scratchpad_restored",
        writes=True,
        routes=(Route("POST", "/trash/{trash_id}/restore"),),
    )
    async def restore(self, call: Call, arguments: Restore) -> ScratchpadRestored:
        read_at = self._dependencies.access.waiting(call.caller.tenant)

        async def body(work: Work) -> ScratchpadRestored:
            work.concerns_tenant()
            trashed = await self._find(work.tx, arguments.trash_id, work.now)
            pad = replace(trashed.scratchpad, version=trashed.scratchpad.version + 1, updated_at=work.now)
            evicted: list[str] = []
            current = await store.find(work.tx, pad.scratch_id)
            if current is None:
                evicted = await make_room(work, self._dependencies.limits, read_at)
            else:
                await discard(work, current, "replaced")
            await trash_store.take_out(work.tx, pad.pad, work.now)
            await store.update(work.tx, pad)
            await store.count(work.tx, 1, pad.cell_count)
            await namespace_store.count(work.tx, pad.traits.namespace, 1, work.now)
            if not trashed.indexed:
                await indexing.add_all(work.tx, pad)
                await trash_store.set_indexed(work.tx, pad.pad, True)
            work.happened(events.created(pad.scratch_id, "restored"))
            work.touched(f"scratchpad:{pad.scratch_id}", evicted=len(evicted))
            shown = ScratchpadOutline.model_validate(await outline(work.tx, pad))
            return ScratchpadRestored(scratchpad=shown, evicted_scratchpads=evicted or None)

        result = await self._ledger.write(call, ScratchpadRestored, body)
        if not result.replayed:
            log_evicted(call.caller.tenant, result.evicted_scratchpads or [], "discard")
        return result

    async def _find(self, tx: Transaction, key: str, now: int) -> Trashed:
        number = number_of(PREFIX, key)
        found = await trash_store.find(tx, number) if number else None
        found = found or await trash_store.newest_of(tx, key)
        if found is None or found.trashed_at < self._oldest(now):
            raise NotFound("There is no such scratchpad in the trash.", hint="List the trash to see what is.")
        return found

    def _oldest(self, now: int) -> int:
        return 0 if self._until_emptied else now - self._retention

    def _view(self, trashed: Trashed) -> TrashedScratchpad:
        pad = trashed.scratchpad
        return TrashedScratchpad(
            trash_id=numbered(PREFIX, pad.pad),
            scratch_id=pad.scratch_id,
            title=pad.traits.title,
            namespace=pad.traits.namespace,
            cell_count=pad.cell_count,
            reason=trashed.reason,
            trashed_at=to_iso(trashed.trashed_at),
            trashed_by=trashed.trashed_by,
            expires_at=to_iso(trashed.trashed_at + self._retention),
        )
