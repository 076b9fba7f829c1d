"""Waiting for answers: woken by the first end of a question, from whichever process, and never longer than asked."""

import asyncio
from typing import Any

import pytest

from longtable.kernel.clock import MINUTE, SECOND
from tests.spec.test_questions import asks
from tests.table import Agent, Refused, Table, open_table

pytestmark = pytest.mark.slow


async def begins_to_wait(table: Table, agent: Agent, **arguments: Any) -> "asyncio.Task[dict[str, Any]]":
    """A wait that has really begun: the server listens for it."""
    waiting = asyncio.create_task(agent.calls("wait_for_answers", **arguments))
    async with asyncio.timeout(40):
        while not table.app.wakeups.anyone_waiting:
            await agent.calls("get_pending_questions")
    return waiting


async def test_a_waiting_agent_is_woken_by_the_answer(table: Table, alice: Agent, bob: Agent) -> None:
    for n in range(2):
        await asks(alice, f"question {n}")
    waiting = await begins_to_wait(table, alice, question_ids=["q1", "q2"])

    await bob.calls("submit_answers", answers={"q2": "yes"})

    result = await asyncio.wait_for(waiting, 40)
    assert [(answer["id"], answer["answer"]) for answer in result["answers"]] == [("q2", "yes")]
    assert (result["still_pending"], result["expired_or_withdrawn"]) == (["q1"], [])


async def test_an_answer_that_is_there_already_returns_at_once(alice: Agent, bob: Agent) -> None:
    for n in range(2):
        await asks(alice, f"question {n}")
    await bob.calls("submit_answers", answers={"q1": "yes"})

    result = await asyncio.wait_for(alice.calls("wait_for_answers", question_ids=["q2", "q1"], timeout_seconds=50), 40)

    assert [answer["id"] for answer in result["answers"]] == ["q1"]
    assert result["still_pending"] == ["q2"]


@pytest.mark.in_process("what was shown is confirmed at the server that showed it")
async def test_without_ids_an_agent_waits_for_its_own_pending_questions(table: Table, alice: Agent, bob: Agent) -> None:
    await asks(alice, "answered and read before")
    await bob.calls("submit_answers", answers={"q1": "old"})
    await alice.calls("get_answered_questions")
    await asks(bob, "of another")
    await asks(alice, "mine")
    waiting = await begins_to_wait(table, alice)

    await alice.calls("submit_answers", answers={"q2": "not hers"})
    assert not waiting.done()
    await bob.calls("submit_answers", answers={"q3": "hers"})

    result = await asyncio.wait_for(waiting, 40)
    assert [answer["answer"] for answer in result["answers"]] == ["hers"]
    assert result["still_pending"] == []


@pytest.mark.in_process("what was shown is confirmed at the server that showed it")
async def test_without_ids_an_answer_that_came_before_the_wait_is_not_passed_over(alice: Agent, bob: Agent) -> None:
    for n in range(2):
        await asks(alice, f"question {n}")
    await bob.calls("submit_answers", answers={"q1": "early"})

    first = await asyncio.wait_for(alice.calls("wait_for_answers", timeout_seconds=50), 40)
    second = await alice.calls("wait_for_answers", timeout_seconds=0)

    assert ([answer["answer"] for answer in first["answers"]], first["still_pending"]) == (["early"], ["q2"])
    assert (second["answers"], second["still_pending"]) == ([], ["q2"])


async def test_to_be_shown_a_later_answer_does_not_hide_an_earlier_one(alice: Agent, bob: Agent) -> None:
    for n in range(3):
        await asks(alice, f"question {n}")
    await bob.calls("submit_answers", answers={"q1": "first", "q2": "with it"})
    await bob.calls("submit_answers", answers={"q3": "last"})

    for named in (["q3"], ["q1"]):
        await alice.calls("wait_for_answers", question_ids=named)
    rest = await alice.calls("wait_for_answers", timeout_seconds=0)

    assert "with it" in [answer["answer"] for answer in rest["answers"]]
    assert "inbox" not in await alice.calls("get_answered_questions")


async def test_who_has_asked_nothing_waits_for_nothing(alice: Agent) -> None:
    result = await asyncio.wait_for(alice.calls("wait_for_answers", timeout_seconds=50), 40)

    assert (result["answers"], result["still_pending"], result["expired_or_withdrawn"]) == ([], [], [])


async def test_a_wait_that_brings_nothing_is_a_normal_result(alice: Agent) -> None:
    await asks(alice)

    results = [await alice.calls("wait_for_answers", timeout_seconds=seconds) for seconds in (0, 0.05)]

    assert [(result["ok"], result["answers"], result["still_pending"]) for result in results] == [
        (True, [], ["q1"])
    ] * 2


