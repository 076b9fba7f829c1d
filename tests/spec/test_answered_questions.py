"""Questions that are settled: whoever answers them once more, nothing fails for them."""

import pytest

from longtable.kernel.caller import Role
from tests.spec.test_questions import asks
from tests.table import Table, person

pytestmark = pytest.mark.slow


async def test_a_batch_does_not_fail_for_a_settled_question_that_one_may_not_answer(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    asker, boss = (company.agent(name, "sess_one", "acme-secret") for name in ("asker", "boss"))
    for agent, require_human in ((asker, True), (boss, False), (asker, True), (asker, False)):
        await asks(agent, require_human=require_human)
    ann = await person(company, Role.HUMAN)
    await ann.post("/sessions/sess_one/answers", json={"answers": {"q1": "no", "q2": "no"}})
    await asker.calls("withdraw_question", question_id="q3")

    result = await boss.calls("submit_answers", answers=dict.fromkeys(["q1", "q2", "q3", "q4"], "yes"))

    assert (result["answered"], result["already_answered"]) == (["q4"], ["q1", "q2"])
    assert result["expired_or_withdrawn"] == ["q3"]
    answers = (await asker.calls("get_answered_questions"))["questions"]
    assert [question["answer"] for question in answers] == ["no", "no", "yes"]
