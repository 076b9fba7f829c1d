"""Many tables, and one at which very much has happened: looking at them stays quick."""

import time
from typing import Any

import httpx2
import pytest

from longtable.kernel.caller import Role
from longtable.kernel.clock import DAY
from longtable.storage.database import Transaction
from tests.table import Table

SESSIONS, LOUD, MANY = 1_000, "sess_0007", 20_000
SOON = 0.5
"""Five times what it may take on a quiet machine."""

_SESSION = """INSERT INTO sessions
    (tenant, session_id, purpose, metadata, created_by, created_at, expires_at, status)
    VALUES (:tenant, :session_id, '', '{}', 'boss', :now, :end, 'active')"""
_EVENT = """INSERT INTO events (tenant, seq, session_id, kind, actor, actor_type, visibility, payload, created_at)
    VALUES (:tenant, :seq, :session_id, 'message/added', :actor, 'generic', 'public', '{}', :now)"""
_MESSAGE = """INSERT INTO messages
    (tenant, session_id, number, sender, sender_type, content, visibility, metadata, thread, created_at)
    VALUES (:tenant, :session_id, :number, 'ada', 'generic', 'words', 'public', '{}', :number, :now)"""
_QUESTION = """INSERT INTO questions
    (tenant, session_id, number, question, asked_by, asked_at, priority, blocking, status, by_human)
    VALUES (:tenant, :session_id, 1, 'what?', 'ada', :now, 'high', 0, 'pending', 0)"""


async def fill(table: Table) -> None:
    """As if it had been written over the months: by calls it would take a minute."""
    now = table.clock()
    names = [f"sess_{number:04}" for number in range(SESSIONS)]
    places = [*names, *[LOUD] * MANY]
    events = [
        {"seq": seq, "session_id": name, "actor": f"agent-{seq % 7}", "now": now + seq}
        for seq, name in enumerate(places, start=1)
    ]
    messages = [{"session_id": LOUD, "number": number, "now": now} for number in range(1, MANY // 2 + 1)]

    async def body(tx: Transaction) -> None:
        rows: list[dict[str, Any]] = [{"session_id": name, "now": now, "end": now + DAY} for name in names]
        await tx.execute_many(_SESSION, rows)
        await tx.execute_many(_EVENT, events)
        await tx.execute_many(_MESSAGE, messages)
        await tx.execute_many(_QUESTION, [{"session_id": name, "now": now} for name in names])
        await tx.execute(
            """INSERT INTO audit_heads (tenant, seq, digest, written_bytes, event_seq)
               VALUES (:tenant, 0, :digest, 0, :value) ON CONFLICT (tenant) DO UPDATE SET event_seq = :value""",
            digest=bytes(32),
            value=len(events),
        )

    await table.app.database.write("acme", body)


async def quickest(client: httpx2.AsyncClient, path: str) -> float:
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        assert (await client.get(path)).status_code == 200
        seconds.append(time.perf_counter() - started)
    return min(seconds)


@pytest.mark.slow
async def test_a_thousand_tables_and_ten_thousand_messages_are_looked_at_in_no_time(company: Table) -> None:
    client = (await company.bearer(Role.OWNER, "boss")).client
    await fill(company)

    first = (await client.get("/overview?limit=2")).json()["sessions"]
    paths = [
        "/overview",
        f"/sessions/{LOUD}/overview",
        "/questions",
        f"/sessions/{LOUD}/activity?before=15000",
        f"/sessions/{LOUD}/messages?limit=100&before_id=5000",
    ]
    took = {path: await quickest(client, path) for path in paths}

    assert [table["session_id"] for table in first] == [LOUD, f"sess_{SESSIONS - 1:04}"]
    assert first[0]["agent_count"] == 7
    assert {path: seconds for path, seconds in took.items() if seconds > SOON} == {}
