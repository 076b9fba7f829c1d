"""The reference backend itself: what it answers, and that it fails when told to."""

import pytest

from tests.gateway.mindscape.reference import ReferenceBackend

COMMAND = {"workspace_id": "w1", "actor_id": "ada", "source_surface": "mindscape_ui", "intent_code": "shop.digest"}


async def test_a_missing_field_is_answered_with_its_place(backend: ReferenceBackend) -> None:
    response = await backend.http.post("/api/v1/tools/execute", json={"workspace_id": "w1"})

    assert response.status_code == 422
    assert {tuple(each["loc"]) for each in response.json()["detail"]} == {
        ("body", "product_surface_id"),
        ("body", "tool_name"),
        ("body", "arguments"),
    }


async def test_a_tool_that_is_not_there_is_no_success_with_status_200(backend: ReferenceBackend) -> None:
    await backend.has(workspaces=[{"title": "x", "id": "w1"}])
    body = {"workspace_id": "w1", "product_surface_id": "p", "tool_name": "no.such", "arguments": {}}

    response = await backend.http.post("/api/v1/tools/execute", json=body)

    assert (response.status_code, response.json()["success"]) == (200, False)


async def test_a_command_waits_is_approved_once_and_can_be_rejected(backend: ReferenceBackend) -> None:
    ids = []
    for _ in range(2):
        response = await backend.http.post("/api/v1/commands", json={**COMMAND, "requires_approval": True})
        assert (response.status_code, response.json()["status"]) == (201, "pending_approval")
        ids.append(response.json()["command_id"])

    approved, again = [await backend.http.post(f"/api/v1/commands/{ids[0]}/approve") for _ in range(2)]
    rejected = await backend.http.post(f"/api/v1/commands/{ids[1]}/reject", json={"reason": "no"})
    listed = await backend.http.get("/api/v1/commands", params={"status": "rejected"})

    assert (approved.json()["status"], again.status_code) == ("completed", 400)
    assert rejected.json() == {"command_id": ids[1], "status": "rejected", "reason": "no"}
    assert [each["command_id"] for each in listed.json()] == [ids[1]]
    assert (await backend.http.get("/api/v1/commands/no")).status_code == 404


async def test_events_are_kept_by_workspace(backend: ReferenceBackend) -> None:
    event = {"workspace_id": "w1", "source_surface": "line", "event_type": "message"}

    result = await backend.http.post("/api/v1/events", json=event)
    listed = await backend.http.get("/api/v1/events", params={"workspace_id": "w1"})

    assert result.status_code == 201
    assert [each["event_id"] for each in listed.json()] == [result.json()["event_id"]]
    assert (await backend.http.get("/api/v1/events")).status_code == 422


@pytest.mark.parametrize("path", ["/api/v1/mindscape/lens/effective/", "/api/v1/nothing"])
async def test_a_wrong_path_is_404(backend: ReferenceBackend, path: str) -> None:
    response = await backend.http.get(path)

    assert (response.status_code, response.json()) == (404, {"detail": "Not Found"})


async def test_a_fault_that_there_is_not_is_refused(backend: ReferenceBackend) -> None:
    response = await backend.http.post("/_faults", json={"no_such": 1})

    assert response.status_code == 422


async def test_a_fault_may_be_for_a_few_requests(backend: ReferenceBackend) -> None:
    await backend.has(statuses={"GET /tools/": {"status": 503, "times": 2}})

    statuses = [(await backend.http.get("/api/v1/tools/")).status_code for _ in range(3)]

    assert statuses == [503, 503, 200]
