"""Writes: repeated safely, told in the log, recorded in the audit."""

import asyncio
from typing import Any

import pytest

from longtable.kernel.clock import DAY, MINUTE
from longtable.log.verify import verify_chain
from longtable.storage.database import Transaction
from tests.table import Agent, Refused, Table, open_table


async def audit_of(table: Table, tenant: str = "default") -> list[dict[str, Any]]:
    await table.app.ledger.flush()

    async def records(tx: Transaction) -> list[dict[str, Any]]:
        return [dict(row) for row in await tx.all("SELECT * FROM audit WHERE tenant = :tenant ORDER BY seq")]

    return await table.app.database.read(tenant, records)


async def test_the_same_key_and_arguments_give_the_first_result_again(alice: Agent) -> None:
    first = await alice.calls("add_note", content="once", idempotency_key="key-1")

    again = await asyncio.gather(*(alice.calls("add_note", content="once", idempotency_key="key-1") for _ in range(20)))

    assert all(result == first for result in again)
    assert len(await alice.reads_notes()) == 1


async def test_twenty_first_calls_with_one_key_have_one_effect(alice: Agent) -> None:
    results = await asyncio.gather(
        *(alice.calls("add_note", content="once", idempotency_key="key-1") for _ in range(20))
    )

    assert {result["note"]["id"] for result in results} == {"n1"}
    assert len(await alice.reads_notes()) == 1


async def test_the_same_key_with_other_arguments_is_refused(alice: Agent) -> None:
    await alice.adds_note("once", idempotency_key="key-1")

    with pytest.raises(Refused, match="IDEMPOTENCY_MISMATCH"):
        await alice.adds_note("twice", idempotency_key="key-1")

    assert len(await alice.reads_notes()) == 1


async def test_a_key_belongs_to_one_agent_session_and_tool(table: Table, alice: Agent, bob: Agent) -> None:
    await alice.adds_note("hers", idempotency_key="key-1")

    assert await bob.adds_note("his", idempotency_key="key-1") == "n2"
    other = table.agent("alice", await table.session("sess_two"))
    assert await other.adds_note("elsewhere", idempotency_key="key-1") == "n1"
    await alice.calls("close_session", idempotency_key="key-1")


async def test_a_failed_call_does_not_use_its_key_up(alice: Agent) -> None:
    with pytest.raises(Refused):
        await alice.adds_note("x", supersedes="n9", idempotency_key="key-1")

    assert await alice.adds_note("a different try", idempotency_key="key-1") == "n1"


async def test_a_key_works_after_a_restart_and_is_forgotten_after_a_day(store: Any, tmp_path: Any) -> None:
    async with open_table(store, tmp_path) as table:
        alice = table.agent("alice", await table.session("sess_one", ttl="72h"))
        first = await alice.calls("add_note", content="once", idempotency_key="key-1")

    async with open_table(store, tmp_path) as table:
        alice = table.agent("alice", "sess_one")
        assert await alice.calls("add_note", content="once", idempotency_key="key-1") == first
        table.clock.ahead = DAY + MINUTE
        assert await alice.adds_note("once", idempotency_key="key-1") == "n2"


async def test_over_rest_the_key_comes_in_a_header(table: Table, session: str) -> None:
    client = table.agent("alice").client
    path, key = f"/sessions/{session}/notes", {"Idempotency-Key": "key-1"}

    answers = [await client.post(path, headers=key, json={"content": "once"}) for _ in range(2)]
    other = await client.post(path, headers=key, json={"content": "else"})

    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].content == answers[1].content
    assert (other.status_code, other.json()["error"]["code"]) == (409, "IDEMPOTENCY_MISMATCH")


async def test_every_write_has_one_event_and_one_audit_record(table: Table, alice: Agent) -> None:
    await asyncio.gather(*(alice.adds_note(f"note {n}") for n in range(20)))

    events = (await alice.calls("read_events", kinds=["scratchpad/note_added"]))["events"]
    records = [record for record in await audit_of(table) if record["event_type"] == "note_added"]

    assert sorted(event["note_id"] for event in events) == sorted(f"n{n}" for n in range(1, 21))
    assert sorted(record["object"] for record in records) == sorted(f"note:n{n}" for n in range(1, 21))
    seqs = [event["seq"] for event in events]
    assert seqs == sorted(set(seqs))
    assert (await verify_chain(table.app.database, "default")).holds


async def test_an_event_is_flat_and_shows_the_first_200_characters(alice: Agent) -> None:
    await alice.adds_note("x" * 300, tags=["long"])

    event = (await alice.calls("read_events", max_chars=0))["events"][-1]

    assert event["kind"] == "scratchpad/note_added"
    assert event["content_preview"] == "x" * 200
    assert {"seq", "kind", "session_id", "actor", "timestamp", "note_id", "tags", "content_preview"} == set(event)
    assert (event["actor"], event["session_id"], event["note_id"]) == ("alice", "sess_one", "n1")


