"""Pauses: the four rules by which the work stops for people, and the checkpoints from which it goes on."""

import asyncio
import itertools
from typing import Any

import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.kernel.clock import MINUTE
from longtable.questions.arguments import CheckPause
from longtable.questions.jobs import expire_questions
from longtable.questions.model import Priority, Question
from longtable.questions.pause import pause_reasons
from tests.spec.test_questions import asks
from tests.table import Agent, Refused, Table, open_table

pytestmark = pytest.mark.slow

CHECKPOINTS = ["scratchpad/checkpoint_created", "scratchpad/checkpoint_resumed"]


def question(number: int, priority: Priority = "medium", blocking: bool = False) -> Question:
    return Question(number, "?", None, "alice", 0, priority, blocking, None, None)


def check(at_phase_boundary: bool, agent_requested: bool, threshold: int) -> CheckPause:
    return CheckPause(at_phase_boundary=at_phase_boundary, agent_requested=agent_requested, threshold=threshold)


async def checkpoint_events(agent: Agent) -> list[tuple[str, str]]:
    events = (await agent.calls("read_events", kinds=CHECKPOINTS))["events"]
    return [(event["kind"].removeprefix("scratchpad/checkpoint_"), event["checkpoint_id"]) for event in events]


@pytest.mark.parametrize(
    ("pending", "work", "reasons"),
    [
        ([], check(False, False, 3), ()),
        ([question(1, "high", blocking=True)], check(False, False, 3), ("blocking_question",)),
        ([question(1, "medium", blocking=True)], check(False, False, 3), ()),
        ([question(1, "high")], check(False, False, 3), ()),
        ([question(1, "high"), question(2, "low", blocking=True)], check(False, False, 3), ()),
        ([question(1, "low")], check(True, False, 3), ("phase_boundary",)),
        ([], check(True, False, 3), ()),
        ([], check(False, True, 3), ("agent_requested",)),
        ([question(n) for n in range(3)], check(False, False, 3), ()),
        ([question(n) for n in range(4)], check(False, False, 3), ("threshold",)),
        ([question(1)], check(False, False, 0), ("threshold",)),
        ([], check(False, False, 0), ()),
        (
            [question(n, "high", blocking=True) for n in range(4)],
            check(True, True, 3),
            ("blocking_question", "phase_boundary", "agent_requested", "threshold"),
        ),
    ],
)
def test_each_rule_alone_and_all_together(pending: list[Question], work: CheckPause, reasons: tuple[str, ...]) -> None:
    assert pause_reasons(pending, work) == reasons


@pytest.mark.parametrize(("blocks", "boundary", "requested", "many"), list(itertools.product([False, True], repeat=4)))
def test_the_rules_do_not_disturb_each_other(blocks: bool, boundary: bool, requested: bool, many: bool) -> None:
    pending = [question(1, "high", blocks), *([question(n) for n in range(2, 5)] if many else [])]

    reasons = pause_reasons(pending, check(boundary, requested, 3))

    expected = {
        "blocking_question": blocks,
        "phase_boundary": boundary,
        "agent_requested": requested,
        "threshold": many,
    }
    assert reasons == tuple(reason for reason, applies in expected.items() if applies)


async def test_work_goes_on_while_no_rule_asks_for_a_pause(alice: Agent) -> None:
    await asks(alice, priority="high")

    result = await alice.calls("check_pause")

    assert (result["pause"], result["reasons"], result["checkpoint_id"]) == (False, [], None)
    assert [question["id"] for question in result["questions"]] == ["q1"]
    assert await checkpoint_events(alice) == []


async def test_a_pause_sets_a_checkpoint_from_which_the_log_is_read_on(alice: Agent) -> None:
    await asks(alice, priority="high", blocking=True)
    await asks(alice)
    seen = (await alice.calls("read_events"))["next_after"]

    result = await alice.calls("check_pause", agent_requested=True)

    assert (result["pause"], result["checkpoint_id"], result["event_seq"]) == (True, "c1", seen)
    assert result["reasons"] == ["blocking_question", "agent_requested"]
    assert [question["id"] for question in result["questions"]] == ["q1", "q2"]
    event = (await alice.calls("read_events", after=result["event_seq"]))["events"][0]
    assert event["kind"] == "scratchpad/checkpoint_created"
    assert (event["checkpoint_id"], event["reasons"], event["question_ids"]) == ("c1", result["reasons"], ["q1", "q2"])


