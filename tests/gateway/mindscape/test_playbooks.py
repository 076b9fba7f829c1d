"""Playbooks of a Mindscape backend: those that end at once, and those that go on after their call."""

from typing import Any

import pytest

from longtable.gateway.model import CallResult
from longtable.kernel.errors import ConfirmationRequired
from tests.gateway.mindscape.gateway import BackendGateway, local
from tests.gateway.mindscape.reference import ReferenceBackend

ALICE = local()
NAME = "mindscape_playbook_shop_weekly_digest"


async def starts(gateway: BackendGateway, **inputs: Any) -> CallResult:
    """With a person's word."""
    with pytest.raises(ConfirmationRequired) as refusal:
        await gateway.calls(ALICE, NAME, inputs=inputs)
    await gateway.person_says(refusal.value.details["confirmation_id"])
    return await gateway.calls(ALICE, NAME, inputs=inputs, confirm_token=refusal.value.details["confirm_token"])


async def test_a_playbook_that_says_nothing_about_itself_needs_a_person(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    with pytest.raises(ConfirmationRequired):
        await gateway.calls(ALICE, NAME)

    assert await backend.times("POST /playbooks/execute/start") == 0


async def test_a_playbook_is_started_as_the_backend_wants_it(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    result = await starts(gateway, week=7)

    [sent] = await backend.requests("POST /playbooks/execute/start")
    [workspace] = await backend.workspaces()
    named = {"playbook_code": "shop.weekly_digest", "profile_id": "default-user", "workspace_id": workspace["id"]}
    assert (sent["query"], sent["body"]) == (named, {"inputs": {"week": 7}})
    assert result.status == "completed"
    assert result.structured is not None
    assert result.structured["outputs"] == {"digest": {"week": 7}}


async def test_a_playbook_that_ended_at_once_can_be_asked_about(gateway: BackendGateway) -> None:
    result = await starts(gateway, week=7)

    waited = await gateway.uses(
        ALICE, "mindscape_execution_wait", execution_id=result.meta["execution_id"], wait_seconds=1.0
    )

    assert (result.status, waited["status"]) == ("completed", "completed")
    assert waited["result"]["outputs"] == {"digest": {"week": 7}}


@pytest.mark.slow
async def test_a_queued_playbook_is_running_and_can_be_asked_about(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    await backend.has(queues_playbooks=True, polls_until_done=2)

    result = await starts(gateway, week=7)
    requests = await gateway.uses(ALICE, "mindscape_execution_status", execution_id=result.meta["execution_id"])
    waited = await gateway.uses(
        ALICE, "mindscape_execution_wait", execution_id=result.meta["execution_id"], wait_seconds=10.0
    )

    assert (result.status, result.is_error) == ("running", False)
    assert result.meta["execution_id"].startswith("exec_")
    assert (requests["status"], requests["tool"]) == ("running", "mindscape_execution_status")
    assert waited["status"] == "completed"
    assert waited["result"]["outputs"] == {"digest": {"week": 7}}


async def test_one_that_ends_while_it_is_asked_about_loses_nothing(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    await backend.has(queues_playbooks=True, polls_until_done=1)
    result = await starts(gateway, week=7)

    response = await gateway.uses(ALICE, "mindscape_execution_status", execution_id=result.meta["execution_id"])

    assert (response["status"], response["result"]["outputs"]) == ("completed", {"digest": {"week": 7}})


async def test_an_ended_execution_is_not_asked_about_again(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    await backend.has(queues_playbooks=True, polls_until_done=0)
    result = await starts(gateway)

    for _ in range(3):
        response = await gateway.uses(ALICE, "mindscape_execution_status", execution_id=result.meta["execution_id"])

    assert response["status"] == "completed"
    assert await backend.times("GET /playbooks/execute/{execution_id}/result") == 1


async def test_a_playbook_that_fails_later_tells_why(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    await backend.has(queues_playbooks=True, polls_until_done=0, runs_fail=True)
    result = await starts(gateway)

    response = await gateway.uses(ALICE, "mindscape_execution_status", execution_id=result.meta["execution_id"])

    assert response["status"] == "failed"
    assert response["result"]["error"]["message"] == "Step 2 failed: the shop is closed"


async def test_one_that_fails_while_it_is_asked_about_tells_why(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    await backend.has(queues_playbooks=True, polls_until_done=1, runs_fail=True)
    result = await starts(gateway)

    response = await gateway.uses(ALICE, "mindscape_execution_status", execution_id=result.meta["execution_id"])

    assert response["status"] == "failed"
    assert response["result"]["error"]["message"] == "Step 2 failed: the shop is closed"


async def test_a_backend_in_trouble_is_not_a_failed_playbook(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    await backend.has(queues_playbooks=True, polls_until_done=3)
    result = await starts(gateway)
    await backend.has(statuses={"GET /playbooks/execute/{execution_id}/result": {"status": 500, "detail": "oops"}})

    response = await gateway.uses(ALICE, "mindscape_execution_status", execution_id=result.meta["execution_id"])

    assert (response["ok"], response["error"]["code"]) == (False, "UPSTREAM_ERROR")


async def test_a_wait_ends_when_its_time_is_over(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    await backend.has(queues_playbooks=True, polls_until_done=1000)
    result = await starts(gateway)

    response = await gateway.uses(
        ALICE, "mindscape_execution_wait", execution_id=result.meta["execution_id"], wait_seconds=0.2
    )

    assert response["status"] == "running"


async def test_nobody_sees_the_executions_of_others(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    await backend.has(queues_playbooks=True)
    result = await starts(gateway)

    for caller in (local("bob"), local("alice", tenant="rival")):
        response = await gateway.uses(caller, "mindscape_execution_status", execution_id=result.meta["execution_id"])
        assert response["error"]["code"] == "NOT_FOUND"


async def test_an_execution_that_was_never_ours_is_not_asked_for(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    response = await gateway.uses(ALICE, "mindscape_execution_status", execution_id="exec_of_somebody")

    assert response["error"]["code"] == "NOT_FOUND"
    assert await backend.requests() == []
