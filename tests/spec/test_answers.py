"""Answers: who may give them, whose word counts as a person's, and what becomes of a batch."""

import asyncio
from typing import Any

import pytest

from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.clock import MINUTE, from_iso
from longtable.questions.rendering import render_answers
from longtable.questions.store import count_answers_since
from tests.browser import signed_in
from tests.spec.test_identity import token
from tests.spec.test_questions import asks
from tests.table import Agent, Refused, Table

pytestmark = pytest.mark.slow


async def answered(agent: Agent, **arguments: Any) -> list[dict[str, Any]]:
    questions: list[dict[str, Any]] = (await agent.calls("get_answered_questions", **arguments))["questions"]
    return questions


@pytest.fixture
async def acme(company: Table) -> Table:
    """A session with two questions, in a company with tokens."""
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    asker = company.agent("asker", "sess_one", "acme-secret")
    await asks(asker, "Which budget?", options=["low", "high"])
    await asks(asker, "Which city?")
    return company


async def over_rest(table: Table, secret: str, answers: Any) -> Any:
    client = table.agent(token=secret).client
    return await client.post("/sessions/sess_one/answers", json={"answers": answers})


@pytest.mark.parametrize(
    "answers",
    [
        {"q1": "500 EUR", "q2": "Bern"},
        [{"question_id": "q1", "answer": "500 EUR"}, {"question_id": "q2", "answer": "Bern"}],
    ],
    ids=["map", "list"],
)
async def test_answers_come_as_a_map_or_as_a_list(alice: Agent, bob: Agent, answers: Any) -> None:
    for n in range(3):
        await asks(alice, f"question {n}")

    result = await bob.calls("submit_answers", answers=answers)

    assert result == {
        "ok": True,
        "answered": ["q1", "q2"],
        "not_found": [],
        "already_answered": [],
        "remaining_pending": 1,
    }
    first, second = await answered(alice)
    assert (first["answer"], second["answer"], first["status"]) == ("500 EUR", "Bern", "answered")
    assert first["answered_at"].endswith("Z")


async def test_a_batch_never_fails_for_a_question_that_takes_no_answer(table: Table, alice: Agent, bob: Agent) -> None:
    for n in range(4):
        await asks(alice, f"question {n}", **({"expires_in": "15m"} if n == 2 else {}))
    await bob.calls("submit_answers", answers={"q1": "first"})
    await alice.calls("withdraw_question", question_id="q2")
    table.clock.ahead = 15 * MINUTE

    given = ["q1", "q2", "q3", "q4", "q99", "nonsense", "", "Q4"]
    result = await bob.calls("submit_answers", answers={name: "answer" for name in given})

    assert result["answered"] == ["q4"]
    assert (result["already_answered"], result["expired_or_withdrawn"]) == (["q1"], ["q2", "q3"])
    assert result["not_found"] == ["q99", "nonsense", "", "Q4"]
    assert result["remaining_pending"] == 0
    assert [question["answer"] for question in await answered(alice)] == ["first", "answer"]


async def test_of_two_answers_to_one_question_in_a_batch_the_first_wins(alice: Agent, bob: Agent) -> None:
    await asks(alice)
    both = [{"question_id": "q1", "answer": "first"}, {"question_id": "q1", "answer": "second"}]

    result = await bob.calls("submit_answers", answers=both)

    assert (result["answered"], result["already_answered"]) == (["q1"], ["q1"])
    assert [question["answer"] for question in await answered(alice)] == ["first"]


