"""Questions: what an agent asks the people behind the session, and the one end that each question comes to."""

import asyncio
from typing import Any

import pytest

from longtable.kernel.clock import HOUR, MINUTE
from longtable.questions.jobs import expire_questions
from longtable.questions.store import purge
from longtable.storage.database import Transaction
from tests.table import Agent, Refused, Table, open_table


async def asks(agent: Agent, question: str = "Which budget?", **more: Any) -> str:
    result = await agent.calls("add_question", question=question, **more)
    question_id: str = result["question"]["id"]
    return question_id


async def listed(table: Table, **arguments: str) -> list[dict[str, Any]]:
    """All questions, as the orchestrator sees them over REST."""
    response = await table.agent().client.get("/sessions/sess_one/questions", params=arguments)
    questions: list[dict[str, Any]] = response.json()["questions"]
    return questions


async def statuses(table: Table) -> dict[str, str]:
    return {question["id"]: question["status"] for question in await listed(table)}


async def test_a_question_is_stamped_with_its_asker_and_its_number(alice: Agent) -> None:
    result = await alice.calls("add_question", question="Which budget?")

    question = result["question"]
    assert question.pop("asked_at").endswith("Z")
    assert question == {
        "id": "q1",
        "asked_by": "alice",
        "priority": "medium",
        "blocking": False,
        "status": "pending",
    }


async def test_what_was_asked_is_shown_as_it_was_given(alice: Agent, bob: Agent) -> None:
    given = {"context": "For\nthe plan", "priority": "high", "blocking": True, "options": ["low ", "high"]}
    await asks(alice, "Budget: ∞ €?", **given)

    question = (await bob.calls("get_pending_questions"))["questions"][0]

    assert {key: question[key] for key in given} == given
    assert question["question"] == "Budget: ∞ €?"


@pytest.mark.parametrize(
    ("arguments", "code", "field"),
    [
        ({}, "INVALID_ARGUMENT", "question"),
        ({"question": ""}, "INVALID_ARGUMENT", "question"),
        ({"question": 7}, "INVALID_ARGUMENT", "question"),
        ({"question": "nul \0"}, "INVALID_ARGUMENT", "question"),
        ({"question": "lone \ud800"}, "INVALID_ARGUMENT", "question"),
        ({"question": "x" * 10_001}, "PAYLOAD_TOO_LARGE", "question"),
        ({"question": "x", "context": "y" * 10_001}, "PAYLOAD_TOO_LARGE", "context"),
        ({"question": "x", "context": 1}, "INVALID_ARGUMENT", "context"),
        ({"question": "x", "priority": "urgent"}, "INVALID_ARGUMENT", "priority"),
        ({"question": "x", "blocking": "yes"}, "INVALID_ARGUMENT", "blocking"),
        ({"question": "x", "options": []}, "INVALID_ARGUMENT", "options"),
        ({"question": "x", "options": "a, b"}, "INVALID_ARGUMENT", "options"),
        ({"question": "x", "options": ["a", ""]}, "INVALID_ARGUMENT", "options.1"),
        ({"question": "x", "options": ["a", "a"]}, "INVALID_ARGUMENT", "options"),
        ({"question": "x", "options": ["y" * 1_001]}, "PAYLOAD_TOO_LARGE", "options.0"),
        ({"question": "x", "options": [str(n) for n in range(51)]}, "CAPACITY_LIMIT_REACHED", "options"),
        ({"question": "x", "options": ["a"] * 51}, "CAPACITY_LIMIT_REACHED", "options"),
        ({"question": "x", "expires_in": "soon"}, "INVALID_ARGUMENT", "expires_in"),
        ({"question": "x", "expires_in": 0}, "INVALID_ARGUMENT", "expires_in"),
        ({"question": "x", "expires_in": -5}, "INVALID_ARGUMENT", "expires_in"),
        ({"question": "x", "expires_in": 1.5}, "INVALID_ARGUMENT", "expires_in"),
        ({"question": "x", "expires_in": "3651d"}, "INVALID_ARGUMENT", "expires_in"),
        ({"question": "x", "asked_by": "mallory"}, "INVALID_ARGUMENT", "asked_by"),
        ({"question": "x", "idempotency_key": "k" * 129}, "INVALID_ARGUMENT", "idempotency_key"),
    ],
)
async def test_a_bad_question_is_refused_by_the_name_of_its_field_and_changes_nothing(
    alice: Agent, arguments: dict[str, Any], code: str, field: str
) -> None:
    before = await alice.calls("read_events")

    with pytest.raises(Refused) as refusal:
        await alice.calls("add_question", **arguments)

    assert refusal.value.code == code
    assert field in str(refusal.value)
    assert (await alice.calls("get_pending_questions"))["count"] == 0
    assert await alice.calls("read_events") == before


