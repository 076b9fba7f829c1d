"""What a call was for is told to the backend: redacted, in the background, and never in the way. Secrets stay where
they belong."""

import asyncio
import time
from pathlib import Path

import pytest

from longtable.gateway.forwarding import context_body
from tests.gateway.mindscape.gateway import PERSON, BackendGateway, local, opened
from tests.gateway.mindscape.reference import ReferenceBackend
from tests.stores import Store

ALICE = local()
ORDERS = "mindscape_tool_shop_list_orders"
CONTEXT = "POST /surfaces/external-context"
SAID = {"original_message": "today's orders; my password is hunter2secret", "surface_type": "cursor"}


async def forwarded(gateway: BackendGateway, backend: ReferenceBackend) -> dict[str, object]:
    await gateway.settles()
    [sent] = await backend.requests(CONTEXT)
    body: dict[str, object] = sent["body"]
    return body


async def test_the_backend_is_told_what_a_call_was_for_without_secrets(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    result = await gateway.calls(ALICE, ORDERS, inputs={}, _context={**SAID, "conversation_id": "c1", "extra": "x"})

    body = await forwarded(gateway, backend)
    [workspace] = await backend.workspaces()
    assert body.pop("timestamp")
    assert body == {
        "workspace_id": workspace["id"],
        "surface_type": "cursor",
        "surface_user_id": "anonymous",
        "tool_called": ORDERS,
        "original_message": "today's orders; my password is [redacted]",
        "conversation_id": "c1",
    }
    assert result.meta["intent_id"].startswith("i")


async def test_the_backends_id_is_kept_with_the_intent(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    await gateway.calls(ALICE, ORDERS, inputs={}, _context=SAID)
    await gateway.settles()
    response = await gateway.uses(PERSON, "list_intents")

    assert response["intents"][0]["remote_id"].startswith("int_")


@pytest.mark.parametrize(
    "fault",
    [
        {"latency": {CONTEXT: 30}},
        {"statuses": {CONTEXT: {"status": 500}}},
        {"statuses": {CONTEXT: {"status": 404}}},
        {"truncate": [CONTEXT]},
        {"drop_after": {CONTEXT: 3}},
    ],
    ids=["slow", "broken", "unknown", "truncated", "dropped"],
)
async def test_a_context_that_cannot_be_told_neither_delays_nor_fails_a_call(
    gateway: BackendGateway, backend: ReferenceBackend, fault: dict[str, object]
) -> None:
    await gateway.calls(ALICE, ORDERS, inputs={})
    await backend.has(**fault)

    began = time.perf_counter()
    result = await gateway.calls(ALICE, ORDERS, inputs={}, _context=SAID)

    assert not result.is_error
    assert time.perf_counter() - began < 10


async def test_a_slow_context_takes_no_room_of_the_calls(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    await backend.has(latency={CONTEXT: 30})

    said = [{**SAID, "original_message": f"wish {number}"} for number in range(20)]
    began = time.perf_counter()
    results = await asyncio.gather(*(gateway.calls(ALICE, ORDERS, inputs={}, _context=each) for each in said))

    assert not any(each.is_error for each in results)
    assert time.perf_counter() - began < 15


def test_what_the_backend_did_not_ask_for_stays_here() -> None:
    given = {
        "workspace_id": "w1",
        "tool_called": "t",
        "original_message": "x" * 100_000,
        "confirm_token": "cfm_secret",
        "session_id": "s",
        "ide_receipts": [{"action": "a", "trace_id": "t", "secret": "no"}, "rubbish"] * 100,
    }

    body = context_body(given, 0)

    assert set(body) == {
        *("workspace_id", "surface_type", "surface_user_id", "tool_called"),
        *("original_message", "timestamp", "ide_receipts"),
    }
    assert len(body["original_message"]) == 16_384
    assert body["ide_receipts"][0] == {"action": "a", "trace_id": "t"}
    assert len(body["ide_receipts"]) <= 50


async def test_the_key_is_sent_and_shown_to_nobody(
    store: Store, tmp_path: Path, backend: ReferenceBackend, capfd: pytest.CaptureFixture[str]
) -> None:
    key = "key-0123456789-abcdef"
    await backend.has(api_key=key)
    async with opened(store, tmp_path, backend.url, {"MINDSCAPE_API_KEY": key}) as gateway:
        result = await gateway.calls(ALICE, ORDERS)
        echo = {"status": 500, "detail": f"wrong key {key}"}
        await backend.has(statuses={"GET /lenses/schemas/{role}": echo})
        failed = await gateway.uses(ALICE, "mindscape_lens_list_schemas")
        shown = repr(gateway.upstream.backend) + repr(gateway.upstream.client.__dict__)

    sent = await backend.requests()
    assert {each["headers"]["authorization"] for each in sent} == {f"Bearer {key}"}
    assert not result.is_error
    assert failed["error"]["details"]["detail"] == "wrong key ***"
    assert key not in str(failed)
    assert key not in shown
    assert key not in "".join(capfd.readouterr())


async def test_without_the_key_a_cloud_backend_says_no(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    await backend.has(api_key="other")

    assert await gateway.listed(ALICE) == {}
    assert gateway.upstream.health == "failing"


async def test_nothing_of_the_callers_own_request_reaches_the_backend(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    await gateway.calls(ALICE, ORDERS, inputs={}, _context=SAID)

    sent = await backend.requests()
    assert sent
    for each in sent:
        assert "authorization" not in each["headers"]
        assert not [name for name in each["headers"] if name.startswith("x-")]
