"""SQL that writes imported scratchpads, the memory across sessions, and namespaces."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longtable.notebooks import indexing, namespace_store
from longtable.notebooks import store as pad_store
from longtable.notebooks.model import preview_of
from longtable.storage import counters
from longtable.storage.database import Transaction
from longtable.transfer.notebook_records import CELL
from longtable.transfer.record_type import RecordType
from longtable.transfer.session_store import BATCH, insert_rows

StoredRow = Mapping[str, Any]


async def insert_scratchpad(tx: Transaction, row: StoredRow, now: int) -> int:
    """Returns its number."""
    pad = await pad_store.next_pad(tx)
    values = {**row, "pad": pad, "accessed_at": now, "indexed": 1, "imported_at": now}
    await insert_rows(tx, "scratchpads", [values])
    await pad_store.set_own_tags(tx, pad, tuple(json.loads(row["tags"])))
    await pad_store.count(tx, 1, row["cell_count"])
    await namespace_store.count(tx, row["namespace"], 1, now)
    return pad


@dataclass(slots=True)
class ScratchpadInsert:
    """Adds schemas and cells, in the order of the file."""

    tx: Transaction
    pad: int
    _cells: list[dict[str, Any]] = field(default_factory=list)

    async def add(self, record: RecordType, row: dict[str, Any]) -> None:
        if record is not CELL:
            await insert_rows(self.tx, record.table, [{"pad": self.pad, **row}])
            return
        self._cells.append(row)
        if len(self._cells) >= BATCH:
            await self._flush()

    async def finish(self) -> None:
        """The index is filled once everything is there."""
        await self._flush()
        pads = await self.tx.first(
            "SELECT scratch_id FROM scratchpads WHERE tenant = :tenant AND pad = :pad", pad=self.pad
        )
        found = await pad_store.find(self.tx, pads["scratch_id"]) if pads else None
        assert found is not None
        await indexing.add_all(self.tx, found)

    async def _flush(self) -> None:
        cells, self._cells = self._cells, []
        if not cells:
            return
        texts = [{name: cell[name] for name in ("cell_id", "content", "json_schema")} for cell in cells]
        await insert_rows(self.tx, "cells", [self._outline(cell) for cell in cells])
        await insert_rows(self.tx, "cell_texts", texts)
        tags = [tag for cell in cells for tag in json.loads(cell["tags"])]
        await pad_store.change_cell_tags(self.tx, self.pad, (), tags)

    def _outline(self, cell: StoredRow) -> dict[str, Any]:
        left_out = ("content", "json_schema")
        outline = {name: value for name, value in cell.items() if name not in left_out}
        return {
            "pad": self.pad,
            **outline,
            "has_schema": int(cell["json_schema"] is not None),
            "preview": preview_of(cell["content"]),
        }


async def known_cells(tx: Transaction, cell_ids: Sequence[str]) -> list[str]:
    """Which of these cells exist, in the trash or not."""
    names = {f"cell_{position}": cell_id for position, cell_id in enumerate(cell_ids)}
    listed = ", ".join(f":{name}" for name in names)
    rows = await tx.tuples(f"SELECT cell_id FROM cells WHERE tenant = :tenant AND cell_id IN ({listed})", **names)
    return sorted(row[0] for row in rows)


async def known_memory(tx: Transaction, agent: str, key: str) -> bool:
    found = await tx.first(
        """SELECT 1 AS found FROM memory
           WHERE tenant = :tenant AND agent = :agent AND session_id = '' AND memory_key = :key""",
        agent=agent,
        key=key,
    )
    return found is not None


async def insert_memory(tx: Transaction, rows: Sequence[StoredRow]) -> int:
    """Across sessions. Returns how many entries the tenant has then."""
    await insert_rows(tx, "memory", [{"session_id": "", **row} for row in rows])
    return await counters.advance(tx, counters.TENANT_WIDE, "memory", len(rows))


async def add_namespaces(tx: Transaction, rows: Iterable[StoredRow]) -> int:
    """Returns how many of them are new."""
    return sum([await namespace_store.create(tx, row["namespace"], row["created_at"]) for row in rows])
