"""Delivered means received: what an answer shows counts as shown when the agent's next call arrives, and comes again
when the answer got lost on its way."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.callers import HANDSHAKE, SocketAgent
from tests.e2e.servers import Processes, Server, place_of
from tests.stores import Store
from tests.table import Agent

pytestmark = pytest.mark.slow
REVISIONS = pytest.mark.parametrize("handshake", [False, True], ids=["2026-07-28", HANDSHAKE])


@pytest.fixture
def server(processes: Processes, store: Store, tmp_path: Path) -> Server:
    return processes.serve(place_of(store, tmp_path))


def said(page: dict[str, Any]) -> list[str]:
    return [message["content"] for message in page["messages"]]


def answered(result: dict[str, Any]) -> list[str]:
    return [question["answer"] for question in result["answers"]]


async def begun(server: Server) -> None:
    """A call that was sent before is under way by now: one over another connection cannot overtake it."""
    agent = server.agent("somebody")
    for _ in range(3):
        await agent.calls("read_notes")
    await agent.client.aclose()


async def alice_says(server: Server, content: str) -> None:
    agent = server.agent("alice")
    await agent.calls("add_message", content=content)
    await agent.client.aclose()


async def boss_answers(server: Server, question_id: str, answer: str) -> None:
    agent = server.agent("boss")
    await agent.calls("submit_answers", answers={question_id: answer})
    await agent.client.aclose()


@REVISIONS
@pytest.mark.parametrize("leaving", [SocketAgent.hangs_up, SocketAgent.breaks_off])
async def test_an_answer_is_not_swallowed_by_a_wait_that_was_given_up(
    server: Server, leaving: Any, handshake: bool
) -> None:
    bob = SocketAgent(server, handshake=handshake)
    question = await asyncio.to_thread(bob.calls, "add_question", question="Which one?")
    bob.sends("wait_for_answers", timeout_seconds=50)
    await begun(server)

    leaving(bob)
    await boss_answers(server, question["question"]["id"], "the left one")

    again = bob.again()
    result = await asyncio.to_thread(again.calls, "wait_for_answers", timeout_seconds=20)
    assert answered(result) == ["the left one"]
    again.hangs_up()


@REVISIONS
@pytest.mark.parametrize("tool", ["wait_for_messages", "get_messages"])
async def test_messages_in_an_answer_that_nobody_read_come_again(server: Server, tool: str, handshake: bool) -> None:
    bob = SocketAgent(server, handshake=handshake)
    await alice_says(server, "important")
    bob.sends(tool)
    await asyncio.to_thread(bob.sees_answer)

    bob.breaks_off()

    again = bob.again()
    result = await asyncio.to_thread(again.calls, "read_notes")
    page = await asyncio.to_thread(again.calls, "wait_for_messages", timeout_seconds=20)
    assert (result["inbox"]["messages"], said(page)) == (1, ["important"])
    again.hangs_up()


@REVISIONS
async def test_an_answer_in_a_result_that_nobody_read_comes_again(server: Server, handshake: bool) -> None:
    bob = SocketAgent(server, handshake=handshake)
    question = await asyncio.to_thread(bob.calls, "add_question", question="Which one?")
    await boss_answers(server, question["question"]["id"], "the left one")
    bob.sends("wait_for_answers", timeout_seconds=20)
    await asyncio.to_thread(bob.sees_answer)

    bob.breaks_off()

    again = bob.again()
    first = await asyncio.to_thread(again.calls, "wait_for_answers", timeout_seconds=20)
    second = await asyncio.to_thread(again.calls, "wait_for_answers", timeout_seconds=0)
    assert (answered(first), answered(second)) == (["the left one"], [])
    again.hangs_up()


@REVISIONS
async def test_what_was_read_does_not_come_again_over_another_socket(server: Server, handshake: bool) -> None:
    await alice_says(server, "important")
    bob = SocketAgent(server, handshake=handshake)
    first = await asyncio.to_thread(bob.calls, "wait_for_messages", timeout_seconds=20)
    bob.hangs_up()

    again = bob.again()
    second = await asyncio.to_thread(again.calls, "wait_for_messages", timeout_seconds=0)

    assert (said(first), said(second)) == (["important"], [])
    again.hangs_up()


async def test_another_connection_of_the_same_name_confirms_nothing(server: Server) -> None:
    await alice_says(server, "important")
    window, other = SocketAgent(server, handshake=True), SocketAgent(server, handshake=True)
    await asyncio.to_thread(window.calls, "wait_for_messages", timeout_seconds=20)

    await asyncio.to_thread(other.calls, "read_notes")

    page = await asyncio.to_thread(other.calls, "wait_for_messages", timeout_seconds=0)
    assert said(page) == ["important"]
    for caller in (window, other):
        caller.hangs_up()


async def test_what_got_lost_in_one_process_comes_from_another(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    here, there = (processes.serve(place_of(store, tmp_path)) for _ in range(2))
    session = await shared_session(here)
    bob = SocketAgent(here, session)
    await says_in(session, there)
    bob.sends("wait_for_messages", timeout_seconds=20)
    await asyncio.to_thread(bob.sees_answer)

    bob.breaks_off()

    again = SocketAgent(there, session)
    page = await asyncio.to_thread(again.calls, "wait_for_messages", timeout_seconds=20)
    assert said(page) == ["important"]
    again.hangs_up()


async def test_what_a_server_has_sent_as_it_stops_comes_again_from_another(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    """It ends the connection itself, so it cannot know whether the answer was read."""
    here, there = (processes.serve(place_of(store, tmp_path)) for _ in range(2))
    session = await shared_session(here)
    bob = SocketAgent(here, session)
    await says_in(session, there)
    bob.sends("wait_for_messages", timeout_seconds=20)
    await asyncio.to_thread(bob.sees_answer)

    here.signal(signal.SIGTERM)
    await here.ends()
    bob.breaks_off()

    again = SocketAgent(there, session)
    page = await asyncio.to_thread(again.calls, "wait_for_messages", timeout_seconds=20)
    assert said(page) == ["important"]
    again.hangs_up()


async def test_what_was_read_in_one_process_is_known_to_another_soon(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    here, there = (processes.serve(place_of(store, tmp_path)) for _ in range(2))
    session = await shared_session(here)
    bob = SocketAgent(here, session)
    await says_in(session, here)
    await asyncio.to_thread(bob.calls, "get_messages")

    agent = there.agent("bob", session)
    async with asyncio.timeout(40):
        while "inbox" in await agent.calls("read_notes"):
            continue

    page = await agent.calls("wait_for_messages", timeout_seconds=0)
    assert said(page) == []
    bob.hangs_up()
    await agent.client.aclose()


async def test_over_stdio_the_next_call_confirms_the_one_before(processes: Processes, embedded: dict[str, str]) -> None:
    bob, alice = (processes.stdio({**embedded, "agent": name}) for name in ("bob", "alice"))
    for client in (bob, alice):
        await client.opens()
    await alice.calls("add_message", content="important")

    pages = [said(await bob.calls("wait_for_messages", timeout_seconds=seconds)) for seconds in (20, 0)]

    assert pages == [["important"], []]


async def shared_session(server: Server) -> str:
    agent = server.agent("orchestrator")
    created = await agent.calls("create_session")
    await agent.client.aclose()
    return str(created["session_id"])


async def says_in(session: str, server: Server) -> None:
    agent: Agent = server.agent("alice", session)
    await agent.calls("add_message", content="important")
    await agent.client.aclose()
