"""Playbooks of a Mindscape backend: those that end at once, and those that go on after their call."""

from typing import Any

import pytest

from longtable.gateway.model import CallResult
from longtable.kernel.errors import ConfirmationRequired
from tests.gateway.mindscape.counter import Counter, local
from tests.gateway.mindscape.reference import Reference

ALICE = local()
NAME = "mindscape_playbook_shop_weekly_digest"


async def starts(counter: Counter, **inputs: Any) -> CallResult:
    """With a person's word."""
    with pytest.raises(ConfirmationRequired) as refusal:
        await counter.calls(ALICE, NAME, inputs=inputs)
    await counter.person_says(refusal.value.details["confirmation_id"])
    return await counter.calls(ALICE, NAME, inputs=inputs, confirm_token=refusal.value.details["confirm_token"])


async def test_a_playbook_that_says_nothing_about_itself_needs_a_person(counter: Counter, backend: Reference) -> None:
    with pytest.raises(ConfirmationRequired):
        await counter.calls(ALICE, NAME)

    assert await backend.times("POST /playbooks/execute/start") == 0


async def test_a_playbook_is_started_as_the_backend_wants_it(counter: Counter, backend: Reference) -> None:
    made = await starts(counter, week=7)

    [sent] = await backend.asked("POST /playbooks/execute/start")
    [workspace] = await backend.workspaces()
    named = {"playbook_code": "shop.weekly_digest", "profile_id": "default-user", "workspace_id": workspace["id"]}
    assert (sent["query"], sent["body"]) == (named, {"inputs": {"week": 7}})
    assert made.status == "completed"
    assert made.structured is not None
    assert made.structured["outputs"] == {"digest": {"week": 7}}


@pytest.mark.slow
async def test_a_queued_playbook_is_running_and_can_be_asked_about(counter: Counter, backend: Reference) -> None:
    await backend.has(queues_playbooks=True, polls_until_done=2)

    made = await starts(counter, week=7)
    asked = await counter.uses(ALICE, "mindscape_execution_status", execution_id=made.meta["execution_id"])
    waited = await counter.uses(
        ALICE, "mindscape_execution_wait", execution_id=made.meta["execution_id"], wait_seconds=10.0
    )

    assert (made.status, made.is_error) == ("running", False)
    assert made.meta["execution_id"].startswith("exec_")
    assert (asked["status"], asked["tool"]) == ("running", "mindscape_execution_status")
    assert waited["status"] == "completed"
    assert waited["result"]["outputs"] == {"digest": {"week": 7}}


async def test_one_that_ends_while_it_is_asked_about_loses_nothing(counter: Counter, backend: Reference) -> None:
    await backend.has(queues_playbooks=True, polls_until_done=1)
    made = await starts(counter, week=7)

    told = await counter.uses(ALICE, "mindscape_execution_status", execution_id=made.meta["execution_id"])

    assert (told["status"], told["result"]["outputs"]) == ("completed", {"digest": {"week": 7}})


async def test_an_ended_execution_is_not_asked_about_again(counter: Counter, backend: Reference) -> None:
    await backend.has(queues_playbooks=True, polls_until_done=0)
    made = await starts(counter)

    for _ in range(3):
        told = await counter.uses(ALICE, "mindscape_execution_status", execution_id=made.meta["execution_id"])

    assert told["status"] == "completed"
    assert await backend.times("GET /playbooks/execute/{execution_id}/result") == 1


async def test_a_playbook_that_fails_later_tells_why(counter: Counter, backend: Reference) -> None:
    await backend.has(queues_playbooks=True, polls_until_done=0, runs_fail=True)
    made = await starts(counter)

    told = await counter.uses(ALICE, "mindscape_execution_status", execution_id=made.meta["execution_id"])

    assert told["status"] == "failed"
    assert told["result"]["error"]["message"] == "Step 2 failed: the shop is closed"


async def test_one_that_fails_while_it_is_asked_about_tells_why(counter: Counter, backend: Reference) -> None:
    await backend.has(queues_playbooks=True, polls_until_done=1, runs_fail=True)
    made = await starts(counter)

    told = await counter.uses(ALICE, "mindscape_execution_status", execution_id=made.meta["execution_id"])

    assert told["status"] == "failed"
    assert told["result"]["error"]["message"] == "Step 2 failed: the shop is closed"


async def test_a_backend_in_trouble_is_not_a_failed_playbook(counter: Counter, backend: Reference) -> None:
    await backend.has(queues_playbooks=True, polls_until_done=3)
    made = await starts(counter)
    await backend.has(statuses={"GET /playbooks/execute/{execution_id}/result": {"status": 500, "detail": "oops"}})

    told = await counter.uses(ALICE, "mindscape_execution_status", execution_id=made.meta["execution_id"])

    assert (told["ok"], told["error"]["code"]) == (False, "UPSTREAM_ERROR")


async def test_a_wait_ends_when_its_time_is_over(counter: Counter, backend: Reference) -> None:
    await backend.has(queues_playbooks=True, polls_until_done=1000)
    made = await starts(counter)

    told = await counter.uses(
        ALICE, "mindscape_execution_wait", execution_id=made.meta["execution_id"], wait_seconds=0.2
    )

    assert told["status"] == "running"


async def test_nobody_sees_the_executions_of_others(counter: Counter, backend: Reference) -> None:
    await backend.has(queues_playbooks=True)
    made = await starts(counter)

    for caller in (local("bob"), local("alice", tenant="rival")):
        told = await counter.uses(caller, "mindscape_execution_status", execution_id=made.meta["execution_id"])
        assert told["error"]["code"] == "NOT_FOUND"


async def test_an_execution_that_was_never_ours_is_not_asked_for(counter: Counter, backend: Reference) -> None:
    told = await counter.uses(ALICE, "mindscape_execution_status", execution_id="exec_of_somebody")

    assert told["error"]["code"] == "NOT_FOUND"
    assert await backend.asked() == []