async def test_a_withdrawal_ends_the_wait(table: Table, alice: Agent, bob: Agent) -> None:
    await asks(alice)
    waiting = await begins_to_wait(table, bob, question_ids=["q1"])

    await alice.calls("withdraw_question", question_id="q1")

    result = await asyncio.wait_for(waiting, 40)
    assert (result["answers"], result["still_pending"], result["expired_or_withdrawn"]) == ([], [], ["q1"])


async def test_an_expiry_ends_the_wait(table: Table, alice: Agent) -> None:
    await asks(alice, expires_in=60)
    await asks(alice, "without an end")
    table.clock.ahead = MINUTE - SECOND // 4

    waiting = alice.calls("wait_for_answers", question_ids=["q1", "q2"], timeout_seconds=50)
    result = await asyncio.wait_for(waiting, 40)

    assert (result["still_pending"], result["expired_or_withdrawn"]) == (["q2"], ["q1"])


@pytest.mark.parametrize(
    ("arguments", "code", "field"),
    [
        ({"question_ids": ["q2"]}, "NOT_FOUND", "question_ids.0: there is no question 'q2'"),
        ({"question_ids": ["q1", "nonsense"]}, "NOT_FOUND", "question_ids.1: there is no question 'nonsense'"),
        ({"question_ids": []}, "INVALID_ARGUMENT", "question_ids"),
        ({"question_ids": "q1"}, "INVALID_ARGUMENT", "question_ids"),
        ({"question_ids": [1]}, "INVALID_ARGUMENT", "question_ids.0"),
        ({"question_ids": ["q1"] * 1_001}, "CAPACITY_LIMIT_REACHED", "question_ids"),
        ({"timeout_seconds": -1}, "INVALID_ARGUMENT", "timeout_seconds"),
        ({"timeout_seconds": 51}, "INVALID_ARGUMENT", "timeout_seconds"),
    ],
)
async def test_a_bad_wait_is_refused_by_the_name_of_its_field(
    alice: Agent, arguments: dict[str, Any], code: str, field: str
) -> None:
    await asks(alice)

    with pytest.raises(Refused) as refusal:
        await alice.calls("wait_for_answers", **arguments)

    assert refusal.value.code == code
    assert field in str(refusal.value)


async def test_the_same_id_twice_is_one_question(alice: Agent) -> None:
    await asks(alice)

    result = await alice.calls("wait_for_answers", question_ids=["q1", "q1"], timeout_seconds=0)

    assert result["still_pending"] == ["q1"]


async def test_twenty_waits_at_once_all_get_the_answer(table: Table, alice: Agent, bob: Agent) -> None:
    await asks(alice)
    await begins_to_wait(table, alice)
    waiting = [asyncio.create_task(alice.calls("wait_for_answers", question_ids=["q1"])) for _ in range(20)]

    await bob.calls("submit_answers", answers={"q1": "yes"})

    results = await asyncio.wait_for(asyncio.gather(*waiting), 40)
    assert [result["answers"][0]["answer"] for result in results] == ["yes"] * 20


async def test_an_answer_given_to_another_process_on_the_same_store_wakes_the_waiter(store: Any, tmp_path: Any) -> None:
    async with open_table(store, tmp_path) as here, open_table(store, tmp_path) as there:
        session = await here.session("sess_one")
        alice, boss = here.agent("alice", session), there.agent("boss", session)
        await asks(alice)
        waiting = await begins_to_wait(here, alice)

        await boss.calls("submit_answers", answers={"q1": "from the other side"})

        result = await asyncio.wait_for(waiting, 40)
        assert [answer["answer"] for answer in result["answers"]] == ["from the other side"]


@pytest.mark.in_process("stops the server from inside")
async def test_a_wait_cut_off_by_a_restart_gets_its_answer_when_called_again(store: Any, tmp_path: Any) -> None:
    async with open_table(store, tmp_path) as table:
        alice = table.agent("alice", await table.session("sess_one"))
        await asks(alice)
        waiting = await begins_to_wait(table, alice, question_ids=["q1"], timeout_seconds=50)
        table.app.wakeups.close()
        cut_off = await asyncio.wait_for(waiting, 40)

    async with open_table(store, tmp_path) as table:
        await table.agent("boss", "sess_one").calls("submit_answers", answers={"q1": "meanwhile"})
    async with open_table(store, tmp_path) as table:
        again = await table.agent("alice", "sess_one").calls("wait_for_answers", question_ids=["q1"])

    assert (cut_off["answers"], cut_off["still_pending"]) == ([], ["q1"])
    assert [answer["answer"] for answer in again["answers"]] == ["meanwhile"]