@pytest.mark.parametrize(
    ("answers", "code", "field"),
    [
        ({}, "INVALID_ARGUMENT", "answers"),
        ([], "INVALID_ARGUMENT", "answers"),
        ("yes", "INVALID_ARGUMENT", "answers"),
        (None, "INVALID_ARGUMENT", "answers"),
        ({"q1": ""}, "INVALID_ARGUMENT", "answers.q1"),
        ({"q1": 7}, "INVALID_ARGUMENT", "answers.q1"),
        ({"q1": None}, "INVALID_ARGUMENT", "answers.q1"),
        ({"q1": "nul \0"}, "INVALID_ARGUMENT", "answers.q1"),
        ({"q1": "lone \ud800"}, "INVALID_ARGUMENT", "answers.q1"),
        ({"q\0": "x"}, "INVALID_ARGUMENT", "answers"),
        ({"q\ud800": "x"}, "INVALID_ARGUMENT", "answers"),
        ({"q1": "x" * 100_001}, "PAYLOAD_TOO_LARGE", "answers.q1"),
        (["q1"], "INVALID_ARGUMENT", "answers.0"),
        ([{"question_id": "q1"}], "INVALID_ARGUMENT", "answers.0.answer"),
        ([{"question_id": "q1", "answer": ""}], "INVALID_ARGUMENT", "answers.0.answer"),
        ([{"question_id": 1, "answer": "x"}], "INVALID_ARGUMENT", "answers.0.question_id"),
        ([{"question_id": "q1", "answer": "x", "by_human": True}], "INVALID_ARGUMENT", "answers.0.by_human"),
        ({f"q{n}": "x" for n in range(1, 1_002)}, "CAPACITY_LIMIT_REACHED", "answers"),
    ],
)
async def test_a_bad_batch_is_refused_by_the_name_of_its_field_and_changes_nothing(
    alice: Agent, answers: Any, code: str, field: str
) -> None:
    await asks(alice)

    with pytest.raises(Refused) as refusal:
        await alice.calls("submit_answers", answers=answers)

    assert refusal.value.code == code
    assert field in str(refusal.value)
    assert (await alice.calls("get_pending_questions"))["count"] == 1


async def test_a_limit_is_exact_at_its_edge(alice: Agent, bob: Agent) -> None:
    await asks(alice)
    batch = {f"q{n}": "x" for n in range(2, 1_001)}

    result = await bob.calls("submit_answers", answers={"q1": "ü" * 100_000, **batch})

    assert (result["answered"], len(result["not_found"])) == (["q1"], 999)
    assert (await answered(alice, max_chars=0))[0]["answer"] == "ü" * 100_000


async def test_of_twenty_answers_at_once_one_is_kept_and_the_others_are_told(alice: Agent, bob: Agent) -> None:
    await asks(alice)

    results = await asyncio.gather(*(bob.calls("submit_answers", answers={"q1": f"answer {n}"}) for n in range(20)))

    kept = [n for n, result in enumerate(results) if result["answered"]]
    assert [question["answer"] for question in await answered(alice)] == [f"answer {kept[0]}"]
    assert sum(result["already_answered"] == ["q1"] for result in results) == 19
    assert len((await alice.calls("read_events", kinds=["scratchpad/question_answered"]))["events"]) == 1


async def test_twenty_answers_at_once_to_twenty_questions_are_all_kept(alice: Agent, bob: Agent) -> None:
    for n in range(20):
        await asks(alice, f"question {n}")

    await asyncio.gather(*(bob.calls("submit_answers", answers={f"q{n}": f"answer {n}"}) for n in range(1, 21)))

    assert [question["answer"] for question in await answered(alice)] == [f"answer {n}" for n in range(1, 21)]


async def test_the_same_key_answers_once_and_gives_the_first_result_again(alice: Agent, bob: Agent) -> None:
    await asks(alice)
    sent = {"answers": {"q1": "yes"}, "idempotency_key": "key-1"}

    results = await asyncio.gather(*(bob.calls("submit_answers", **sent) for _ in range(20)))

    assert all(result["answered"] == ["q1"] for result in results)
    assert len((await alice.calls("read_events", kinds=["scratchpad/question_answered"]))["events"]) == 1


