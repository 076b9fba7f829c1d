"""Intents: what a conversation wanted stands beside the calls it led to, and never in their way."""

import asyncio
import time
from typing import Any

import pytest

from longtable.kernel.caller import Role
from longtable.kernel.errors import StoreUnavailable
from longtable.storage.database import Transaction
from tests.gateway.slice.gateway import DELETE, GET, LIST, CallResponse, GatewayServer, approve, use

pytestmark = pytest.mark.slow

SAID = {
    "original_message": "Show me post 7. My api_key=sk-abcdef1234567890abcd and password: hunter2secret",
    "conversation_id": "c1",
    "surface_type": "cursor",
    "surface_user_id": "u1",
    "intent_hint": "token is abcdefgh12345",
}
FAILURE = "mindscape_tool_shop_get_failure"


async def settled(gateway: GatewayServer) -> list[dict[str, Any]]:
    """The intents, once what runs in the background has ended."""
    await gateway.table.app.slices.gateway.dependencies.intents.close()
    return list((await gateway.agent().client.get("/intents")).json()["intents"])


async def test_a_message_stands_beside_the_calls_it_led_to(gateway: GatewayServer) -> None:
    first = await use(gateway.agent(), GET, inputs={"id": 7}, _context=SAID)
    second = await use(gateway.agent(), LIST, _context=SAID)
    failed = await use(gateway.agent(), FAILURE, _context=SAID)
    other = await use(gateway.agent(), LIST, _context={**SAID, "original_message": "And all of them"})

    newest, oldest = await settled(gateway)

    assert [each.meta["intent_id"] for each in (first, second, failed, other)] == ["i1", "i1", "i1", "i2"]
    assert (oldest["intent_id"], newest["intent_id"]) == ("i1", "i2")
    assert [(each["tool"], each["layer"], each["outcome"]) for each in oldest["calls"]] == [
        (GET, "primitive", "SUCCESS"),
        (LIST, "primitive", "SUCCESS"),
        (FAILURE, "primitive", "UPSTREAM_ERROR"),
    ]
    assert (oldest["conversation_id"], oldest["surface_type"], oldest["surface_user_id"]) == ("c1", "cursor", "u1")
    assert (oldest["agent"], newest["original_message"]) == ("alice", "And all of them")


async def test_an_intent_says_what_its_session_is_for(gateway: GatewayServer) -> None:
    session = await gateway.table.session("sess_one", purpose="posts")
    await use(gateway.agent("alice", session), LIST, _context=SAID)

    [intent] = await settled(gateway)

    assert (intent["session_id"], intent["purpose"]) == ("sess_one", "posts")


async def test_secrets_are_taken_out_of_what_was_said(gateway: GatewayServer) -> None:
    await use(gateway.agent(), LIST, _context=SAID)

    [intent] = await settled(gateway)

    assert intent["original_message"] == "Show me post 7. My api_key=[redacted] and password: [redacted]"
    assert intent["intent_hint"] == "token is [redacted]"


async def test_calls_that_are_held_back_or_refused_count_as_what_came_of_it(
    gateway: GatewayServer, gateway_with_auth: GatewayServer
) -> None:
    alice, person = gateway_with_auth.agent("alice", token="acme-secret"), await gateway_with_auth.person()
    required = await use(alice, DELETE, inputs={"post": {"id": 1}}, _context=SAID)
    await approve(person, required)
    await use(alice, DELETE, inputs={"post": {"id": 1}}, _context=SAID, confirm_token=required.details["confirm_token"])
    await gateway_with_auth.table.app.slices.gateway.dependencies.intents.close()

    [intent] = (await person.get("/intents")).json()["intents"]

    assert sorted(each["outcome"] for each in intent["calls"]) == ["CONFIRMATION_REQUIRED", "SUCCESS"]
    stranger = await gateway_with_auth.person("rival", Role.OWNER)
    assert (await stranger.get("/intents")).json()["intents"] == []


@pytest.mark.parametrize(
    "arguments",
    [
        {"inputs": {"id": 1}, "_context": SAID},
        {"id": 1, "_context": SAID},
        {"inputs": {"id": 1}, **SAID},
        {"id": 1, **SAID},
        {"inputs": {"id": 1, "_context": SAID}},
    ],
    ids=["nested", "flat", "beside the inputs", "all flat", "among the inputs"],
)
async def test_context_is_read_wherever_it_stands(gateway: GatewayServer, arguments: dict[str, Any]) -> None:
    response = await use(gateway.agent(), GET, arguments)

    [intent] = await settled(gateway)
    assert (response.meta["intent_id"], intent["conversation_id"], intent["surface_user_id"]) == ("i1", "c1", "u1")
    assert gateway.ran() == [{"id": 1}]


