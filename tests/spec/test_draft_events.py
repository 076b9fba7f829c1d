"""What the log tells of the draft: who wrote, and for a while who read."""

import asyncio
from typing import Any

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.kernel.clock import HOUR, MINUTE
from longtable.storage.database import Transaction
from tests.spec.test_draft import writes
from tests.table import Agent, Table

READ = "scratchpad/section_read"


async def events(table: Table, agent: Agent, *kinds: str) -> list[dict[str, Any]]:
    await table.app.ledger.flush()
    found: list[dict[str, Any]] = (await agent.calls("read_events", kinds=list(kinds), limit=1000, max_chars=0))[
        "events"
    ]
    return found


async def test_the_first_write_tells_that_a_section_was_created_and_later_ones_that_it_was_updated(
    table: Table, alice: Agent
) -> None:
    await writes(alice, "intro", "one")
    await writes(alice, "intro", "x" * 300)
    await alice.calls("revert_draft_section", section_id="intro", to_version=1)

    found = await events(table, alice, "scratchpad/*")

    common = {"seq", "session_id", "actor", "timestamp"}
    assert [{key: value for key, value in event.items() if key not in common} for event in found] == [
        {"kind": "scratchpad/section_created", "section_name": "intro"},
        {"kind": "scratchpad/section_updated", "section_name": "intro", "version": 2, "content_preview": "x" * 200},
        {"kind": "scratchpad/section_updated", "section_name": "intro", "version": 3, "content_preview": "one"},
    ]


async def test_every_section_that_an_agent_reads_is_told_once(table: Table, alice: Agent, bob: Agent) -> None:
    await writes(alice, "intro", "one")
    await writes(alice, "body", "two")

    await bob.calls("read_draft")
    await bob.calls("read_draft", section_id="body")
    await bob.calls("read_section", section_name="intro")

    # Reads are written in batches, one for each server: in which order is not promised.
    found = await events(table, alice, READ)
    assert sorted((event["section_name"], event["reader_agent"], event["actor"]) for event in found) == [
        (section_id, "bob", "bob") for section_id in ("body", "body", "intro", "intro")
    ]


async def test_looking_at_outlines_differences_and_virtual_sections_is_told_to_nobody(
    table: Table, alice: Agent
) -> None:
    await writes(alice, "intro", "one")

    await alice.calls("list_sections")
    await alice.calls("read_draft", include_content=False)
    await alice.calls("read_draft", section_id="intro", include_content=False)
    await alice.calls("diff_draft", section_id="intro", from_version=1)
    for name in ("notes", "plan", "user_answers"):
        await alice.calls("read_section", section_name=name)

    assert await events(table, alice, READ) == []


async def test_that_a_person_reads_is_told_to_nobody(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_ours")
    agent = company.agent("writer", "sess_ours", "acme-secret")
    await writes(agent, "intro", "one")
    issued = await company.app.tokens.create(Credential("acme", Role.HUMAN, "ann"), None)

    answer = await company.agent(token=issued.secret).client.get("/sessions/sess_ours/draft")

    assert answer.json()["sections"][0]["content"] == "one"
    assert await events(company, agent, READ) == []


async def test_a_read_is_recorded_once_with_what_was_read(table: Table, alice: Agent) -> None:
    await writes(alice, "intro", "a very secret text")
    await alice.calls("read_draft", section_id="intro")
    await table.app.ledger.flush()

    async def body(tx: Transaction) -> list[Any]:
        return [dict(row) for row in await tx.all("SELECT * FROM audit WHERE tenant = :tenant ORDER BY seq")]

    records = await table.app.database.read("default", body)
    found = [(record["event_type"], record["object"], record["outcome"]) for record in records]
    assert found.count(("draft_read", "section:intro", "SUCCESS")) == 1
    assert found.count(("section_written", "section:intro", "SUCCESS")) == 1
    assert not any("secret" in str(value) for record in records for value in record.values())


async def test_that_a_section_was_read_is_forgotten_after_an_hour_and_nothing_else_is(
    table: Table, alice: Agent
) -> None:
    await writes(alice, "intro", "one")
    await alice.calls("read_draft")
    await table.app.ledger.flush()
    table.clock.ahead = HOUR + MINUTE
    await alice.calls("read_draft")
    before = await events(table, alice, "*")

    await table.app.jobs.run()

    after = await events(table, alice, "*")
    assert [event["kind"] for event in before].count(READ) == 2
    assert after == [event for event in before if event != next(old for old in before if old["kind"] == READ)]


async def test_reading_ends_nobodys_wait(alice: Agent, bob: Agent) -> None:
    await writes(alice, "intro", "one")
    after = (await bob.calls("read_events"))["next_after"]
    waiting = asyncio.create_task(bob.calls("read_events", after=after, wait_seconds=20))

    await alice.calls("read_draft")
    await writes(alice, "intro", "two")

    result = await asyncio.wait_for(waiting, 40)
    assert "scratchpad/section_updated" in [event["kind"] for event in result["events"]]


async def test_a_page_full_of_reads_holds_back_no_news_that_come_after_them(
    table: Table, alice: Agent, bob: Agent
) -> None:
    await writes(alice, "intro", "one")
    after = (await bob.calls("read_events"))["next_after"]
    for _ in range(3):
        await alice.calls("read_draft")
    await table.app.ledger.flush()
    await writes(alice, "intro", "two")

    async with asyncio.timeout(40):
        page = await bob.calls("read_events", after=after, limit=2, wait_seconds=50)
    rest = await bob.calls("read_events", after=page["next_after"], limit=2)

    assert [event["kind"] for event in page["events"]] == [READ, READ]
    assert [event["kind"] for event in rest["events"]] == [READ, "scratchpad/section_updated"]


async def test_a_page_full_of_reads_and_nothing_else_ends_no_wait(table: Table, alice: Agent, bob: Agent) -> None:
    await writes(alice, "intro", "one")
    after = (await bob.calls("read_events"))["next_after"]
    await alice.calls("read_draft")
    await table.app.ledger.flush()
    waiting = asyncio.create_task(bob.calls("read_events", after=after, limit=1, wait_seconds=20))

    await alice.calls("read_draft")
    await table.app.ledger.flush()
    assert not waiting.done()
    await writes(alice, "intro", "two")

    result = await asyncio.wait_for(waiting, 40)
    assert [event["kind"] for event in result["events"]] == [READ]
