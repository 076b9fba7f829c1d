"""What of a file is in the store already."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from longtable.kernel.errors import Conflict
from longtable.notebooks import store as pad_store
from longtable.sessions import store as session_table
from longtable.storage.database import Database
from longtable.transfer import notebook_store
from longtable.transfer.model import TransferLimits
from longtable.transfer.notebook_records import CELL, SCRATCHPAD
from longtable.transfer.reading import TransferFile
from longtable.transfer.session_records import MEMORY, SESSION
from longtable.transfer.session_store import BATCH
from longtable.transfer.units import ReadRecord, Unit, records_of

_NAMED: Final = 10
"""How many of them an error names."""


class ConflictSearch:
    def __init__(self, database: Database, file: TransferFile, limits: TransferLimits) -> None:
        self._database = database
        self._file = file
        self._limits = limits

    async def find(self, units: Sequence[Unit], tenants: Mapping[str | None, str]) -> dict[Unit, str]:
        """The units that are here already, and for each the words that name what is."""
        checks = {SESSION.name: self._session, SCRATCHPAD.name: self._scratchpad, MEMORY.name: self._memory}
        found: dict[Unit, str] = {}
        for unit in units:
            if unit.kind in checks:
                words = await checks[unit.kind](unit, tenants[unit.tenant])
                if words is not None:
                    found[unit] = words
        return found

    async def _session(self, unit: Unit, tenant: str) -> str | None:
        session = await self._database.read(tenant, partial(session_table.find, session_id=unit.id or ""))
        return None if session is None else f"the session {unit.id}"

    async def _scratchpad(self, unit: Unit, tenant: str) -> str | None:
        if await self._database.read(tenant, partial(pad_store.find, scratch_id=unit.id or "")) is not None:
            return f"the scratchpad {unit.id}"
        for cells in batches(record for record in self._records(unit) if record.type is CELL):
            ids = [cell.row["cell_id"] for cell in cells]
            known = await self._database.read(tenant, partial(notebook_store.known_cells, cell_ids=ids))
            if known:
                return f"the cell {known[0][:100]} of the scratchpad {unit.id}, perhaps in the trash,"
        return None

    async def _memory(self, unit: Unit, tenant: str) -> str | None:
        for record in self._records(unit):
            agent, key = record.row["agent"], record.row["memory_key"]
            if await self._database.read(tenant, partial(notebook_store.known_memory, agent=agent, key=key)):
                return f"the memory {key} of {agent}"
        return None

    def _records(self, unit: Unit) -> Iterator[ReadRecord]:
        return records_of(self._file, unit, self._limits)


def batches(records: Iterator[ReadRecord]) -> Iterator[list[ReadRecord]]:
    batch: list[ReadRecord] = []
    for record in records:
        batch.append(record)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def exists(words: Sequence[str], lines: Sequence[int] = ()) -> Conflict:
    names = ", ".join(words[:_NAMED])
    more = f", and {len(words) - _NAMED:,} more" if len(words) > _NAMED else ""
    return Conflict(
        f"{names[:1].upper()}{names[1:]}{more} {'exists' if len(words) == 1 else 'exist'} already.",
        hint="Nothing was imported; '--on-conflict skip' leaves out what is there.",
        **({"lines": list(lines[:_NAMED])} if lines else {}),
    )