async def test_the_rules_hold_through_the_tool(alice: Agent) -> None:
    async def reasons(**situation: Any) -> list[str]:
        found: list[str] = (await alice.calls("check_pause", **situation))["reasons"]
        return found

    assert await reasons(at_phase_boundary=True, threshold=0) == []
    for n in range(3):
        await asks(alice, f"question {n}")
    assert await reasons() == []
    assert await reasons(threshold=2) == ["threshold"]
    assert await reasons(at_phase_boundary=True) == ["phase_boundary"]
    assert await reasons(agent_requested=True) == ["agent_requested"]
    await asks(alice, "the fourth", priority="high", blocking=True)
    assert await reasons() == ["blocking_question", "threshold"]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"threshold": -1}, "threshold"),
        ({"threshold": 1.5}, "threshold"),
        ({"at_phase_boundary": "yes"}, "at_phase_boundary"),
        ({"agent_requested": 1}, "agent_requested"),
        ({"session_id": "sess_two"}, "session_id"),
    ],
)
async def test_a_bad_check_is_refused_by_the_name_of_its_field(
    alice: Agent, arguments: dict[str, Any], field: str
) -> None:
    envelope = await alice.tries("check_pause", **arguments)

    assert envelope["error"]["code"] == "INVALID_ARGUMENT"
    assert envelope["error"]["details"]["errors"][0]["path"] == field


async def test_twenty_checks_at_once_set_one_checkpoint(alice: Agent, bob: Agent) -> None:
    await asks(alice, priority="high", blocking=True)

    results = await asyncio.gather(*((alice, bob)[n % 2].calls("check_pause") for n in range(20)))

    assert {result["checkpoint_id"] for result in results} == {"c1"}
    assert await checkpoint_events(alice) == [("created", "c1")]


async def test_other_reasons_or_other_questions_make_another_checkpoint(alice: Agent) -> None:
    await asks(alice, priority="high", blocking=True)
    first = await alice.calls("check_pause")
    other_reason = await alice.calls("check_pause", agent_requested=True)
    await asks(alice)
    other_questions = await alice.calls("check_pause")

    ids = [result["checkpoint_id"] for result in (first, other_reason, other_questions)]
    assert ids == ["c1", "c2", "c3"]


async def test_the_last_answer_of_a_checkpoint_resumes_the_work_once(alice: Agent, bob: Agent) -> None:
    for n in range(2):
        await asks(alice, f"question {n}")
    await alice.calls("check_pause", at_phase_boundary=True)
    await asks(alice, "asked later, of no concern to the checkpoint")

    await bob.calls("submit_answers", answers={"q1": "x"})
    halfway = await checkpoint_events(alice)
    await bob.calls("submit_answers", answers={"q2": "x"})
    complete = await checkpoint_events(alice)
    await bob.calls("submit_answers", answers={"q1": "x", "q2": "x", "q3": "x"})

    assert halfway == [("created", "c1")]
    assert complete == await checkpoint_events(alice) == [("created", "c1"), ("resumed", "c1")]


async def test_a_resumed_checkpoint_is_not_used_again(alice: Agent, bob: Agent) -> None:
    for round_number in (1, 2):
        await asks(alice, priority="high", blocking=True)
        paused = await alice.calls("check_pause")
        await bob.calls("submit_answers", answers={f"q{round_number}": "x"})
        assert paused["checkpoint_id"] == f"c{round_number}"

    assert await checkpoint_events(alice) == [
        ("created", "c1"),
        ("resumed", "c1"),
        ("created", "c2"),
        ("resumed", "c2"),
    ]


