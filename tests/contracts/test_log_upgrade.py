"""A store from before the log became compact keeps every record, event and number, and its chain still holds."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.caller import Caller, Role, Surface
from longtable.log.audit_blocks import records_with
from longtable.log.chain import GENESIS
from longtable.log.ledger import LogHooks
from longtable.log.model import AuditRecord, Event, LogEntry
from longtable.log.reader import EventFilter, read_page
from longtable.log.verify import verify_chain
from longtable.log.wakeups import Wakeups
from longtable.storage.database import Database, Transaction
from longtable.storage.migrate import MIGRATIONS
from tests.stores import Store, new_store

__all__ = ["new_store"]

pytestmark = pytest.mark.anyio

RECORDS = 130
ALICE = Caller("acme", Role.AGENT, "alice", "claude", Surface.HTTP, session_id="sess_one")
AUDIT = """
    INSERT INTO audit (tenant, seq, event_type, operation, session_id, agent_id, agent_type, role, surface, object,
        outcome, arguments_digest, metadata, created_at, previous, digest)
    VALUES (:tenant, :seq, :event_type, :operation, :session_id, :agent_id, :agent_type, :role, :surface, :object,
        :outcome, :arguments_digest, :metadata, :created_at, :previous, :digest)"""
EVENT = """INSERT INTO events (tenant, seq, session_id, kind, actor, actor_type, visibility, payload, created_at)
           VALUES (:tenant, :seq, 'sess_one', 'scratchpad/note_added', 'alice', 'claude', 'public', :payload, 7)"""


def record(number: int) -> AuditRecord:
    """The 100th was refused, the others are notes of alice."""
    kind, outcome = ("note_added", "SUCCESS") if number != 100 else ("notes_read", "FORBIDDEN")
    arguments = f"{number:064x}" if number % 2 else None
    return AuditRecord(
        "acme", kind, "add_note", "sess_one", "alice", "claude", "agent", "http", None, outcome, arguments, {}, number
    )


def earlier_rows() -> list[dict[str, Any]]:
    rows, previous = [], GENESIS
    for seq in range(1, RECORDS + 1):
        made = record(seq)
        digest = made.chained(seq, previous)
        fields = {name: getattr(made, name) for name in AuditRecord.__slots__ if name != "tenant"}
        rows.append({**fields, "metadata": "{}", "seq": seq, "previous": previous, "digest": digest})
        previous = digest
    return rows


@pytest.fixture
async def earlier(new_store: Store, tmp_path: Path) -> Store:
    """A store with 130 records, two events and a tag, as the version before has left it."""
    folder = tmp_path / "earlier"
    shutil.copytree(MIGRATIONS, folder)
    for path in folder.iterdir():
        if int(path.name[:4]) > 16:
            path.unlink()
    rows = earlier_rows()

    async def body(tx: Transaction) -> None:
        await tx.execute_many(AUDIT, rows)
        payload = json.dumps({"note_id": "n1", "tags": [], "content_preview": "as it was"})
        await tx.execute_many(EVENT, [{"seq": seq, "payload": payload} for seq in (1, 2)])
        await tx.execute(
            "INSERT INTO audit_heads (tenant, seq, digest, written_bytes) VALUES (:tenant, :seq, :digest, 99)",
            seq=RECORDS,
            digest=rows[-1]["digest"],
        )
        await tx.execute("INSERT INTO counters (tenant, scope, name, value) VALUES (:tenant, '', 'event', 2)")
        await tx.execute("INSERT INTO note_tags (tenant, session_id, tag, number) VALUES (:tenant, 's', 'fast', 1)")

    database = await new_store.open(migrations=folder)
    await database.write("acme", body)
    await database.close()
    return new_store


async def found(database: Database, **arguments: str) -> list[int]:
    source = records_with(arguments)
    sql = f"SELECT audit.seq FROM {source.sql} ORDER BY {source.order}"
    rows = await database.read("acme", lambda tx: tx.all(sql, **source.parameters))
    return [row["seq"] for row in rows]


async def test_the_chain_of_an_earlier_version_holds_and_goes_on(earlier: Store) -> None:
    database = await earlier.open(LogHooks(Wakeups()))
    before = await verify_chain(database, "acme")

    async def body(tx: Transaction) -> None:
        tx.defer(LogEntry("acme", "alice", "claude", "sess_one", 8, [Event("x", {})], [record(RECORDS + 1)]))

    await database.write("acme", body)

    after = await verify_chain(database, "acme")
    assert (before.holds, before.records) == (True, RECORDS)
    assert (after.holds, after.records) == (True, RECORDS + 1)


async def test_the_records_of_an_earlier_version_are_found_by_what_they_say(earlier: Store) -> None:
    database = await earlier.open()

    assert await found(database, agent_id="alice") == list(range(RECORDS, 0, -1))
    assert await found(database, session_id="sess_one", event_type="notes_read") == [100]
    assert await found(database, outcome="FORBIDDEN") == [100]
    assert await found(database, agent_id="bob") == []


async def test_a_record_that_was_edited_before_the_upgrade_is_found_after_it(earlier: Store, tmp_path: Path) -> None:
    database = await earlier.open(migrations=tmp_path / "earlier")
    edited = "UPDATE audit SET digest = 'not one' WHERE tenant = :tenant AND seq = 40"
    await database.write("acme", lambda tx: tx.execute(edited))
    await database.close()

    verified = await verify_chain(await earlier.open(), "acme")

    assert verified.broken_at == 40


async def test_the_events_of_an_earlier_version_are_told_as_before_and_numbers_go_on(earlier: Store) -> None:
    database = await earlier.open()

    page = await database.read("acme", lambda tx: read_page(tx, EventFilter(ALICE, "sess_one"), 0, 10))
    tags = await database.read("acme", lambda tx: tx.all("SELECT tag FROM note_tags WHERE tenant = :tenant"))

    assert [event["content_preview"] for event in page.events] == ["as it was", "as it was"]
    assert page.next_after == 2
    assert tags == [{"tag": "fast"}]
