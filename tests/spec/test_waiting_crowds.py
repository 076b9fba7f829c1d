"""Many agents wait in one session at the same time: each is woken by what it may see, and by nothing else."""

import asyncio
from typing import Any

import pytest

from tests.spec.test_questions import asks
from tests.table import Agent, Table

CROWD = 40
WAITS: list[tuple[str, dict[str, Any]]] = [
    ("wait_for_messages", {"after_id": 0, "timeout_seconds": 50}),
    ("read_events", {"kinds": ["message/added"], "wait_seconds": 50}),
]
Waiting = list["asyncio.Task[dict[str, Any]]"]


def crowd(table: Table, session: str, agent_type: str) -> list[Agent]:
    return [table.agent(f"{agent_type}-{number}", session, **{"X-Agent-Type": agent_type}) for number in range(CROWD)]


async def begins(table: Table, agents: list[Agent], tool: str, arguments: dict[str, Any]) -> Waiting:
    """All of them wait when it returns."""
    expected = table.app.waits.waiting.total("default") + len(agents)
    waiting = [asyncio.create_task(agent.calls(tool, **arguments)) for agent in agents]
    async with asyncio.timeout(40):
        while table.app.waits.waiting.total("default") < expected:  # noqa: ASYNC110 - what is counted sets no event
            await asyncio.sleep(0.01)
    return waiting


def messages_in(result: dict[str, Any]) -> list[int]:
    if "events" in result:
        return [event["message_id"] for event in result["events"]]
    return [message["id"] for message in result["messages"]]


@pytest.mark.parametrize(("tool", "arguments"), WAITS)
async def test_all_who_wait_get_a_message_and_only_those_who_may_see_it(
    table: Table, session: str, tool: str, arguments: dict[str, Any]
) -> None:
    reviewers, writers = crowd(table, session, "reviewer"), crowd(table, session, "writer")
    speaker = table.agent("speaker", session, **{"X-Agent-Type": "reviewer"})
    waiting = await begins(table, [*reviewers, *writers], tool, arguments)

    await speaker.calls("add_message", content="to myself", visibility="private")
    await speaker.calls("add_message", content="to reviewers", visibility="agent_only")
    heard = await asyncio.wait_for(asyncio.gather(*waiting[:CROWD]), 40)

    assert [messages_in(each) for each in heard] == [[2]] * CROWD
    assert not any(task.done() for task in waiting[CROWD:])

    await speaker.calls("add_message", content="to all")
    heard = await asyncio.wait_for(asyncio.gather(*waiting[CROWD:]), 40)

    assert [messages_in(each) for each in heard] == [[3]] * CROWD


async def test_all_who_wait_for_a_question_get_its_answer_and_the_others_wait_on(
    table: Table, alice: Agent, session: str
) -> None:
    await asks(alice)
    await asks(alice)
    agents = crowd(table, session, "writer")
    first = await begins(table, agents[:20], "wait_for_answers", {"question_ids": ["q1"], "timeout_seconds": 50})
    others = await begins(table, agents[20:], "wait_for_answers", {"question_ids": ["q2"], "timeout_seconds": 50})

    await table.agent("bob", session).calls("submit_answers", answers=[{"question_id": "q1", "answer": "yes"}])
    answered = await asyncio.wait_for(asyncio.gather(*first), 40)

    assert [[answer["answer"] for answer in each["answers"]] for each in answered] == [["yes"]] * 20
    assert not any(task.done() for task in others)
    for task in others:
        task.cancel()
