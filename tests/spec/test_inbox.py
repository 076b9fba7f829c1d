"""What the inbox says stays true however it is found out: it counts on, and looks again only after news."""

from pathlib import Path
from typing import Any

import pytest

from tests.stores import Store
from tests.table import Agent, Table, open_table


async def _waiting(agent: Agent) -> Any:
    hint = (await agent.calls("read_notes")).get("inbox")
    return hint and hint["messages"]


@pytest.mark.in_process("a hint may be a fifth of a second old, if another server was written to")
async def test_the_inbox_counts_on_past_what_one_says_oneself(alice: Agent, bob: Agent) -> None:
    for number in range(3):
        await alice.calls("add_message", content=f"Read this, {number}.")
        await bob.calls("add_message", content="Busy.")
        await bob.calls("add_note", content="Still busy.")

        assert await _waiting(bob) == number + 1
        assert await _waiting(alice) == number + 1


@pytest.mark.in_process("what was shown is confirmed at the server that showed it")
async def test_the_inbox_counts_anew_from_where_one_has_got_to(alice: Agent, bob: Agent) -> None:
    for number in range(4):
        await alice.calls("add_message", content=f"Read this, {number}.")
    assert await _waiting(bob) == 4

    await bob.calls("get_messages", limit=3, order="oldest")
    assert await _waiting(bob) == 1
    await bob.calls("get_messages", limit=1, order="oldest")

    assert await _waiting(bob) == 1
    await alice.calls("add_message", content="One more.")
    assert await _waiting(bob) == 2


@pytest.mark.in_process("a hint may be a fifth of a second old, if another server was written to")
async def test_messages_that_are_none_of_ones_business_wait_for_nobody(alice: Agent, bob: Agent) -> None:
    await alice.calls("add_message", content="Note to self.", visibility="private")
    assert await _waiting(bob) is None

    await alice.calls("add_message", content="To all.")

    assert await _waiting(bob) == 1


async def test_the_inbox_of_one_session_says_nothing_of_another(table: Table, alice: Agent, bob: Agent) -> None:
    assert await _waiting(bob) is None

    await table.session("sess_two")
    await table.agent("alice", "sess_two").calls("add_message", content="Over here.")

    assert await _waiting(bob) is None
    assert await _waiting(table.agent("bob", "sess_two")) == 1


@pytest.mark.in_process("what was shown is confirmed at the server that showed it")
async def test_the_inbox_counts_what_was_not_fetched_and_goes_away(alice: Agent, bob: Agent) -> None:
    assert "inbox" not in await bob.calls("read_notes")
    for n in range(3):
        await alice.calls("add_message", content=f"m{n}")

    hint = (await bob.calls("add_note", content="busy"))["inbox"]
    first = await bob.calls("get_messages", limit=2, order="oldest")
    left = (await bob.calls("read_notes"))["inbox"]
    await bob.calls("get_messages", after_id=first["next_after_id"])

    assert (hint["messages"], hint["answers"]) == (3, 0)
    assert left["messages"] == 1
    assert "inbox" not in await bob.calls("read_notes")
    assert "inbox" not in await alice.calls("read_notes")


@pytest.mark.in_process("what was shown is confirmed at the server that showed it")
async def test_who_has_read_the_newest_page_is_up_to_date(alice: Agent, bob: Agent) -> None:
    for number in range(4):
        await alice.calls("add_message", content=f"m{number}")

    page = await bob.calls("get_messages", limit=2)
    await alice.calls("add_message", content="m4")

    assert await _waiting(bob) == 1
    assert [one["content"] for one in (await bob.calls("wait_for_messages"))["messages"]] == ["m4"]
    older = await bob.calls("get_messages", limit=2, cursor=page["older"])
    assert [one["content"] for one in older["messages"]] == ["m0", "m1"]


@pytest.mark.in_process("what was shown is confirmed at the server that showed it")
async def test_who_skips_a_message_has_not_read_it(alice: Agent, bob: Agent) -> None:
    for number in range(3):
        await alice.calls("add_message", content=f"m{number}")

    await bob.calls("get_messages", offset=1, order="oldest")

    assert await _waiting(bob) == 3


@pytest.mark.in_process("what was shown is confirmed at the server that showed it")
async def test_the_inbox_is_emptied_by_reading_events_from_where_it_says(alice: Agent, bob: Agent) -> None:
    await alice.calls("add_message", content="news")
    hint = (await bob.calls("read_notes"))["inbox"]

    events = await bob.calls("read_events", after=hint["events_after"])

    assert "message/added" in [event["kind"] for event in events["events"]]
    assert "inbox" not in await bob.calls("read_notes")


@pytest.mark.in_process("what was shown is confirmed at the server that showed it")
async def test_who_asks_for_events_that_are_yet_to_come_has_seen_none_of_those_before(alice: Agent, bob: Agent) -> None:
    await alice.calls("add_message", content="news")
    await bob.calls("read_events", after=1_000_000)

    hint = (await bob.calls("read_notes"))["inbox"]

    events = await bob.calls("read_events", after=hint["events_after"])
    assert "message/added" in [event["kind"] for event in events["events"]]


@pytest.mark.in_process("a hint may be a fifth of a second old, if another server was written to")
async def test_no_inbox_on_errors_or_on_replays(alice: Agent, bob: Agent) -> None:
    await bob.calls("add_note", content="x", idempotency_key="k")
    await alice.calls("add_message", content="news")

    assert "inbox" not in await bob.tries("add_note", content="")
    assert "inbox" not in await bob.calls("add_note", content="x", idempotency_key="k")
    assert "inbox" in await bob.calls("read_notes")


@pytest.mark.in_process("what was shown is confirmed at the server that showed it")
async def test_the_inbox_remembers_over_a_restart(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as table:
        session = await table.session("sess_one")
        await table.agent("alice", session).calls("add_message", content="news")
        await table.agent("bob", session).calls("get_messages")

    async with open_table(store, tmp_path) as table:
        assert "inbox" not in await table.agent("bob", "sess_one").calls("read_notes")
        assert "inbox" in await table.agent("carl", "sess_one").calls("read_notes")
