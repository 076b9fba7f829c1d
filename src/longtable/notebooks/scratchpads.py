"""What every change of a scratchpad shares: finding it, showing it, making room, and moving it to the trash."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from longtable.kernel.errors import CapacityLimitReached, NotFound
from longtable.kernel.logs import logger
from longtable.kernel.suggestions import MOST_NAMES, did_you_mean
from longtable.log.ledger import Work
from longtable.notebooks import cell_store, events, namespace_store, schema_store, store, trash_store
from longtable.notebooks.cell_store import CellFilter
from longtable.notebooks.model import Cell, Schema, Scratchpad
from longtable.notebooks.results import scratchpad_fields
from longtable.notebooks.store import PadFilter
from longtable.settings.options import EvictionPolicy
from longtable.storage.database import Transaction
from longtable.validation.model import ValidationResult

SHOWN = 32
"""Cells that a write shows of a longer scratchpad: the result of an append must not grow with the scratchpad."""


@dataclass(frozen=True, slots=True)
class NotebookLimits:
    """0 stands for no limit. `eviction` says what happens when there is one scratchpad too many."""

    scratchpads: int
    eviction: EvictionPolicy
    cells: int
    cell_bytes: int


async def require(tx: Transaction, scratch_id: str) -> Scratchpad:
    pad = await store.find(tx, scratch_id)
    if pad is None:
        known = [row["scratch_id"] for row in await store.page(tx, PadFilter(limit=MOST_NAMES))]
        hint = did_you_mean(scratch_id, known, "scratch_list shows those there are.")
        raise NotFound("scratch_id: there is no such scratchpad.", hint=hint, scratch_id=scratch_id)
    return pad


@dataclass(frozen=True, slots=True)
class ShownContents:
    """What a scratchpad shows of its contents: the cells as they are sent."""

    cells: Sequence[dict[str, Any]]
    tags: Sequence[str]
    schemas: Sequence[Schema]

    def with_last(self, cell: Cell) -> "ShownContents":
        """With another cell at the end. As many are shown as a write shows."""
        cells = [*self.cells[max(0, len(self.cells) + 1 - SHOWN) :], cell_store.shown_as_stored(cell)]
        return replace(self, cells=cells, tags=sorted({*self.tags, *cell.tags}))

    def outline(self, pad: Scratchpad, validations: Mapping[str, ValidationResult] | None = None) -> dict[str, Any]:
        """A `ScratchpadOutline` as it is sent."""
        cells = self.cells
        if validations:
            cells = [_with_validation(cell, validations.get(cell["cell_id"])) for cell in cells]
        shown = {**scratchpad_fields(pad, self.tags, self.schemas), "cells": cells}
        return shown if len(cells) == pad.cell_count else {**shown, "cells_omitted": pad.cell_count - len(cells)}


async def read_shown(tx: Transaction, pad: Scratchpad, around: int | None = 0) -> ShownContents:
    """With all cells, or of a long scratchpad those around one position; `around=None` shows all of any."""
    count = pad.cell_count
    window = CellFilter()
    if around is not None and count > SHOWN:
        window = CellFilter(first=max(0, min(around - SHOWN // 2, count - SHOWN)), limit=SHOWN)
    cells = await cell_store.shown(tx, pad.pad, window)
    schemas = await schema_store.all_of(tx, pad.pad) if pad.schema_count else []
    return ShownContents(cells, await store.cell_tags(tx, pad.pad), schemas)


async def outline(
    tx: Transaction,
    pad: Scratchpad,
    around: int | None = 0,
    validations: Mapping[str, ValidationResult] | None = None,
) -> dict[str, Any]:
    return (await read_shown(tx, pad, around)).outline(pad, validations)


def _with_validation(cell: dict[str, Any], validation: ValidationResult | None) -> dict[str, Any]:
    return cell if validation is None else {**cell, "validation": validation.model_dump(mode="json")}


async def discard(work: Work, pad: Scratchpad, reason: str) -> None:
    """To the trash, whole. It is no longer found; the index drops it later."""
    await trash_store.put(work.tx, pad.pad, work.now, work.caller.agent, reason)
    await store.count(work.tx, -1, -pad.cell_count)
    await namespace_store.count(work.tx, pad.traits.namespace, -1, work.now)


async def make_room(work: Work, limits: NotebookLimits, read_at: Mapping[int, int]) -> list[str]:
    """For one more scratchpad. Returns the ids of those that were evicted. `read_at` are reads that are not stored
    yet."""
    total = await store.in_use(work.tx)
    excess = total + 1 - limits.scratchpads
    if limits.scratchpads == 0 or excess <= 0:
        return []
    full = CapacityLimitReached(
        f"This tenant has {total} scratchpads; at most {limits.scratchpads} are allowed.", limit=limits.scratchpads
    )
    if limits.eviction != "discard":
        raise full
    await store.touch(work.tx, read_at)
    evicted = await store.longest_unused(work.tx, excess)
    if len(evicted) < excess:
        raise full
    for pad in evicted:
        await discard(work, pad, "evicted")
        work.happened(events.evicted(pad.scratch_id, "discard"))
    return [pad.scratch_id for pad in evicted]


def log_evicted(tenant: str, scratch_ids: list[str], policy: str) -> None:
    if scratch_ids:
        logger.info("scratchpads_evicted", tenant=tenant, policy=policy, count=len(scratch_ids), ids=scratch_ids[:20])