async def test_intents_are_shown_by_conversation_and_page_by_page(gateway: GatewayServer) -> None:
    for number in range(5):
        said = {"original_message": f"wish {number}", "conversation_id": f"c{number % 2}"}
        await use(gateway.agent(), LIST, _context=said)
    await settled(gateway)
    client = gateway.agent().client

    even = (await client.get("/intents", params={"conversation_id": "c0"})).json()
    first = (await client.get("/intents", params={"limit": 3})).json()
    rest = (await client.get("/intents", params={"limit": 3, "cursor": first["next_cursor"]})).json()

    assert [each["original_message"] for each in even["intents"]] == ["wish 4", "wish 2", "wish 0"]
    assert [each["intent_id"] for each in (*first["intents"], *rest["intents"])] == ["i5", "i4", "i3", "i2", "i1"]
    assert all(len(each["calls"]) == 1 for each in (*first["intents"], *rest["intents"]))


async def test_whatever_is_said_a_call_is_made(gateway: GatewayServer) -> None:
    odd: list[Any] = ["nul \0 byte", "x" * 200_000, 5, {"a": 1}, None, ""]

    codes = [
        (await use(gateway.agent(), LIST, _context={"original_message": said, "conversation_id": "a\0b"})).code
        for said in odd
    ]

    assert codes == ["SUCCESS"] * len(odd)
    assert sorted(len(intent["original_message"]) for intent in await settled(gateway)) == [10, 16_384]


class Trouble:
    """The store as it is for the intents alone: it fails, or does not answer."""

    def __init__(self, gateway: GatewayServer, problem: Exception | None) -> None:
        self.intents = gateway.table.app.slices.gateway.dependencies.intents
        self.ledger = self.intents._ledger
        self.problem = problem

    @property
    def database(self) -> "Trouble":
        return self

    def clock(self) -> int:
        return self.ledger.clock()

    async def write(self, tenant: str, body: Any) -> Any:
        if self.problem is not None:
            raise self.problem
        await asyncio.Event().wait()

    def __enter__(self) -> "Trouble":
        self.intents._ledger = self  # type: ignore[assignment]  # it can do all that is needed
        return self

    def __exit__(self, *_: object) -> None:
        self.intents._ledger = self.ledger


@pytest.mark.parametrize(
    "problem", [StoreUnavailable("away"), RuntimeError("a bug"), None], ids=["away", "bug", "slow"]
)
async def test_a_store_that_cannot_keep_intents_neither_delays_nor_fails_a_call(
    gateway: GatewayServer, problem: Exception | None
) -> None:
    await use(gateway.agent(), LIST)
    with Trouble(gateway, problem):
        began = time.perf_counter()
        responses: list[CallResponse] = await asyncio.gather(
            *(use(gateway.agent(), LIST, _context=SAID) for _ in range(5))
        )
        took = time.perf_counter() - began

    assert [each.code for each in responses] == ["SUCCESS"] * 5
    assert not [each for each in responses if "intent_id" in each.meta]
    assert took < 10


async def test_a_backend_that_does_not_want_to_know_neither_delays_nor_fails_a_call(gateway: GatewayServer) -> None:
    notifications: list[dict[str, Any]] = []

    async def forward(payload: dict[str, Any]) -> str | None:
        notifications.append(payload)
        await asyncio.Event().wait()
        return None

    await use(gateway.agent(), LIST)
    gateway.table.app.slices.gateway.dependencies.intents._forward = forward
    began = time.perf_counter()
    responses = [await use(gateway.agent(), LIST, _context={"original_message": f"wish {n}"}) for n in range(30)]
    took = time.perf_counter() - began

    assert {each.code for each in responses} == {"SUCCESS"}
    assert took < 15
    assert 1 <= len(notifications) <= 16


async def test_intents_of_the_same_moment_are_one(gateway: GatewayServer) -> None:
    responses = await asyncio.gather(*(use(gateway.agent(), LIST, _context=SAID) for _ in range(20)))

    [intent] = await settled(gateway)
    assert {each.meta["intent_id"] for each in responses} == {"i1"}
    assert len(intent["calls"]) == 20


async def count_rows(tx: Transaction) -> int:
    row = await tx.first("SELECT COUNT(*) AS kept FROM intents WHERE tenant = :tenant")
    return int(row["kept"]) if row else 0


async def test_without_a_message_there_is_no_intent(gateway: GatewayServer) -> None:
    response = await use(gateway.agent(), LIST, _context={"conversation_id": "c1"})

    assert "intent_id" not in response.meta
    assert await gateway.table.app.database.read("default", count_rows) == 0
