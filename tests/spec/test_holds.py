"""Answers and decisions that can be undone: held by the server, told to nobody, done when their time has come."""

import json
from typing import Any

import httpx2
import pytest

from longtable.kernel.clock import SECOND
from tests.table import Agent, Table, person

ACME = "acme-secret"
ANSWERS = "/sessions/sess_one/answers"


@pytest.fixture
async def ada(company: Table) -> Agent:
    await company.agent(token=ACME).calls("create_session", session_id="sess_one")
    ada = company.agent("ada", "sess_one", ACME)
    await ada.calls("add_question", question="Which colour?")
    return ada


async def answers(people: httpx2.AsyncClient, text: str = "red", seconds: int = 60) -> dict[str, Any]:
    answer = await people.post(ANSWERS, json={"answers": {"q1": text}, "hold_seconds": seconds})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def time_passes(company: Table, seconds: int) -> None:
    company.clock.ahead = seconds * SECOND
    await company.app.holds.release_due()


async def test_a_held_answer_reaches_nobody_until_its_time_has_come(company: Table, ada: Agent) -> None:
    people = await person(company)
    held = await answers(people)
    before = await ada.calls("wait_for_answers", timeout_seconds=0)
    events = json.dumps(await ada.calls("read_events"))

    await time_passes(company, 61)

    after = await ada.calls("wait_for_answers", timeout_seconds=0)
    assert (held["answered"], held["remaining_pending"], set(held["held"])) == ([], 1, {"hold_id", "until"})
    assert (before["answers"], before["still_pending"]) == ([], ["q1"])
    assert "question_answered" not in events
    assert [(one["answer"], one["answered_by"], one["by_human"]) for one in after["answers"]] == [
        ("red", "human:eva", True)
    ]
    assert (await people.get("/holds")).json()["holds"] == []


async def test_an_undone_answer_reaches_nobody(company: Table, ada: Agent) -> None:
    people = await person(company)
    hold_id = (await answers(people))["held"]["hold_id"]
    listed = (await people.get("/holds")).json()["holds"]

    undone = await people.delete(f"/holds/{hold_id}")
    await time_passes(company, 61)

    assert [(each["hold_id"], each["operation"], each["held_by"]) for each in listed] == [
        (hold_id, "submit_answers", "human:eva")
    ]
    assert (undone.status_code, undone.json()["hold"]["arguments"]) == (200, {"answers": {"q1": "red"}})
    assert (await ada.calls("wait_for_answers", timeout_seconds=0))["still_pending"] == ["q1"]
    assert "question_answered" not in json.dumps(await ada.calls("read_events"))
    assert (await people.delete(f"/holds/{hold_id}")).status_code == 404


async def test_what_was_done_cannot_be_undone(company: Table, ada: Agent) -> None:
    people = await person(company)
    hold_id = (await answers(people))["held"]["hold_id"]

    company.clock.ahead = 61 * SECOND
    late = await people.delete(f"/holds/{hold_id}")
    await company.app.holds.release_due()

    assert (late.status_code, late.json()["error"]["code"]) == (404, "NOT_FOUND")
    assert len((await ada.calls("wait_for_answers", timeout_seconds=0))["answers"]) == 1


async def test_it_is_done_by_the_clock_without_anybody_asking(company: Table, ada: Agent) -> None:
    await answers(await person(company), seconds=1)

    awaited = await ada.calls("wait_for_answers", timeout_seconds=30)

    assert [one["answer"] for one in awaited["answers"]] == ["red"]


async def test_the_first_of_two_answers_counts(company: Table, ada: Agent) -> None:
    people = await person(company)
    await answers(people, "red")
    await people.post(ANSWERS, json={"answers": {"q1": "blue"}})

    await time_passes(company, 61)

    assert [one["answer"] for one in (await ada.calls("wait_for_answers", timeout_seconds=0))["answers"]] == ["blue"]
    assert (await people.get("/holds")).json()["count"] == 0


async def test_an_answer_is_not_held_unless_somebody_wants_it(company: Table, ada: Agent) -> None:
    answer = (await (await person(company)).post(ANSWERS, json={"answers": {"q1": "red"}})).json()

    assert (answer["answered"], "held" in answer) == (["q1"], False)


async def test_an_agent_cannot_have_anything_held_nor_see_it(company: Table, ada: Agent) -> None:
    await answers(await person(company))
    lead = company.agent("lead", "sess_one", ACME)

    refused = await lead.tries("submit_answers", answers={"q1": "red"}, hold_seconds=5)

    assert refused["error"]["code"] == "FORBIDDEN"
    assert (await company.agent("lead", token=ACME).client.get("/holds")).status_code == 403


@pytest.mark.parametrize("seconds", [-1, 301, "soon"])
async def test_a_time_that_makes_no_sense_is_refused(company: Table, ada: Agent, seconds: Any) -> None:
    sent = {"answers": {"q1": "red"}, "hold_seconds": seconds}

    answer = await (await person(company)).post(ANSWERS, json=sent)

    assert (answer.status_code, "hold_seconds" in answer.text) == (400, True)
