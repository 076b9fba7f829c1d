"""SQL that replaces a cell by a tombstone, in the trash as well: row, text, tags, index, stored results."""

import json
from dataclasses import replace
from typing import Any

from longtable.notebooks import cell_store, indexing
from longtable.notebooks import store as pad_store
from longtable.redaction import stored_results
from longtable.redaction.model import TOMBSTONE
from longtable.storage.database import Transaction


async def redact_cell(tx: Transaction, scratch_id: str, cell_id: str, now: int) -> bool:
    life = await tx.first(
        """SELECT cells.pad, trashed_at, indexed FROM cells JOIN scratchpads
               ON scratchpads.tenant = cells.tenant AND scratchpads.pad = cells.pad
           WHERE cells.tenant = :tenant AND cell_id = :cell_id AND scratch_id = :scratch_id""",
        cell_id=cell_id,
        scratch_id=scratch_id,
    )
    old = await cell_store.find(tx, life["pad"], cell_id) if life else None
    if life is None or old is None:
        return False
    new = replace(
        old,
        tags=(),
        metadata={},
        validate=False,
        version=old.version + 1,
        preview=TOMBSTONE,
        content=TOMBSTONE,
        json_schema=None,
    )
    await cell_store.replace(tx, new, now)
    await pad_store.change_cell_tags(tx, life["pad"], old.tags, ())
    if life["indexed"]:
        await indexing.remove_cell(tx, life["pad"], old)
        await indexing.add_cells(tx, life["pad"], [new])
    if life["trashed_at"] is None:
        await pad_store.advance(tx, life["pad"], now)
    still_used = set(await pad_store.cell_tags(tx, life["pad"]))
    await _scrub_replays(tx, scratch_id, new.cell_id, set(old.tags), still_used)
    return True


async def _scrub_replays(
    tx: Transaction, scratch_id: str, cell_id: str, its_tags: set[str], still_used: set[str]
) -> None:
    """Stored results, which a repeated call gets again, have no content, but tags, metadata and findings about the
    cell."""
    rows = await stored_results.holding(tx, f'"scratch_id":"{scratch_id}"')
    stored = [(row, json.loads(row["result"])) for row in rows]
    showing = [(row, result) for row, result in stored if isinstance(result.get("scratchpad"), dict)]
    earlier = {
        tag
        for _, result in showing
        for cell in result["scratchpad"]["cells"]
        if cell["cell_id"] == cell_id
        for tag in cell["tags"]
    }
    gone = (its_tags | earlier) - still_used
    for row, result in showing:
        cleaned = _without(result, cell_id, gone)
        if cleaned != result:
            await stored_results.replace(tx, row, cleaned)


def _without(result: dict[str, Any], cell_id: str, gone: set[str]) -> dict[str, Any]:
    pad = result["scratchpad"]
    kept = [tag for tag in pad["cell_tags"] if tag not in gone]
    pad = {
        **pad,
        "cell_tags": kept,
        "metadata": {**pad["metadata"], "cell_tags": kept},
        "cells": [_blank(cell) if cell["cell_id"] == cell_id else cell for cell in pad["cells"]],
    }
    others = {name: value for name, value in result.items() if name != "validation"}
    validation = _other_findings(result.get("validation"), cell_id)
    return {**others, "scratchpad": pad, **({"validation": validation} if validation else {})}


def _other_findings(validation: Any, cell_id: str) -> Any:
    if isinstance(validation, list):
        return [findings for findings in validation if findings["cell_id"] != cell_id]
    return None if validation is None or validation["cell_id"] == cell_id else validation


def _blank(cell: dict[str, Any]) -> dict[str, Any]:
    return {**{name: value for name, value in cell.items() if name != "validation"}, "tags": [], "metadata": {}}