async def test_a_limit_is_exact_at_its_edge(alice: Agent) -> None:
    options = ["y" * 1_000, *(str(n) for n in range(49))]

    await asks(alice, "x" * 10_000, context="c" * 10_000, options=options, expires_in="3650d")

    question = (await alice.calls("get_pending_questions", max_chars=0))["questions"][0]
    assert (len(question["question"]), len(question["options"])) == (10_000, 50)


async def test_questions_asked_at_the_same_moment_are_all_kept_and_numbered_without_a_gap(
    alice: Agent, bob: Agent
) -> None:
    await asyncio.gather(*(asks((alice, bob)[n % 2], f"question {n}") for n in range(20)))

    pending = await alice.calls("get_pending_questions")

    assert [question["id"] for question in pending["questions"]] == [f"q{n}" for n in range(1, 21)]
    assert {question["question"] for question in pending["questions"]} == {f"question {n}" for n in range(20)}
    events = (await alice.calls("read_events", kinds=["scratchpad/question_added"]))["events"]
    assert sorted(event["question_id"] for event in events) == sorted(f"q{n}" for n in range(1, 21))


async def test_of_twenty_questions_at_once_no_more_than_the_limit_are_kept(store: Any, tmp_path: Any) -> None:
    async with open_table(store, tmp_path, max_questions="7") as table:
        alice = table.agent("alice", await table.session("sess_one"))

        results = await asyncio.gather(*(alice.tries("add_question", question=f"q {n}") for n in range(20)))

        codes = [result["error"]["code"] for result in results if not result["ok"]]
        assert codes == ["CAPACITY_LIMIT_REACHED"] * 13
        assert (await alice.calls("get_pending_questions"))["count"] == 7


async def test_the_same_key_asks_once(alice: Agent) -> None:
    results = await asyncio.gather(*(asks(alice, idempotency_key="key-1") for _ in range(20)))

    assert set(results) == {"q1"}
    assert (await alice.calls("get_pending_questions"))["count"] == 1


async def test_the_event_of_a_question_shows_its_first_200_characters(alice: Agent) -> None:
    await asks(alice, "x" * 300, priority="high", blocking=True)

    event = (await alice.calls("read_events", kinds=["scratchpad/*"]))["events"][0]

    assert event["kind"] == "scratchpad/question_added"
    assert event["question_preview"] == "x" * 200
    assert (event["question_id"], event["priority"], event["blocking"]) == ("q1", "high", True)


async def test_pending_questions_are_chosen_by_priority_and_by_whether_they_block(alice: Agent) -> None:
    await asks(alice, "one", priority="high", blocking=True)
    await asks(alice, "two", priority="high")
    await asks(alice, "three", priority="low")

    async def pending(**arguments: Any) -> tuple[list[str], int, bool]:
        found = await alice.calls("get_pending_questions", **arguments)
        return [question["id"] for question in found["questions"]], found["count"], found["has_blocking"]

    assert await pending() == (["q1", "q2", "q3"], 3, True)
    assert await pending(priority="high") == (["q1", "q2"], 2, True)
    assert await pending(blocking=False) == (["q2", "q3"], 2, False)
    assert await pending(priority="low", blocking=True) == ([], 0, False)


async def test_another_session_of_the_same_tenant_sees_none_of_them(table: Table, alice: Agent) -> None:
    await asks(alice)
    other = table.agent("alice", await table.session("sess_two"))

    assert (await other.calls("get_pending_questions"))["count"] == 0
    assert (await other.calls("submit_answers", answers={"q1": "ours"}))["not_found"] == ["q1"]
    with pytest.raises(Refused, match="NOT_FOUND"):
        await other.calls("withdraw_question", question_id="q1")


