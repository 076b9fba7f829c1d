"""Imports an export: first the whole file is checked, then each session, scratchpad and memory is written as a whole.

Nothing in a file can make an approval, an audit record or a person's answer of this store: what it says about people is
kept as a statement, and its history as data (docs/decisions/0061)."""

from collections.abc import Awaitable, Callable, Container, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from longtable.kernel.call import Call
from longtable.kernel.caller import DEFAULT_TENANT, Caller
from longtable.kernel.errors import CapacityLimitReached, InvalidArgument
from longtable.log.ledger import Ledger, Work
from longtable.notebooks import events as notebook_events
from longtable.notebooks import store as pad_store
from longtable.sessions import store as session_table
from longtable.storage.database import Transaction
from longtable.transfer import events, notebook_store, session_store
from longtable.transfer.conflicts import ConflictSearch, batches, exists
from longtable.transfer.model import ImportChoice, Imported, TransferLimits, UnitImported
from longtable.transfer.notebook_records import NAMESPACE, SCRATCHPAD
from longtable.transfer.notebook_store import ScratchpadInsert
from longtable.transfer.reading import TransferFile
from longtable.transfer.session_records import MEMORY, SESSION
from longtable.transfer.session_store import HistoryInsert, SessionInsert
from longtable.transfer.units import ReadRecord, Unit, checked_units, records_of

CallerOf = Callable[[str], Awaitable[Caller]]
"""Who imports, in a tenant."""


class Importer:
    def __init__(self, ledger: Ledger, limits: TransferLimits) -> None:
        self._ledger = ledger
        self._limits = limits

    async def import_file(self, path: Path, choice: ImportChoice, caller_of: CallerOf) -> Imported:
        """Raises ValidationFailed for a file that is wrong anywhere, and Conflict for an id that is there already, with
        nothing changed. Later units of a file whose import fails or is ended are missing, each as a whole."""
        with closing(TransferFile(path)) as file:
            units = checked_units(file, self._limits)
            tenants = _tenants_of(units, choice)
            existing = await ConflictSearch(self._ledger.database, file, self._limits).find(units, tenants)
            if existing and choice.on_conflict == "refuse":
                raise exists(list(existing.values()), [unit.line for unit in existing])
            imported = []
            for unit in _to_import(units, existing):
                if choice.is_dry_run:
                    imported.append((unit, UnitImported(id=unit.id, records=unit.records)))
                else:
                    imported.append((unit, await self._import(file, unit, await caller_of(tenants[unit.tenant]))))
        summary = _summary(imported, list(existing), len(set(tenants.values())) > 1)
        return summary.model_copy(update={"dry_run": choice.is_dry_run or None})

    async def _import(self, file: TransferFile, unit: Unit, caller: Caller) -> UnitImported:
        body, audited_as = {
            SESSION.name: (self._session, "session_imported"),
            SCRATCHPAD.name: (self._scratchpad, "scratchpad_imported"),
            MEMORY.name: (self._memory, "memory_imported"),
            NAMESPACE.name: (self._namespaces, "namespaces_imported"),
        }[unit.kind]
        call = Call(caller, "import", audited_as, size=unit.size)

        async def write(work: Work) -> UnitImported:
            # Read again in each attempt: a transaction may be run more than once.
            return await body(work, records_of(file, unit, self._limits))

        return await self._ledger.write(call, UnitImported, write)

    async def _session(self, work: Work, records: Iterator[ReadRecord]) -> UnitImported:
        tx, row = work.tx, next(records).row
        session_id, origin = row["session_id"], row["origin"]
        if await session_table.find(tx, session_id) is not None:
            raise exists([f"the session {session_id}"])
        if await session_table.count_one_more(tx) > self._limits.sessions:
            raise _full("sessions", self._limits.sessions)
        await session_store.insert_session(tx, row, work.now, work.caller.agent)
        history = HistoryInsert(tx, f"session:{session_id}", origin)
        count = await _insert(records, SessionInsert(tx, session_id, origin), history)
        work.session_id = session_id
        work.touched(f"session:{session_id}", origin=origin, records=count)
        work.happened(events.imported(origin))
        return UnitImported(id=session_id, records=count)

    async def _scratchpad(self, work: Work, records: Iterator[ReadRecord]) -> UnitImported:
        tx, row = work.tx, next(records).row
        scratch_id, origin = row["scratch_id"], row["origin"]
        if await pad_store.find(tx, scratch_id) is not None:
            raise exists([f"the scratchpad {scratch_id}"])
        if 0 < self._limits.scratchpads <= await pad_store.in_use(tx):
            raise _full("scratchpads", self._limits.scratchpads)
        pad = await notebook_store.insert_scratchpad(tx, row, work.now)
        count = await _insert(records, ScratchpadInsert(tx, pad), HistoryInsert(tx, f"pad:{pad}", origin))
        work.concerns_tenant()
        work.touched(f"scratchpad:{scratch_id}", origin=origin, records=count)
        work.happened(notebook_events.created(scratch_id, "imported"))
        return UnitImported(id=scratch_id, records=count)

    async def _memory(self, work: Work, records: Iterator[ReadRecord]) -> UnitImported:
        """Entries that are there already stay as they are."""
        count = 0
        for batch in batches(records):
            rows = [record.row for record in batch if not await _is_known(work.tx, record)]
            if rows and await notebook_store.insert_memory(work.tx, rows) > self._limits.memory:
                raise _full("memory entries", self._limits.memory)
            count += len(rows)
        work.touched("memory", records=count)
        return UnitImported(id=None, records=count)

    async def _namespaces(self, work: Work, records: Iterator[ReadRecord]) -> UnitImported:
        count = await notebook_store.add_namespaces(work.tx, [record.row for record in records])
        work.touched("namespaces", records=count)
        return UnitImported(id=None, records=count)