async def test_events_are_read_from_a_cursor_without_a_gap(alice: Agent, bob: Agent) -> None:
    for n in range(5):
        await alice.adds_note(f"note {n}")

    seen: list[str] = []
    after = 0
    for _ in range(4):
        page = await bob.calls("read_events", after=after, limit=2)
        seen += [event["kind"] for event in page["events"]]
        after = page["next_after"]

    assert seen == ["session/created"] + ["scratchpad/note_added"] * 5
    assert (await bob.calls("read_events", after=after))["events"] == []


async def test_kinds_are_chosen_by_name_or_pattern(alice: Agent) -> None:
    await alice.adds_note("x")

    async def kinds(*requested: str) -> list[str]:
        return [event["kind"] for event in (await alice.calls("read_events", kinds=list(requested)))["events"]]

    assert await kinds("scratchpad/*") == ["scratchpad/note_added"]
    assert await kinds("session/created", "scratchpad/note_added") == ["session/created", "scratchpad/note_added"]
    assert await kinds("message/*") == []


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"after": -1}, "after"),
        ({"kinds": ["no slash"]}, "kinds.0"),
        ({"kinds": ["scratchpad/note%"]}, "kinds.0"),
        ({"limit": 1001}, "limit"),
        ({"wait_seconds": 51}, "wait_seconds"),
    ],
)
async def test_a_bad_way_to_read_events_is_refused(alice: Agent, arguments: dict[str, Any], field: str) -> None:
    envelope = await alice.tries("read_events", **arguments)

    assert envelope["error"]["code"] == "INVALID_ARGUMENT"
    assert envelope["error"]["details"]["errors"][0]["path"] == field


async def test_a_waiting_reader_is_woken_by_the_next_write(alice: Agent, bob: Agent) -> None:
    after = (await bob.calls("read_events"))["next_after"]
    waiting = asyncio.create_task(bob.calls("read_events", after=after, wait_seconds=20))
    await asyncio.sleep(0)

    await alice.adds_note("wake up")

    result = await asyncio.wait_for(waiting, 40)
    assert [event["note_id"] for event in result["events"]] == ["n1"]


async def test_a_wait_that_brings_nothing_is_a_normal_result(alice: Agent) -> None:
    after = (await alice.calls("read_events"))["next_after"]

    result = await alice.calls("read_events", after=after, wait_seconds=0.05)

    assert (result["ok"], result["events"], result["next_after"]) == (True, [], after)


async def test_a_second_process_on_the_same_store_wakes_a_waiting_reader(store: Any, tmp_path: Any) -> None:
    async with open_table(store, tmp_path) as here, open_table(store, tmp_path) as there:
        session = await here.session("sess_one")
        reader, writer = here.agent("reader", session), there.agent("writer", session)
        after = (await reader.calls("read_events"))["next_after"]
        waiting = asyncio.create_task(reader.calls("read_events", after=after, wait_seconds=20))
        await asyncio.sleep(0)

        await writer.adds_note("from the other side")

        result = await asyncio.wait_for(waiting, 40)
        assert [event["actor"] for event in result["events"]] == ["writer"]


async def test_reads_and_refusals_are_in_the_audit_without_contents(table: Table, alice: Agent) -> None:
    await alice.adds_note("a very secret text")
    await alice.reads_notes(query="secret")
    await alice.tries("add_note", content="")
    await alice.tries("read_notes", limit=0)

    records = await audit_of(table)

    recorded = [(record["event_type"], record["outcome"], record["agent_id"]) for record in records]
    assert ("notes_read", "SUCCESS", "alice") in recorded
    assert ("note_added", "INVALID_ARGUMENT", "alice") in recorded
    assert ("notes_read", "INVALID_ARGUMENT", "alice") in recorded
    assert not any("secret" in str(value) for record in records for value in record.values())
    assert (await verify_chain(table.app.database, "default")).holds


async def test_what_a_refused_write_would_have_told_is_told_to_nobody(table: Table, alice: Agent) -> None:
    before = await alice.calls("read_events")

    await asyncio.gather(
        *(alice.tries("add_note", content=f"x{n}", supersedes="n99") for n in range(10)),
        *(alice.tries("add_note", content=f"y{n}") for n in range(10)),
    )

    after = await alice.calls("read_events", after=before["next_after"])
    assert [event["kind"] for event in after["events"]] == ["scratchpad/note_added"] * 10
    assert [note["id"] for note in await alice.reads_notes()] == [f"n{n}" for n in range(1, 11)]