async def test_another_tenant_sees_none_of_them(company: Table) -> None:
    for tenant in ("acme", "rival"):
        await company.agent(token=f"{tenant}-secret").calls("create_session", session_id="sess_one")
    await asks(company.agent("a", "sess_one", "acme-secret"))
    rival = company.agent("a", "sess_one", "rival-secret")

    assert (await rival.calls("get_pending_questions"))["count"] == 0
    assert (await rival.calls("submit_answers", answers={"q1": "x"}))["not_found"] == ["q1"]


async def test_an_asker_withdraws_its_question_and_nobody_answers_it_any_more(alice: Agent, bob: Agent) -> None:
    await asks(alice)

    withdrawn = await alice.calls("withdraw_question", question_id="q1")
    late = await bob.calls("submit_answers", answers={"q1": "too late"})

    assert withdrawn["question"]["status"] == "withdrawn"
    assert (late["answered"], late["already_answered"], late["expired_or_withdrawn"]) == ([], [], ["q1"])
    events = (await alice.calls("read_events", kinds=["scratchpad/*"]))["events"]
    assert [(event["kind"], event["question_id"]) for event in events] == [
        ("scratchpad/question_added", "q1"),
        ("scratchpad/question_withdrawn", "q1"),
    ]


async def test_only_the_asker_may_withdraw(alice: Agent, bob: Agent) -> None:
    await asks(alice)

    with pytest.raises(Refused, match="FORBIDDEN"):
        await bob.calls("withdraw_question", question_id="q1")

    assert (await bob.calls("get_pending_questions"))["count"] == 1


@pytest.mark.parametrize("question_id", ["q2", "q0", "nonsense", "", "q99999999999999999999", "n1"])
async def test_what_was_never_asked_cannot_be_withdrawn(alice: Agent, question_id: str) -> None:
    await asks(alice)

    with pytest.raises(Refused, match="NOT_FOUND"):
        await alice.calls("withdraw_question", question_id=question_id)


async def test_what_has_come_to_its_end_cannot_be_withdrawn(table: Table, alice: Agent, bob: Agent) -> None:
    for n in range(3):
        await asks(alice, f"question {n}", expires_in="15m")
    await bob.calls("submit_answers", answers={"q1": "done"})
    await alice.calls("withdraw_question", question_id="q2")
    table.clock.ahead = 15 * MINUTE

    codes = [(await alice.tries("withdraw_question", question_id=f"q{n}"))["error"]["code"] for n in (1, 2, 3)]

    assert codes == ["ALREADY_ANSWERED", "CONFLICT", "CONFLICT"]


async def test_of_twenty_withdrawals_at_once_one_succeeds(alice: Agent) -> None:
    await asks(alice)

    results = await asyncio.gather(*(alice.tries("withdraw_question", question_id="q1") for _ in range(20)))

    assert sorted(result.get("error", {}).get("code", "SUCCESS") for result in results) == ["CONFLICT"] * 19 + [
        "SUCCESS"
    ]
    assert len((await alice.calls("read_events", kinds=["scratchpad/question_withdrawn"]))["events"]) == 1


@pytest.mark.parametrize(("given", "lasts"), [("15m", 15 * MINUTE), (900, 15 * MINUTE), ("2h", 2 * HOUR)])
async def test_a_question_expires_by_the_clock(table: Table, alice: Agent, given: str | int, lasts: int) -> None:
    question = (await alice.calls("add_question", question="Now?", expires_in=given))["question"]
    table.clock.ahead = lasts - MINUTE
    assert await statuses(table) == {"q1": "pending"}

    table.clock.ahead = lasts

    assert question["expires_at"].endswith("Z")
    assert await statuses(table) == {"q1": "expired"}
    assert (await alice.calls("get_pending_questions"))["count"] == 0
    late = await table.agent("boss", "sess_one").calls("submit_answers", answers={"q1": "too late"})
    assert (late["answered"], late["expired_or_withdrawn"], late["remaining_pending"]) == ([], ["q1"], 0)


