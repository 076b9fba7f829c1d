"""What the inbox says stays true however it is found out: it counts on, and looks again only after news."""

from typing import Any

from tests.table import Agent, Table


async def _waiting(agent: Agent) -> Any:
    hint = (await agent.calls("read_notes")).get("inbox")
    return hint and hint["messages"]


async def test_the_inbox_counts_on_past_what_one_says_oneself(alice: Agent, bob: Agent) -> None:
    for number in range(3):
        await alice.calls("add_message", content=f"Read this, {number}.")
        await bob.calls("add_message", content="Busy.")
        await bob.calls("add_note", content="Still busy.")

        assert await _waiting(bob) == number + 1
        assert await _waiting(alice) == number + 1


async def test_the_inbox_counts_anew_from_where_one_has_got_to(alice: Agent, bob: Agent) -> None:
    for number in range(4):
        await alice.calls("add_message", content=f"Read this, {number}.")
    assert await _waiting(bob) == 4

    await bob.calls("get_messages", limit=3)
    assert await _waiting(bob) == 1
    await bob.calls("get_messages", limit=1)

    assert await _waiting(bob) == 1
    await alice.calls("add_message", content="One more.")
    assert await _waiting(bob) == 2


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
