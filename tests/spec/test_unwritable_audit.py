"""An audit log that cannot be written: nothing is changed while it cannot, and all goes on when it can."""

from pathlib import Path

import pytest

from tests.e2e.crashes import rows_of
from tests.mixed.crowd import Mixed, mixed_table
from tests.schemas import administer
from tests.stores import Store

pytestmark = [pytest.mark.slow, pytest.mark.in_process("changes the tables under the server")]
LOG = ("audit", "audit_blocks")
# Not memory, which ends by itself, nor when a scratchpad was last read.
STATE = (
    *("sessions", "notes", "messages", "tasks", "questions", "sections", "section_versions", "reservations", "cells"),
    *("cell_texts", "namespaces", "tokens", "events", "shares", "holds", "usage_totals"),
)


async def closed(store: Store) -> None:
    """Whoever wants to add a record is told no, by the database itself."""
    if store.kind == "sqlite":
        refusal = "BEFORE INSERT ON {0} BEGIN SELECT RAISE(ABORT, 'no room for records'); END"
        await _execute(store, [f"CREATE TRIGGER closed_{table} {refusal.format(table)}" for table in LOG])
        return
    body = "BEGIN RAISE EXCEPTION 'no room for records' USING ERRCODE = '53100'; END"
    await _execute(store, [f"CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ {body} $$"])
    trigger = "CREATE TRIGGER closed_{0} BEFORE INSERT ON {0} FOR EACH ROW EXECUTE FUNCTION no_room()"
    await _execute(store, [trigger.format(table) for table in LOG])


async def opened_again(store: Store) -> None:
    on = "" if store.kind == "sqlite" else " ON {0}"
    await _execute(store, [f"DROP TRIGGER closed_{table}{on.format(table)}" for table in LOG])


async def _execute(store: Store, statements: list[str]) -> None:
    if store.kind == "sqlite":
        import sqlite3

        file = sqlite3.connect(store.address, timeout=30)
        for statement in statements:
            file.execute(statement)
        file.commit()
        file.close()
        return
    for statement in statements:
        await administer(store.address, statement)


async def state(store: Store) -> set[str]:
    async with rows_of(store) as rows:
        found = {f"{table} {row}" for table in STATE for row in await rows(f"SELECT * FROM {table}")}
        pads = await rows("SELECT tenant, scratch_id, title, metadata, version, updated_at FROM scratchpads")
        return found | {str(row) for row in pads}


def writes(mixed: Mixed) -> int:
    """Those that succeeded. Whoever asks whether to pause, and need not, changes nothing."""
    tools = {name: tool for name, tool in mixed.table.app.dispatcher.tools.items() if name != "check_pause"}
    return sum(count for name, count in mixed.succeeded.items() if name in tools and tools[name].writes)


async def test_nothing_is_written_while_the_audit_log_cannot_be(store: Store, tmp_path: Path) -> None:
    async with mixed_table(store, tmp_path) as mixed:
        await mixed.run(400, seed=1)
        begun = writes(mixed)
        await closed(store)
        before = await state(store)
        await mixed.write_all(seed=2)
        kept, meanwhile = await state(store), writes(mixed)
        await opened_again(store)
        mixed.faults.clear()
        await mixed.write_all(seed=2)

        assert kept ^ before == set()
        assert meanwhile == begun
        assert writes(mixed) > meanwhile
        assert mixed.faults == []