async def _insert(
    records: Iterator[ReadRecord], inside: SessionInsert | ScratchpadInsert, history: HistoryInsert
) -> int:
    """How many records the unit has, with the one that it begins with."""
    count = 1
    for record in records:
        await (history if record.type.is_history else inside).add(record.type, record.row)
        count += 1
    await inside.finish()
    await history.flush()
    return count


async def _is_known(tx: Transaction, record: ReadRecord) -> bool:
    return await notebook_store.known_memory(tx, record.row["agent"], record.row["memory_key"])


def _to_import(units: Sequence[Unit], existing: Container[Unit]) -> list[Unit]:
    """Of memory every unit: its entries that exist already are left out one by one."""
    return [unit for unit in units if unit not in existing or unit.kind == MEMORY.name]


def _tenants_of(units: Sequence[Unit], choice: ImportChoice) -> dict[str | None, str]:
    """Where the units of each tenant that the file names go."""
    named = list(dict.fromkeys(unit.tenant for unit in units))
    if choice.tenant is None:
        return {name: DEFAULT_TENANT if name is None else name for name in named}
    if len(named) > 1:
        problem = f"the file has {len(named)} tenants, which go where they were; export one of them alone to move it"
        raise InvalidArgument.at("tenant", problem)
    return dict.fromkeys(named, choice.tenant)


def _full(things: str, limit: int) -> CapacityLimitReached:
    return CapacityLimitReached(f"This tenant may have {limit:,} {things}, and this would be one more.", limit=limit)


def _summary(imported: Sequence[tuple[Unit, UnitImported]], skipped: Sequence[Unit], several: bool) -> Imported:
    def named(units: Iterable[Unit], kind: str) -> list[str]:
        return [f"{unit.tenant}/{unit.id}" if several else str(unit.id) for unit in units if unit.kind == kind]

    units = [unit for unit, _ in imported]
    return Imported(
        sessions=named(units, SESSION.name),
        scratchpads=named(units, SCRATCHPAD.name),
        memory=sum(result.records for unit, result in imported if unit.kind == MEMORY.name),
        records=sum(result.records for _, result in imported),
        skipped=named(skipped, SESSION.name) + named(skipped, SCRATCHPAD.name),
    )