async def test_every_checkpoint_that_an_answer_completes_is_resumed(alice: Agent, bob: Agent) -> None:
    await asks(alice)
    await alice.calls("check_pause", at_phase_boundary=True)
    await asks(alice)
    await alice.calls("check_pause", at_phase_boundary=True)

    await bob.calls("submit_answers", answers={"q1": "x", "q2": "x"})

    assert await checkpoint_events(alice) == [
        ("created", "c1"),
        ("created", "c2"),
        ("resumed", "c1"),
        ("resumed", "c2"),
    ]


async def test_a_withdrawn_question_resumes_the_work_too(alice: Agent) -> None:
    await asks(alice, priority="high", blocking=True)
    await alice.calls("check_pause")

    await alice.calls("withdraw_question", question_id="q1")

    assert await checkpoint_events(alice) == [("created", "c1"), ("resumed", "c1")]


@pytest.mark.parametrize(("tool", "arguments"), [("check_pause", {}), ("submit_answers", {"answers": {"q1": "late"}})])
async def test_an_expired_question_resumes_the_work_with_the_next_write_that_meets_it(
    table: Table, alice: Agent, bob: Agent, tool: str, arguments: dict[str, Any]
) -> None:
    await asks(alice, priority="high", blocking=True, expires_in=60)
    await alice.calls("check_pause")
    table.clock.ahead = MINUTE

    for _ in range(2):
        await bob.calls(tool, **arguments)

    assert await checkpoint_events(alice) == [("created", "c1"), ("resumed", "c1")]
    assert (await alice.calls("check_pause"))["pause"] is False


async def test_twenty_answers_at_once_resume_the_work_once(alice: Agent, bob: Agent) -> None:
    for n in range(20):
        await asks(alice, f"question {n}")
    await alice.calls("check_pause")

    await asyncio.gather(*(bob.calls("submit_answers", answers={f"q{n}": "x"}) for n in range(1, 21)))

    assert await checkpoint_events(alice) == [("created", "c1"), ("resumed", "c1")]


async def test_a_pause_that_an_agent_asked_for_needs_no_question(alice: Agent) -> None:
    first = await alice.calls("check_pause", agent_requested=True)
    again = await alice.calls("check_pause", agent_requested=True)

    assert (first["pause"], first["questions"], first["checkpoint_id"]) == (True, [], "c1")
    assert again["checkpoint_id"] == "c1"
    assert await checkpoint_events(alice) == [("created", "c1")]


async def test_a_pause_without_questions_ends_when_somebody_says_so(alice: Agent, bob: Agent) -> None:
    await alice.calls("check_pause", agent_requested=True)

    resumed = await bob.calls("resume_checkpoint", checkpoint_id="c1")
    again = await bob.calls("resume_checkpoint", checkpoint_id="c1")

    assert resumed["checkpoint"]["resumed_at"] is not None
    assert again["checkpoint"] == resumed["checkpoint"]
    assert await checkpoint_events(alice) == [("created", "c1"), ("resumed", "c1")]
    assert (await alice.calls("check_pause", agent_requested=True))["checkpoint_id"] == "c2"


async def test_twenty_who_say_so_at_once_resume_the_work_once(alice: Agent, bob: Agent) -> None:
    await alice.calls("check_pause", agent_requested=True)

    await asyncio.gather(*(bob.calls("resume_checkpoint", checkpoint_id="c1") for _ in range(20)))

    assert await checkpoint_events(alice) == [("created", "c1"), ("resumed", "c1")]


async def test_a_pause_for_questions_ends_with_their_answers_only(alice: Agent, bob: Agent) -> None:
    await asks(alice, priority="high", blocking=True)
    await alice.calls("check_pause")

    with pytest.raises(Refused) as refused:
        await bob.calls("resume_checkpoint", checkpoint_id="c1")

    assert (refused.value.code, refused.value.details["question_ids"]) == ("CONFLICT", ["q1"])
    assert await checkpoint_events(alice) == [("created", "c1")]


@pytest.mark.parametrize("checkpoint_id", ["c2", "q1", "nonsense", ""])
async def test_a_checkpoint_that_does_not_exist_cannot_be_resumed(alice: Agent, checkpoint_id: str) -> None:
    await alice.calls("check_pause", agent_requested=True)

    with pytest.raises(Refused) as refused:
        await alice.calls("resume_checkpoint", checkpoint_id=checkpoint_id)

    assert refused.value.code == "NOT_FOUND"