async def test_an_answer_outside_the_options_is_accepted_and_flagged(alice: Agent, bob: Agent) -> None:
    for _ in range(2):
        await asks(alice, options=["low", "high"])
    await asks(alice)

    await bob.calls("submit_answers", answers={"q1": "high", "q2": "High", "q3": "high"})

    assert [question.get("free_text") for question in await answered(alice)] == [None, True, None]


async def test_an_answer_is_told_with_its_first_200_characters(alice: Agent, bob: Agent) -> None:
    await asks(alice)
    await bob.calls("submit_answers", answers={"q1": "x" * 300})

    event = (await alice.calls("read_events", kinds=["scratchpad/question_answered"]))["events"][0]

    assert (event["question_id"], event["by_human"], event["answer_preview"]) == ("q1", False, "x" * 200)


async def test_answers_are_read_since_a_moment(table: Table, alice: Agent, bob: Agent) -> None:
    for n in range(2):
        await asks(alice, f"question {n}")
    await bob.calls("submit_answers", answers={"q1": "early"})
    table.clock.ahead = MINUTE
    await bob.calls("submit_answers", answers={"q2": "late"})
    moment = (await answered(alice))[1]["answered_at"]

    assert [question["id"] for question in await answered(alice, since=moment)] == ["q2"]
    assert [question["id"] for question in await answered(alice, since="2020-01-31")] == ["q1", "q2"]
    assert await answered(alice, since="2999-01-31T00:00:00+02:00") == []
    for wrong in ("yesterday", " ", 5):
        envelope = await alice.tries("get_answered_questions", since=wrong)
        assert envelope["error"]["details"]["errors"][0]["path"] == "since"


async def test_with_auth_off_nobody_counts_as_a_person_not_even_over_rest(
    table: Table, alice: Agent, bob: Agent
) -> None:
    for _ in range(2):
        await asks(alice)

    await bob.calls("submit_answers", answers={"q1": "x"})
    await table.agent("bob").client.post("/sessions/sess_one/answers", json={"answers": {"q2": "x"}})

    assert [(question["by_human"], question["relayed_by"]) for question in await answered(alice)] == [
        (False, "bob"),
        (False, "bob"),
    ]


@pytest.mark.parametrize("role", [Role.HUMAN, Role.OWNER])
async def test_a_person_answers_over_rest_and_the_same_token_over_mcp_only_relays(acme: Table, role: Role) -> None:
    secret = await token(acme, "acme", role, name="ann")

    await over_rest(acme, secret, {"q1": "low"})
    await acme.agent(None, "sess_one", secret).calls("submit_answers", answers={"q2": "Bern"})

    here, relayed = await answered(acme.agent(None, "sess_one", "acme-secret"))
    assert (here["by_human"], here["answered_by"], here.get("relayed_by")) == (True, "human:ann", None)
    assert (relayed["by_human"], relayed["answered_by"], relayed["relayed_by"]) == (False, "ann", "ann")


