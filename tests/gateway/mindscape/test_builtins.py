"""The nine tools of the gateway's own: their parameters, what they send, and what people must agree to."""

import asyncio
from typing import Any

import pytest

from tests.gateway.mindscape.gateway import PERSON, BackendGateway, agent, local
from tests.gateway.mindscape.reference import ReferenceBackend

ALICE = local()
PLAN = {
    "long_term_intents": [
        {"operation_type": "CREATE_INTENT_CARD", "intent_data": {"title": "Ship", "priority": "high"}}
    ]
}
PROJECT = {"project_title": "Blog", "mode": "micro_flow", "confidence": 0.8}
LAYOUT_TOOL = "mindscape_intent_layout_execute"


async def workspace(backend: ReferenceBackend) -> str:
    [result] = await backend.workspaces()
    return str(result["id"])


async def test_a_lens_schema_is_read_by_its_role(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    found = await gateway.uses(ALICE, "mindscape_lens_list_schemas")
    missing = await gateway.uses(ALICE, "mindscape_lens_list_schemas", role="a/../b")

    assert (found["ok"], found["status"], found["tool"]) == (True, "completed", "mindscape_lens_list_schemas")
    assert found["result"]["role"] == "writer"
    assert missing["result"]["schemas"] == []
    assert await backend.workspaces() == []


async def test_a_lens_is_resolved_with_session_and_playbook(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    response = await gateway.uses(
        ALICE, "mindscape_lens_resolve", session_id="s1", role_hint="writer", playbook_id="shop.digest"
    )

    [sent] = await backend.requests("POST /lenses/resolve")
    assert sent["body"] == {
        "user_id": "default-user",
        "workspace_id": await workspace(backend),
        "session_id": "s1",
        "role_hint": "writer",
        "playbook_id": "shop.digest",
    }
    assert response["result"]["values"] == {"tone": "warm"}


async def test_the_effective_lens_is_read_where_it_is(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    response = await gateway.uses(ALICE, "mindscape_lens_get_effective", session_id="s1")

    [sent] = await backend.requests("GET /mindscape/lens/effective-lens")
    assert sent["query"] == {
        "profile_id": "default-user",
        "workspace_id": await workspace(backend),
        "session_id": "s1",
    }
    assert response["result"]["hash"] == "0" * 16


async def test_intents_are_submitted(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    response = await gateway.uses(
        ALICE,
        "mindscape_intent_submit",
        message="we should ship",
        extracted_intents=[{"label": "ship", "confidence": 0.9}],
        extracted_themes=["release"],
    )

    [sent] = await backend.requests("POST /mcp/intent/submit")
    assert sent["body"] == {
        "workspace_id": await workspace(backend),
        "profile_id": "default-user",
        "message": "we should ship",
        "extracted_intents": [{"label": "ship", "confidence": 0.9}],
        "extracted_themes": ["release"],
    }
    assert response["result"]["intent_tags_created"] == 1


async def test_a_chat_is_passed_on_once_for_a_key(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    chat: dict[str, Any] = {
        "conversation_id": "c1",
        "messages": [{"role": "user", "content": "hello", "timestamp": "2026-01-02T03:04:05Z"}],
        "surface_type": "cursor",
        "ide_receipts": [{"step": "intent_extract", "trace_id": "t", "output_hash": "0123456789abcdef"}],
        "idempotency_key": "k1",
    }

    first, second = [await gateway.uses(ALICE, "mindscape_chat_sync", **chat) for _ in range(2)]

    [sent] = await backend.requests("POST /mcp/chat/sync")
    assert first["result"] == second["result"]
    assert first["result"]["message_count"] == 1
    assert "idempotency_key" not in sent["body"]
    assert sent["body"]["ide_receipts"] == chat["ide_receipts"]


@pytest.mark.parametrize(
    ("name", "arguments", "route"),
    [
        ("mindscape_chat_sync", {"conversation_id": "c1", "messages": []}, "POST /mcp/chat/sync"),
        ("mindscape_intent_submit", {"message": "ship", "extracted_intents": []}, "POST /mcp/intent/submit"),
    ],
)
async def test_twenty_at_once_with_one_key_reach_the_backend_once(
    gateway: BackendGateway, backend: ReferenceBackend, name: str, arguments: dict[str, Any], route: str
) -> None:
    await backend.has(latency={route: 0.2})

    answers = await asyncio.gather(*(gateway.uses(ALICE, name, **arguments, idempotency_key="k1") for _ in range(20)))

    [_] = await backend.requests(route)
    assert all(answer["ok"] for answer in answers), answers
    assert len({str(answer["result"]) for answer in answers}) == 1


@pytest.mark.parametrize(
    ("name", "arguments", "route"),
    [
        (LAYOUT_TOOL, {"layout_plan": PLAN}, "POST /mcp/intent/layout/execute"),
        (
            "mindscape_project_detect_and_create",
            {"message": "a blog", "detected_project": PROJECT},
            "POST /mcp/project/detect",
        ),
    ],
)
async def test_what_changes_something_needs_a_person_for_exactly_this(
    gateway: BackendGateway, backend: ReferenceBackend, name: str, arguments: dict[str, Any], route: str
) -> None:
    refused = (await gateway.uses(ALICE, name, **arguments))["error"]
    token = {"confirm_token": refused["details"]["confirm_token"]}
    early = await gateway.uses(ALICE, name, **arguments, **token)
    await gateway.person_says(refused["details"]["confirmation_id"])
    other = await gateway.uses(local("bob"), name, **arguments, **token)
    done = await gateway.uses(ALICE, name, **arguments, **token)
    again = await gateway.uses(ALICE, name, **arguments, **token)

    assert refused["code"] == "CONFIRMATION_REQUIRED"
    assert [each["error"]["code"] for each in (early, other, again)] == ["CONFIRMATION_INVALID"] * 3
    assert (done["ok"], done["status"]) == (True, "completed")
    [sent] = await backend.requests(route)
    assert "confirm_token" not in sent["body"]


async def test_fifty_at_once_carry_out_an_approved_plan_once(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    refused = (await gateway.uses(ALICE, LAYOUT_TOOL, layout_plan=PLAN))["error"]["details"]
    await gateway.person_says(refused["confirmation_id"])

    responses = await asyncio.gather(
        *(gateway.uses(ALICE, LAYOUT_TOOL, layout_plan=PLAN, confirm_token=refused["confirm_token"]) for _ in range(50))
    )

    assert sum(each["ok"] for each in responses) == 1
    assert await backend.times("POST /mcp/intent/layout/execute") == 1


async def test_a_refusal_tells_the_persons_reason(gateway: BackendGateway) -> None:
    refused = (await gateway.uses(ALICE, LAYOUT_TOOL, layout_plan=PLAN))["error"]["details"]
    await gateway.person_says(refused["confirmation_id"], approve=False, reason="Not before Monday.")

    status = await gateway.uses(ALICE, "mindscape_confirm_status", token=refused["confirm_token"])
    again = await gateway.uses(ALICE, LAYOUT_TOOL, layout_plan=PLAN, confirm_token=refused["confirm_token"])

    assert (status["status"], status["result"]["reason"]) == ("denied", "Not before Monday.")
    assert again["error"]["code"] == "CONFIRMATION_DENIED"


async def test_a_confirmation_is_requested_for_the_call_that_will_be_made(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    name, inputs = "mindscape_run_wordpress_delete_post", {"post_id": 3}

    requests = await gateway.uses(
        ALICE, "mindscape_confirm_request", tool_name=name, inputs=inputs, action_preview="Delete the spam."
    )
    waiting = await gateway.uses(ALICE, "mindscape_confirm_status", token=requests["result"]["token"])
    await gateway.person_says(requests["result"]["confirmation_id"])
    approved = await gateway.uses(ALICE, "mindscape_confirm_status", token=requests["result"]["token"])
    result = await gateway.calls(ALICE, name, inputs=inputs, confirm_token=requests["result"]["token"])

    assert (requests["ok"], requests["status"]) == (True, "confirmation_required")
    assert (waiting["status"], approved["status"], result.is_error) == ("pending", "approved", False)
    assert await backend.times("POST /tools/execute") == 1


async def test_one_of_our_own_can_be_asked_for_as_well(gateway: BackendGateway) -> None:
    requests = await gateway.uses(
        ALICE, "mindscape_confirm_request", tool_name=LAYOUT_TOOL, inputs={"layout_plan": PLAN}
    )
    await gateway.person_says(requests["result"]["confirmation_id"])

    done = await gateway.uses(ALICE, LAYOUT_TOOL, layout_plan=PLAN, confirm_token=requests["result"]["token"])

    assert done["ok"] is True


async def test_without_inputs_nobody_is_asked(gateway: BackendGateway) -> None:
    response = await gateway.uses(ALICE, "mindscape_confirm_request", tool_name="mindscape_run_wordpress_delete_post")

    decisions = await gateway.uses(PERSON, "list_decisions")
    assert response["result"]["token"] is None
    assert response["result"]["next_action"]["tool"] == "mindscape_run_wordpress_delete_post"
    assert decisions["count"] == 0


async def test_nobody_is_sent_to_a_tool_that_there_is_not(gateway: BackendGateway) -> None:
    response = await gateway.uses(ALICE, "mindscape_confirm_request", tool_name="mindscape_run_wordpress_delete_all")

    assert response["error"]["code"] == "NOT_FOUND"


@pytest.mark.parametrize("name", ["mindscape_run_nothing", "mindscape.run.x"])
async def test_nobody_is_asked_about_a_tool_that_is_not_there(gateway: BackendGateway, name: str) -> None:
    response = await gateway.uses(ALICE, "mindscape_confirm_request", tool_name=name, inputs={})

    assert response["error"]["code"] == "NOT_FOUND"


async def test_what_needs_no_person_says_so(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    response = await gateway.uses(
        ALICE, "mindscape_confirm_request", tool_name="mindscape_tool_shop_list_orders", inputs={"day": "2026-01-02"}
    )

    assert (response["status"], response["result"]["token"]) == ("completed", None)
    assert response["result"]["next_action"]["args"] == {"inputs": {"day": "2026-01-02"}}
    assert await backend.times("POST /tools/execute") == 0


async def test_nobody_asks_about_the_confirmations_of_others(gateway: BackendGateway) -> None:
    refused = (await gateway.uses(ALICE, LAYOUT_TOOL, layout_plan=PLAN))["error"]["details"]

    response = await gateway.uses(local("bob"), "mindscape_confirm_status", token=refused["confirm_token"])

    assert response["error"]["code"] == "NOT_FOUND"


async def test_an_agent_speaks_for_its_own_profile_only(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    given: dict[str, Any] = {"message": "m", "extracted_intents": [], "profile_id": "somebody"}

    refused = await gateway.uses(agent(), "mindscape_intent_submit", **given)
    allowed = await gateway.uses(ALICE, "mindscape_intent_submit", **given)

    [sent] = await backend.requests("POST /mcp/intent/submit")
    assert refused["error"]["code"] == "FORBIDDEN"
    assert allowed["ok"] is True
    assert sent["body"]["profile_id"] == "somebody"


async def test_a_failure_of_the_backend_is_a_failure_with_its_detail(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    await backend.has(statuses={"POST /mcp/intent/submit": {"status": 501, "detail": "stores are missing"}})

    response = await gateway.uses(ALICE, "mindscape_intent_submit", message="m", extracted_intents=[])

    assert (response["ok"], response["error"]["code"]) == (False, "UPSTREAM_ERROR")
    assert response["error"]["details"]["detail"] == "stores are missing"


async def test_what_needs_a_backend_says_so(gateway: BackendGateway) -> None:
    needs = {name: tool.needs for name, tool in gateway.app.dispatcher.tools.items() if name.startswith("mindscape_")}

    backend = {name for name, need in needs.items() if need == "backend"}
    assert set(needs) - backend == {
        "mindscape_confirm_request",
        "mindscape_confirm_status",
        "mindscape_execution_status",
        "mindscape_execution_wait",
    }
    assert len(needs) == 11