async def test_programs_see_where_the_work_stands_still_and_resume_it(company: Table) -> None:
    boss = company.agent("boss", token="acme-secret")
    await boss.calls("create_session", session_id="sess_one")
    await company.agent("alice", "sess_one", "acme-secret").calls("check_pause", agent_requested=True)

    standing = (await boss.client.get("/sessions/sess_one/checkpoints")).json()
    resumed = await boss.client.post("/sessions/sess_one/checkpoints/c1/resume")
    left = (await boss.client.get("/sessions/sess_one/checkpoints")).json()

    assert [(one["id"], one["reasons"], one["question_ids"]) for one in standing["checkpoints"]] == [
        ("c1", ["agent_requested"], [])
    ]
    assert (resumed.status_code, left["count"]) == (200, 0)


async def test_an_agent_does_not_end_its_own_pause(company: Table) -> None:
    boss = company.agent("boss", token="acme-secret")
    await boss.calls("create_session", session_id="sess_one")
    bound = Credential("acme", Role.AGENT, "ada", agent="ada", session_id="sess_one")
    issued = await company.app.tokens.create(bound, None)
    ada = company.agent(token=issued.secret)
    await ada.calls("check_pause", agent_requested=True)

    with pytest.raises(Refused) as refused:
        await ada.calls("resume_checkpoint", checkpoint_id="c1")

    assert refused.value.code == "FORBIDDEN"


async def test_an_expiry_is_told_once_by_whichever_process_notices_it(store: Any, tmp_path: Any) -> None:
    async with open_table(store, tmp_path) as here, open_table(store, tmp_path) as there:
        alice = here.agent("alice", await here.session("sess_one"))
        await asks(alice, priority="high", blocking=True, expires_in=60)
        await alice.calls("check_pause")
        here.clock.ahead = there.clock.ahead = MINUTE

        await asyncio.gather(*(expire_questions(table.app.ledger) for table in (here, there) * 5))

        events = (await alice.calls("read_events", kinds=["scratchpad/question_expired"]))["events"]
        assert [(event["question_id"], event["actor"]) for event in events] == [("q1", "longtable")]
        assert await checkpoint_events(alice) == [("created", "c1"), ("resumed", "c1")]


async def test_a_check_that_finds_nothing_new_is_on_record_and_changes_nothing(table: Table, alice: Agent) -> None:
    await asks(alice)
    before = (await alice.calls("read_events"))["next_after"]

    found = await alice.calls("check_pause")

    assert (found["pause"], [question["id"] for question in found["questions"]]) == (False, ["q1"])
    assert (await alice.calls("read_events", after=before))["events"] == []
    await table.app.ledger.flush()
    log = await table.agent("boss").calls("get_audit_log", event_type="pause_checked")
    assert [(entry["agent_id"], entry["outcome"]) for entry in log["entries"]] == [("alice", "SUCCESS")]


async def test_questions_of_a_closed_session_are_left_as_they_were(table: Table, alice: Agent) -> None:
    await asks(alice, expires_in=60)
    await alice.calls("close_session", session_id="sess_one")
    table.clock.ahead = MINUTE

    await expire_questions(table.app.ledger)

    assert (await alice.calls("read_events", kinds=["scratchpad/question_expired"]))["events"] == []


async def test_a_checkpoint_outlives_the_server(store: Any, tmp_path: Any) -> None:
    async with open_table(store, tmp_path) as table:
        alice = table.agent("alice", await table.session("sess_one"))
        await asks(alice, priority="high", blocking=True)
        await alice.calls("check_pause")

    async with open_table(store, tmp_path) as table:
        alice = table.agent("alice", "sess_one")
        assert (await alice.calls("check_pause"))["checkpoint_id"] == "c1"
        await table.agent("bob", "sess_one").calls("submit_answers", answers={"q1": "x"})
        assert await checkpoint_events(alice) == [("created", "c1"), ("resumed", "c1")]
