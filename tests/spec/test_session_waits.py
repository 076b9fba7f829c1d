"""A wait belongs to its session: it ends with it, and says how."""

import asyncio
from typing import Any

import pytest

from longtable.kernel.clock import HOUR, SECOND
from tests.spec.test_questions import asks
from tests.table import Agent, Refused, Table

pytestmark = pytest.mark.slow

WAITS: list[tuple[str, dict[str, Any]]] = [
    ("wait_for_messages", {"timeout_seconds": 50}),
    ("wait_for_messages", {"after_id": 0, "timeout_seconds": 50}),
    ("wait_for_answers", {"timeout_seconds": 50}),
    ("wait_for_answers", {"question_ids": ["q1"], "timeout_seconds": 50}),
    ("read_events", {"kinds": ["message/added"], "wait_seconds": 50}),
]


async def refusal(waiting: "asyncio.Task[dict[str, Any]]") -> str:
    with pytest.raises(Refused) as refused:
        await asyncio.wait_for(waiting, 40)
    return refused.value.code


async def begins(table: Table, agent: Agent, tool: str, arguments: dict[str, Any]) -> "asyncio.Task[dict[str, Any]]":
    """A wait that has really begun: the server listens for it."""
    waiting = asyncio.create_task(agent.calls(tool, **arguments))
    async with asyncio.timeout(40):
        while not table.app.wakeups.anyone_waiting:
            await agent.calls("get_pending_questions")
    return waiting


@pytest.mark.parametrize(("tool", "arguments"), WAITS)
async def test_a_wait_ends_when_its_session_is_closed(
    table: Table, alice: Agent, session: str, tool: str, arguments: dict[str, Any]
) -> None:
    await asks(alice)
    waiting = await begins(table, alice, tool, arguments)

    await table.agent("orchestrator").calls("close_session", session_id=session)

    assert await refusal(waiting) == "SESSION_CLOSED"


@pytest.mark.parametrize(("tool", "arguments"), WAITS)
async def test_a_wait_ends_when_its_session_expires(table: Table, tool: str, arguments: dict[str, Any]) -> None:
    alice = table.agent("alice", await table.session("sess_short", ttl="1h"))
    await asks(alice)
    table.clock.ahead = HOUR - SECOND

    waiting = asyncio.create_task(alice.calls(tool, **arguments))

    assert await refusal(waiting) == "SESSION_EXPIRED"


async def test_a_session_that_is_extended_meanwhile_lets_its_waits_go_on(table: Table, bob: Agent) -> None:
    session = await table.session("sess_short", ttl="1h")
    alice = table.agent("alice", session)
    table.clock.ahead = HOUR - 20 * SECOND
    waiting = await begins(table, alice, "wait_for_messages", {"timeout_seconds": 50})
    extended = await table.agent().client.post(f"/sessions/{session}/extend", json={"ttl": "2h"})
    table.clock.ahead = HOUR + SECOND

    await table.agent("bob", session).calls("add_message", content="still here")

    page = await asyncio.wait_for(waiting, 40)
    assert (extended.status_code, [message["content"] for message in page["messages"]]) == (200, ["still here"])


async def test_what_was_said_before_the_end_is_still_brought(table: Table, alice: Agent, bob: Agent) -> None:
    await bob.calls("add_message", content="the last word")
    await table.agent("orchestrator").calls("close_session", session_id="sess_one")

    page = await alice.calls("wait_for_messages", timeout_seconds=50)

    assert [message["content"] for message in page["messages"]] == ["the last word"]


@pytest.mark.in_process("what was shown is confirmed at the server that showed it")
async def test_what_was_said_between_two_waits_comes_at_once(table: Table, alice: Agent, bob: Agent) -> None:
    await alice.calls("add_message", content="first")
    first = await bob.calls("wait_for_messages", timeout_seconds=50)
    await alice.calls("add_message", content="between")
    await bob.calls("add_message", content="my own words")

    second = await asyncio.wait_for(bob.calls("wait_for_messages", timeout_seconds=50), 40)
    third = await bob.calls("wait_for_messages", timeout_seconds=0)

    pages = [[message["content"] for message in page["messages"]] for page in (first, second, third)]
    assert pages == [["first"], ["between"], []]
