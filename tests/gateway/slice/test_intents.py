"""Intents: what a conversation wanted stands beside the calls it led to, and never in their way."""

import asyncio
import time
from typing import Any

import pytest

from longtable.kernel.caller import Role
from longtable.kernel.errors import StoreUnavailable
from longtable.storage.database import Transaction
from tests.gateway.slice.place import DELETE, GET, LIST, Place, Told, approve, use

pytestmark = pytest.mark.slow

SAID = {
    "original_message": "Show me post 7. My api_key=sk-abcdef1234567890abcd and password: hunter2secret",
    "conversation_id": "c1",
    "surface_type": "cursor",
    "surface_user_id": "u1",
    "intent_hint": "token is abcdefgh12345",
}
FAILURE = "mindscape_tool_shop_get_failure"


async def settled(place: Place) -> list[dict[str, Any]]:
    """The intents, once what runs in the background has ended."""
    await place.table.app.slices.gateway.dependencies.intents.close()
    return list((await place.agent().client.get("/intents")).json()["intents"])


async def test_a_message_stands_beside_the_calls_it_led_to(place: Place) -> None:
    first = await use(place.agent(), GET, inputs={"id": 7}, _context=SAID)
    second = await use(place.agent(), LIST, _context=SAID)
    failed = await use(place.agent(), FAILURE, _context=SAID)
    other = await use(place.agent(), LIST, _context={**SAID, "original_message": "And all of them"})

    newest, oldest = await settled(place)

    assert [each.meta["intent_id"] for each in (first, second, failed, other)] == ["i1", "i1", "i1", "i2"]
    assert (oldest["intent_id"], newest["intent_id"]) == ("i1", "i2")
    assert [(each["tool"], each["layer"], each["outcome"]) for each in oldest["calls"]] == [
        (GET, "primitive", "SUCCESS"),
        (LIST, "primitive", "SUCCESS"),
        (FAILURE, "primitive", "UPSTREAM_ERROR"),
    ]
    assert (oldest["conversation_id"], oldest["surface_type"], oldest["surface_user_id"]) == ("c1", "cursor", "u1")
    assert (oldest["agent"], newest["original_message"]) == ("alice", "And all of them")


async def test_an_intent_says_what_its_session_is_for(place: Place) -> None:
    session = await place.table.session("sess_one", purpose="posts")
    await use(place.agent("alice", session), LIST, _context=SAID)

    [intent] = await settled(place)

    assert (intent["session_id"], intent["purpose"]) == ("sess_one", "posts")


async def test_secrets_are_taken_out_of_what_was_said(place: Place) -> None:
    await use(place.agent(), LIST, _context=SAID)

    [intent] = await settled(place)

    assert intent["original_message"] == "Show me post 7. My api_key=[redacted] and password: [redacted]"
    assert intent["intent_hint"] == "token is [redacted]"


async def test_calls_that_are_held_back_or_refused_count_as_what_came_of_it(place: Place, company: Place) -> None:
    alice, person = company.agent("alice", token="acme-secret"), await company.person()
    asked = await use(alice, DELETE, inputs={"post": {"id": 1}}, _context=SAID)
    await approve(person, asked)
    await use(alice, DELETE, inputs={"post": {"id": 1}}, _context=SAID, confirm_token=asked.details["confirm_token"])
    await company.table.app.slices.gateway.dependencies.intents.close()

    [intent] = (await person.get("/intents")).json()["intents"]

    assert sorted(each["outcome"] for each in intent["calls"]) == ["CONFIRMATION_REQUIRED", "SUCCESS"]
    stranger = await company.person("rival", Role.OWNER)
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
async def test_context_is_read_wherever_it_stands(place: Place, arguments: dict[str, Any]) -> None:
    told = await use(place.agent(), GET, arguments)

    [intent] = await settled(place)
    assert (told.meta["intent_id"], intent["conversation_id"], intent["surface_user_id"]) == ("i1", "c1", "u1")
    assert place.ran() == [{"id": 1}]


async def test_intents_are_shown_by_conversation_and_page_by_page(place: Place) -> None:
    for number in range(5):
        said = {"original_message": f"wish {number}", "conversation_id": f"c{number % 2}"}
        await use(place.agent(), LIST, _context=said)
    await settled(place)
    client = place.agent().client

    even = (await client.get("/intents", params={"conversation_id": "c0"})).json()
    first = (await client.get("/intents", params={"limit": 3})).json()
    rest = (await client.get("/intents", params={"limit": 3, "cursor": first["next_cursor"]})).json()

    assert [each["original_message"] for each in even["intents"]] == ["wish 4", "wish 2", "wish 0"]
    assert [each["intent_id"] for each in (*first["intents"], *rest["intents"])] == ["i5", "i4", "i3", "i2", "i1"]
    assert all(len(each["calls"]) == 1 for each in (*first["intents"], *rest["intents"]))


async def test_whatever_is_said_a_call_is_made(place: Place) -> None:
    odd: list[Any] = ["nul \0 byte", "x" * 200_000, 5, {"a": 1}, None, ""]

    codes = [
        (await use(place.agent(), LIST, _context={"original_message": said, "conversation_id": "a\0b"})).code
        for said in odd
    ]

    assert codes == ["SUCCESS"] * len(odd)
    assert sorted(len(intent["original_message"]) for intent in await settled(place)) == [10, 16_384]


class Trouble:
    """The store as it is for the intents alone: it fails, or does not answer."""

    def __init__(self, place: Place, problem: Exception | None) -> None:
        self.intents = place.table.app.slices.gateway.dependencies.intents
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
    place: Place, problem: Exception | None
) -> None:
    await use(place.agent(), LIST)
    with Trouble(place, problem):
        began = time.perf_counter()
        told: list[Told] = await asyncio.gather(*(use(place.agent(), LIST, _context=SAID) for _ in range(5)))
        took = time.perf_counter() - began

    assert [each.code for each in told] == ["SUCCESS"] * 5
    assert not [each for each in told if "intent_id" in each.meta]
    assert took < 10


async def test_a_backend_that_does_not_want_to_know_neither_delays_nor_fails_a_call(place: Place) -> None:
    heard: list[dict[str, Any]] = []

    async def forward(payload: dict[str, Any]) -> str | None:
        heard.append(payload)
        await asyncio.Event().wait()
        return None

    await use(place.agent(), LIST)
    place.table.app.slices.gateway.dependencies.intents._forward = forward
    began = time.perf_counter()
    told = [await use(place.agent(), LIST, _context={"original_message": f"wish {n}"}) for n in range(30)]
    took = time.perf_counter() - began

    assert {each.code for each in told} == {"SUCCESS"}
    assert took < 15
    assert 1 <= len(heard) <= 16


async def test_intents_of_the_same_moment_are_one(place: Place) -> None:
    told = await asyncio.gather(*(use(place.agent(), LIST, _context=SAID) for _ in range(20)))

    [intent] = await settled(place)
    assert {each.meta["intent_id"] for each in told} == {"i1"}
    assert len(intent["calls"]) == 20


async def count_rows(tx: Transaction) -> int:
    row = await tx.first("SELECT COUNT(*) AS kept FROM intents WHERE tenant = :tenant")
    return int(row["kept"]) if row else 0


async def test_without_a_message_there_is_no_intent(place: Place) -> None:
    told = await use(place.agent(), LIST, _context={"conversation_id": "c1"})

    assert "intent_id" not in told.meta
    assert await place.table.app.database.read("default", count_rows) == 0