async def test_over_rest_all_questions_are_listed_or_those_of_one_status(
    table: Table, alice: Agent, bob: Agent
) -> None:
    for n in range(4):
        await asks(alice, f"question {n}", **({"expires_in": 60} if n == 3 else {}))
    await bob.calls("submit_answers", answers={"q1": "yes"})
    await alice.calls("withdraw_question", question_id="q2")
    table.clock.ahead = 2 * MINUTE

    assert await statuses(table) == {"q1": "answered", "q2": "withdrawn", "q3": "pending", "q4": "expired"}
    for question_id, status in (await statuses(table)).items():
        assert [question["id"] for question in await listed(table, status=status)] == [question_id]


async def test_over_rest_questions_come_in_pages(table: Table, alice: Agent) -> None:
    for n in range(5):
        await asks(alice, f"question {n}")
    client = table.agent().client

    first = (await client.get("/sessions/sess_one/questions?limit=3")).json()
    second = (await client.get(f"/sessions/sess_one/questions?limit=3&cursor={first['next_cursor']}")).json()
    wrong = await client.get("/sessions/sess_one/questions?status=open")

    assert [q["id"] for page in (first, second) for q in page["questions"]] == ["q1", "q2", "q3", "q4", "q5"]
    assert (first["count"], second["count"], second["next_cursor"]) == (3, 2, None)
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, "INVALID_ARGUMENT")


async def test_over_rest_a_question_is_created(table: Table, session: str) -> None:
    response = await table.agent("alice").client.post(f"/sessions/{session}/questions", json={"question": "Why?"})

    assert (response.status_code, response.json()["question"]["asked_by"]) == (201, "alice")


async def test_a_closed_session_keeps_its_questions_and_takes_nothing_more(alice: Agent) -> None:
    await asks(alice)
    await alice.calls("close_session")

    for tool, arguments in (
        ("add_question", {"question": "more?"}),
        ("submit_answers", {"answers": {"q1": "x"}}),
        ("withdraw_question", {"question_id": "q1"}),
        ("check_pause", {}),
    ):
        assert (await alice.tries(tool, **arguments))["error"]["code"] == "SESSION_CLOSED"
    assert (await alice.calls("get_pending_questions"))["count"] == 1


@pytest.mark.parametrize("round_number", range(12))
async def test_racing_answers_expiry_and_withdrawal_leave_exactly_one_end(
    table: Table, alice: Agent, bob: Agent, round_number: int
) -> None:
    await asks(alice, expires_in=60)

    async def time_passes() -> None:
        for _ in range(round_number):
            await asyncio.sleep(0)
        table.clock.ahead = MINUTE

    attempts = [
        *(bob.tries("submit_answers", answers={"q1": f"answer {n}"}) for n in range(6)),
        *(alice.tries("withdraw_question", question_id="q1") for _ in range(3)),
        *(alice.tries("check_pause") for _ in range(2)),
    ]
    turned = attempts[round_number % 11 :] + attempts[: round_number % 11]
    results = await asyncio.gather(time_passes(), *turned)
    await expire_questions(table.app.ledger)

    events = [
        event["kind"].removeprefix("scratchpad/question_")
        for event in (await alice.calls("read_events", kinds=["scratchpad/*"]))["events"]
    ]
    answered = [result for result in results if result and result.get("answered")]
    withdrawn = [result for result in results if result and result.get("question")]
    end = (await statuses(table))["q1"]
    assert end in ("answered", "withdrawn", "expired")
    assert (len(answered), len(withdrawn)) == (int(end == "answered"), int(end == "withdrawn"))
    assert events == ["added", end]


async def test_a_purged_session_leaves_no_question_behind(table: Table, alice: Agent) -> None:
    await asks(alice)
    await alice.calls("check_pause", agent_requested=True)

    async def rows(tx: Transaction) -> list[int]:
        found = [await tx.first(f"SELECT COUNT(*) AS n FROM {name} WHERE tenant = :tenant") for name in tables]
        return [row["n"] for row in found if row is not None]

    tables = ("questions", "checkpoints")
    assert await table.app.database.read("default", rows) == [1, 1]
    await table.app.database.write("default", lambda tx: purge(tx, "sess_one"))
    assert await table.app.database.read("default", rows) == [0, 0]