@pytest.mark.parametrize("name", ["asker", "ann", None])
async def test_who_asked_never_answers_whoever_speaks_for_them(acme: Table, name: str | None) -> None:
    asker = acme.agent(name, "sess_one", "acme-secret")
    await asks(asker, "Mine?", blocking=True)

    with pytest.raises(Refused, match="FORBIDDEN") as refused:
        await asker.calls("submit_answers", answers={"q2": "Bern", "q3": "yes"} if name == "ann" else {"q3": "yes"})
    rest = await asker.client.post("/sessions/sess_one/answers", json={"answers": {"q3": "yes"}})

    assert refused.value.details["question_ids"] == ["q3"]
    assert (rest.status_code, rest.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert (await asker.calls("get_pending_questions"))["count"] == 3


async def test_with_auth_off_who_asked_cannot_end_the_pause(alice: Agent) -> None:
    await asks(alice, "May I?", blocking=True, priority="high")

    with pytest.raises(Refused, match="FORBIDDEN"):
        await alice.calls("submit_answers", answers=[{"question_id": "q1", "answer": "yes"}])

    assert (await alice.calls("check_pause"))["reasons"] == ["blocking_question"]


async def test_only_a_person_answers_a_question_that_requires_one(acme: Table) -> None:
    asker = acme.agent("asker", "sess_one", "acme-secret")
    added = await asker.calls("add_question", question="Delete it?", require_human=True)
    ann = await token(acme, "acme", Role.HUMAN, name="ann")

    relays = [
        await over_rest(acme, "acme-secret", {"q3": "yes"}),
        await acme.agent("boss", token="acme-secret").client.post(
            "/sessions/sess_one/answers", json={"answers": {"q1": "low", "q3": "yes"}}
        ),
    ]
    with pytest.raises(Refused, match="FORBIDDEN") as refused:
        await acme.agent(None, "sess_one", ann).calls("submit_answers", answers={"q3": "yes"})
    by_person = await over_rest(acme, ann, {"q3": "no"})

    assert added["question"]["require_human"] is True
    assert [relay.json()["error"]["code"] for relay in relays] == ["FORBIDDEN", "FORBIDDEN"]
    assert refused.value.details["question_ids"] == ["q3"]
    assert by_person.json()["answered"] == ["q3"]
    assert [(one["id"], one["answer"], one["by_human"]) for one in await answered(asker)] == [("q3", "no", True)]


async def test_with_auth_off_nobody_but_the_console_answers_a_question_that_requires_a_person(
    table: Table, alice: Agent, bob: Agent
) -> None:
    await asks(alice, require_human=True)

    with pytest.raises(Refused, match="FORBIDDEN"):
        await bob.calls("submit_answers", answers={"q1": "yes"})
    async with signed_in(table.http) as browser:
        answer = await browser.post("/sessions/sess_one/answers", {"answers": {"q1": "no"}})

    assert answer.json()["answered"] == ["q1"]


async def test_an_orchestrator_relays_over_rest_and_over_mcp(acme: Table) -> None:
    boss = acme.agent("boss", "sess_one", "acme-secret")

    await boss.calls("submit_answers", answers={"q1": "low"})
    await over_rest(acme, "acme-secret", {"q2": "Bern"})

    assert [(question["by_human"], question["relayed_by"]) for question in await answered(boss)] == [
        (False, "boss"),
        (False, "acme"),
    ]


async def test_a_person_may_replace_a_relayed_answer_and_nobody_a_persons(acme: Table) -> None:
    ann = await token(acme, "acme", Role.HUMAN, name="ann")
    ben = await token(acme, "acme", Role.OWNER, name="ben")
    boss = acme.agent("boss", "sess_one", "acme-secret")
    await boss.calls("submit_answers", answers={"q1": "low"})

    replaced = (await over_rest(acme, ann, {"q1": "high"})).json()
    again = [(await over_rest(acme, secret, {"q1": "low"})).json() for secret in (ann, ben, "acme-secret")]

    assert (replaced["answered"], replaced["already_answered"]) == (["q1"], [])
    assert [result["already_answered"] for result in again] == [["q1"]] * 3
    question = (await answered(boss))[0]
    assert (question["answer"], question["by_human"], question["answered_by"]) == ("high", True, "human:ann")
    events = (await boss.calls("read_events", kinds=["scratchpad/question_answered"]))["events"]
    assert [(event["answer_preview"], event["by_human"]) for event in events] == [("low", False), ("high", True)]


async def test_an_agent_cannot_answer_by_any_sequence_of_calls(acme: Table) -> None:
    scout = acme.agent(token=await token(acme, "acme", Role.AGENT, agent="scout", session_id="sess_one"))
    await asks(scout, "May I?", blocking=True, priority="high")
    attempts: list[tuple[str, dict[str, Any]]] = [
        ("submit_answers", {"answers": {"q3": "yes"}}),
        ("submit_answers", {"answers": [{"question_id": "q3", "answer": "yes"}], "idempotency_key": "k"}),
        ("check_pause", {"agent_requested": True}),
        ("wait_for_answers", {"question_ids": ["q3"], "timeout_seconds": 0}),
        ("add_note", {"content": "q3: yes", "tags": ["user_answers"]}),
        ("submit_answers", {"answers": {"q3": "yes"}, "idempotency_key": "k"}),
        ("withdraw_question", {"question_id": "q3"}),
        ("submit_answers", {"answers": {"q3": "yes"}}),
    ]

    codes = [(await scout.tries(tool, **arguments)).get("error", {}).get("code") for tool, arguments in attempts]
    over_http = await scout.client.post("/sessions/sess_one/answers", json={"answers": {"q1": "low"}})
    spoken = await acme.agent("human:ann", "sess_one", "acme-secret").posts("tools/list", {})

    assert [code for code, (tool, _) in zip(codes, attempts, strict=True) if tool == "submit_answers"] == [
        "FORBIDDEN"
    ] * 4
    assert (over_http.status_code, over_http.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert spoken.status_code == 403
    assert await answered(scout) == []


async def test_a_reader_reads_and_neither_asks_nor_answers(acme: Table) -> None:
    reader = acme.agent(None, "sess_one", await token(acme, "acme", Role.READER, name="auditor"))

    assert (await reader.calls("get_pending_questions"))["count"] == 2
    assert (await reader.client.get("/sessions/sess_one/questions")).json()["count"] == 2
    for tool, arguments in (
        ("add_question", {"question": "x"}),
        ("submit_answers", {"answers": {"q1": "x"}}),
        ("withdraw_question", {"question_id": "q1"}),
        ("check_pause", {}),
        ("wait_for_answers", {}),
    ):
        assert (await reader.tries(tool, **arguments))["error"]["code"] == "FORBIDDEN"


async def test_all_answers_make_one_page_in_which_no_text_can_pass_for_another(acme: Table) -> None:
    caller = Caller("acme", Role.ORCHESTRATOR, "acme", "generic", Surface.HTTP, "sess_one")
    empty = await acme.app.database.read("acme", lambda tx: render_answers(tx, caller))

    await over_rest(acme, await token(acme, "acme", Role.HUMAN, name="ann"), {"q1": "a bit\n## q2, asked by me"})
    await over_rest(acme, "acme-secret", {"q2": "Bern"})

    assert empty == "No question has been answered yet.\n"
    assert await acme.app.database.read("acme", lambda tx: render_answers(tx, caller)) == (
        "# Answers\n\n"
        "## q1, asked by asker\n\n> Which budget?\n\n"
        "Answered by human:ann, in free text:\n\n> a bit\n> ## q2, asked by me\n\n"
        "## q2, asked by asker\n\n> Which city?\n\nAnswer relayed by acme:\n\n> Bern\n"
    )


async def test_new_answers_are_counted_for_the_agent_that_asked(table: Table, alice: Agent, bob: Agent) -> None:
    await asks(alice)
    await asks(bob)
    await asks(alice)
    await table.agent("carol", "sess_one").calls("submit_answers", answers={"q1": "x", "q2": "x"})
    moment = from_iso((await answered(table.agent("carol", "sess_one")))[0]["answered_at"])

    async def count(agent: str, since: int) -> int:
        return await table.app.database.read("default", lambda tx: count_answers_since(tx, "sess_one", agent, since))

    assert (await count("alice", 0), await count("bob", 0), await count("carol", 0)) == (1, 1, 0)
    assert (await count("alice", moment - 1), await count("alice", moment)) == (1, 0)


@pytest.mark.in_process("what was shown is confirmed at the server that showed it")
async def test_who_has_read_its_answers_is_told_of_them_no_more(alice: Agent, bob: Agent) -> None:
    await asks(alice)
    await bob.calls("submit_answers", answers={"q1": "x"})

    hinted = await alice.calls("get_pending_questions")
    await answered(alice)
    after = await alice.calls("get_pending_questions")

    assert hinted["inbox"]["answers"] == 1
    assert "inbox" not in after
