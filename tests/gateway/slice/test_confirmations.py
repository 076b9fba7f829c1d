"""Confirmations: a call that changes something waits for a person, runs once, and only as the person saw it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from longtable.gateway.decision_arguments import Approve
from longtable.kernel.call import Call
from longtable.kernel.caller import Role
from longtable.kernel.clock import DAY, MINUTE, SECOND, from_iso
from longtable.kernel.errors import InvalidArgument
from tests.gateway.slice.gateway import AUTH_ON, DELETE, PERSON, CallResponse, GatewayServer, approve, deny, opened, use
from tests.listening import connected
from tests.stores import Store
from tests.table import Agent

pytestmark = pytest.mark.slow

POST: dict[str, Any] = {"post": {"id": 7, "tags": ["a", "b"]}, "force": True, "note": "x" * 5_000}


@pytest.fixture
def alice(gateway_with_auth: GatewayServer) -> Agent:
    return gateway_with_auth.agent("alice", token="acme-secret")


async def approved(gateway: GatewayServer, agent: Agent, inputs: dict[str, Any], **more: Any) -> CallResponse:
    """A call that a person has said yes to."""
    required = await use(agent, DELETE, inputs=inputs)
    await approve(await gateway.person(), required, **more)
    return required


async def repeat(agent: Agent, required: CallResponse, inputs: dict[str, Any] = POST, **more: Any) -> CallResponse:
    return await use(agent, DELETE, inputs=inputs, confirm_token=required.details["confirm_token"], **more)


async def test_a_call_that_changes_something_waits_for_a_person(gateway_with_auth: GatewayServer, alice: Agent) -> None:
    required = await use(alice, DELETE, inputs=POST)
    again = await use(alice, DELETE, inputs=POST)

    assert required.code == "CONFIRMATION_REQUIRED"
    assert required.details["confirmation_id"] == "d1"
    assert required.details["confirm_token"].startswith("cfm_")
    assert len(required.details["confirm_token"]) == 36
    left = from_iso(required.details["expires_at"]) - gateway_with_auth.table.clock()
    assert DAY - MINUTE < left <= DAY
    assert required.details["shown"]["arguments"] == POST
    assert again.details["confirmation_id"] == "d1"
    assert gateway_with_auth.ran() == []


async def test_an_approval_that_was_asked_for_is_for_the_session_that_the_connection_has_entered(
    gateway_with_auth: GatewayServer,
) -> None:
    client = await connected(gateway_with_auth.table.http, Authorization="Bearer acme-secret")
    await client.asks("tools/call", {"name": "create_session", "arguments": {"session_id": "sess_entered"}})
    wanted = {"tool_name": DELETE, "inputs": POST}
    asked = await client.asks("tools/call", {"name": "mindscape_confirm_request", "arguments": wanted})
    request = asked["result"]["structuredContent"]["result"]
    person = await gateway_with_auth.person()
    decision = (await person.post(f"/decisions/{request['confirmation_id']}/approve", json={})).json()["decision"]

    repeated = {"inputs": POST, "confirm_token": request["token"]}
    done = CallResponse((await client.asks("tools/call", {"name": DELETE, "arguments": repeated}))["result"])

    assert decision["session_id"] == "sess_entered"
    assert done.code == "SUCCESS"
    assert gateway_with_auth.ran() == [POST]


async def test_a_person_sees_the_whole_call_who_makes_it_and_why(
    gateway_with_auth: GatewayServer, alice: Agent
) -> None:
    because = {"original_message": "Tidy up; the password is hunter2secret"}
    await use(alice, DELETE, inputs=POST, _context=because)

    shown = (await (await gateway_with_auth.person()).get("/decisions")).json()

    [decision] = shown["decisions"]
    assert (shown["count"], shown["waiting"]) == (1, 1)
    assert (decision["id"], decision["kind"], decision["status"]) == ("d1", "call", "waiting")
    assert (decision["tool"], decision["identity"], decision["upstream"]) == (DELETE, "shop.delete_post", "shop")
    assert decision["arguments"] == POST
    assert decision["arguments_text"].count("x") >= 5_000
    assert decision["description"] == "Deletes a post."
    assert (decision["requested_by"], decision["why"]) == ("alice", "Tidy up; the password is [redacted]")
    assert "cfm_" not in str(shown)


async def test_a_held_approval_allows_nothing_before_its_time_and_an_undone_one_never(
    gateway_with_auth: GatewayServer, alice: Agent
) -> None:
    required, person = await use(alice, DELETE, inputs=POST), await gateway_with_auth.person()
    undone = (await person.post("/decisions/d1/approve", json={"hold_seconds": 60})).json()
    await person.delete(f"/holds/{undone['held']['hold_id']}")
    held = (await person.post("/decisions/d1/approve", json={"hold_seconds": 60, "reason": "fine"})).json()
    early = await repeat(alice, required)

    gateway_with_auth.table.clock.ahead = 61 * SECOND
    await gateway_with_auth.table.app.holds.release_due()
    late = await repeat(alice, required)

    assert (held["decision"]["status"], "held" in held) == ("waiting", True)
    assert (early.code, late.code) == ("CONFIRMATION_INVALID", "SUCCESS")
    [decision] = (await person.get("/decisions")).json()["decisions"]
    assert (decision["decided_by"], decision["reason"]) == ("human:acme-human", "fine")


async def test_an_approved_call_runs_once_and_never_again(gateway_with_auth: GatewayServer, alice: Agent) -> None:
    required = await use(alice, DELETE, inputs=POST)
    early = await repeat(alice, required)
    said = await approve(await gateway_with_auth.person(), required, reason="go on")
    done = await repeat(alice, required)
    replayed = await repeat(alice, required)

    assert (early.code, early.details["status"]) == ("CONFIRMATION_INVALID", "waiting")
    assert (said["decision"]["status"], said["decision"]["decided_by"]) == ("approved", "human:acme-human")
    assert done.code == "SUCCESS"
    assert done.structured == {"arguments": POST}
    assert done.meta["decision_id"] == "d1"
    assert (replayed.code, replayed.details["status"]) == ("CONFIRMATION_INVALID", "used")
    assert gateway_with_auth.ran() == [POST]


async def test_after_it_was_used_the_same_call_asks_anew(gateway_with_auth: GatewayServer, alice: Agent) -> None:
    required = await approved(gateway_with_auth, alice, POST)
    await repeat(alice, required)

    anew = await use(alice, DELETE, inputs=POST)

    assert (anew.code, anew.details["confirmation_id"]) == ("CONFIRMATION_REQUIRED", "d2")
    assert anew.details["confirm_token"] != required.details["confirm_token"]


async def test_the_order_of_the_arguments_and_where_they_stand_do_not_matter(
    gateway_with_auth: GatewayServer, alice: Agent
) -> None:
    required = await approved(gateway_with_auth, alice, POST)
    turned = {"note": POST["note"], "force": True, "post": {"tags": ["a", "b"], "id": 7}}

    done = await use(alice, DELETE, **turned, confirm_token=required.details["confirm_token"])

    assert done.code == "SUCCESS"
    assert gateway_with_auth.ran() == [POST]


async def test_a_denied_call_is_told_why_and_does_not_run(gateway_with_auth: GatewayServer, alice: Agent) -> None:
    required = await use(alice, DELETE, inputs=POST)
    person = await gateway_with_auth.person()
    said = await deny(person, required, "That post is still needed.")
    response = await repeat(alice, required)
    late = await person.post("/decisions/d1/approve", json={})

    assert said["decision"]["status"] == "denied"
    assert (response.code, response.details["reason"]) == ("CONFIRMATION_DENIED", "That post is still needed.")
    assert (late.status_code, late.json()["error"]["code"]) == (409, "CONFLICT")
    assert gateway_with_auth.ran() == []


async def test_who_was_refused_hears_of_it_again_and_asks_nobody_for_a_minute(
    gateway_with_auth: GatewayServer, alice: Agent
) -> None:
    person = await gateway_with_auth.person()
    await deny(person, await use(alice, DELETE, inputs=POST), "Not now.")

    again = await use(alice, DELETE, inputs=POST)
    elsewhere = await use(gateway_with_auth.agent("bob", token="acme-secret"), DELETE, inputs=POST)
    other_inputs = await use(alice, DELETE, inputs={"post": {"id": 8}})
    gateway_with_auth.table.clock.ahead += 61 * SECOND
    later = await use(alice, DELETE, inputs=POST)

    assert (again.code, again.details["reason"]) == ("CONFIRMATION_DENIED", "Not now.")
    assert 0 < again.details["retry_after"] <= 60
    assert again.details["confirmation_id"] == "d1"
    assert [each.code for each in (elsewhere, other_inputs, later)] == ["CONFIRMATION_REQUIRED"] * 3
    assert [each["id"] for each in (await person.get("/decisions")).json()["decisions"]] == ["d4", "d3", "d2", "d1"]


async def test_an_agent_has_only_so_many_calls_wait_for_a_person(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, {**AUTH_ON, "max_waiting_decisions": "3"}) as gateway:
        alice, bob = (gateway.agent(name, token="acme-secret") for name in ("alice", "bob"))

        responses = await asyncio.gather(*(use(alice, DELETE, inputs={"post": {"id": n}}) for n in range(20)))
        waiting = next(number for number, each in enumerate(responses) if each.code == "CONFIRMATION_REQUIRED")
        same = await use(alice, DELETE, inputs={"post": {"id": waiting}})
        other = await use(bob, DELETE, inputs=POST)

        full = [each for each in responses if each.code == "CAPACITY_LIMIT_REACHED"]
        assert len(full) == 17
        assert (full[0].details["limit"], full[0].details["of"]) == (3, "max_waiting_decisions")
        assert (same.code, other.code) == ("CONFIRMATION_REQUIRED", "CONFIRMATION_REQUIRED")


async def test_fifty_retries_at_once_run_an_approved_call_once(gateway_with_auth: GatewayServer, alice: Agent) -> None:
    required = await approved(gateway_with_auth, alice, POST)

    responses = await asyncio.gather(*(repeat(alice, required) for _ in range(50)))

    codes = [each.code for each in responses]
    assert (codes.count("SUCCESS"), codes.count("CONFIRMATION_INVALID")) == (1, 49)
    assert gateway_with_auth.ran() == [POST]


async def test_twenty_people_at_once_decide_once(gateway_with_auth: GatewayServer, alice: Agent) -> None:
    await use(alice, DELETE, inputs=POST)
    person = await gateway_with_auth.person()

    responses = await asyncio.gather(
        *(person.post(f"/decisions/d1/{word}", json={}) for word in ("approve", "deny") for _ in range(10))
    )

    assert sorted(each.status_code for each in responses) == [200] + [409] * 19


async def test_an_approval_is_a_write_so_it_is_recorded_once_and_its_key_repeats_its_result(
    gateway_with_auth: GatewayServer, alice: Agent
) -> None:
    required = await use(alice, DELETE, inputs=POST)
    person, path = await gateway_with_auth.person(), f"/decisions/{required.details['confirmation_id']}/approve"

    made = [await person.post(path, json={}, headers={"Idempotency-Key": "yes-1"}) for _ in range(2)]
    await gateway_with_auth.table.app.ledger.flush()

    assert [each.status_code for each in made] == [200, 200]
    owner = await gateway_with_auth.person(role=Role.OWNER)
    records = await owner.get("/audit", params={"event_type": "decision_approved"})
    assert len(records.json()["entries"]) == 1


async def test_an_approval_is_good_for_five_minutes_and_a_question_for_a_day(
    gateway_with_auth: GatewayServer, alice: Agent
) -> None:
    fresh = await approved(gateway_with_auth, alice, POST)
    gateway_with_auth.table.clock.ahead += 299 * SECOND
    in_time = await repeat(alice, fresh)
    stale = await approved(gateway_with_auth, alice, {"post": {"id": 8}})
    gateway_with_auth.table.clock.ahead += 301 * SECOND
    too_late = await repeat(alice, stale, {"post": {"id": 8}})
    forgotten = await use(alice, DELETE, inputs={"post": {"id": 9}})
    gateway_with_auth.table.clock.ahead += DAY
    nobody = await repeat(alice, forgotten, {"post": {"id": 9}})
    answered = await approve(await gateway_with_auth.person(), forgotten)

    assert in_time.code == "SUCCESS"
    assert (too_late.code, too_late.details["status"]) == ("CONFIRMATION_INVALID", "expired")
    assert (nobody.code, nobody.details["status"]) == ("CONFIRMATION_INVALID", "expired")
    assert answered["error"]["code"] == "CONFLICT"
    shown = (await (await gateway_with_auth.person()).get("/decisions", params={"status": "expired"})).json()
    assert [each["id"] for each in shown["decisions"]] == ["d3", "d2"]
    assert gateway_with_auth.ran() == [POST]


async def test_an_approval_survives_a_restart_and_is_used_once(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, AUTH_ON) as before:
        alice = before.agent("alice", token="acme-secret")
        used = await approved(before, alice, {"post": {"id": 1}})
        await repeat(alice, used, {"post": {"id": 1}})
        kept = await approved(before, alice, POST)

    async with opened(store, tmp_path, AUTH_ON) as after:
        alice = after.agent("alice", token="acme-secret")
        replayed = await repeat(alice, used, {"post": {"id": 1}})
        done = await repeat(alice, kept)
        again = await repeat(alice, kept)

        assert [each.code for each in (replayed, done, again)] == [
            "CONFIRMATION_INVALID",
            "SUCCESS",
            "CONFIRMATION_INVALID",
        ]
        assert after.ran() == [{"post": {"id": 1}}, POST]


async def test_the_same_call_may_be_allowed_for_ten_minutes(gateway_with_auth: GatewayServer, alice: Agent) -> None:
    required = await approved(gateway_with_auth, alice, POST, for_10_minutes=True)
    responses = [await repeat(alice, required), await use(alice, DELETE, inputs=POST)]
    gateway_with_auth.table.clock.ahead += 599 * SECOND
    responses.append(await use(alice, DELETE, inputs=POST))
    other_call = await use(alice, DELETE, inputs={**POST, "force": False})
    other_agent = await use(gateway_with_auth.agent("bob", token="acme-secret"), DELETE, inputs=POST)
    gateway_with_auth.table.clock.ahead += 2 * SECOND
    over = await use(alice, DELETE, inputs=POST)

    assert [each.code for each in responses] == ["SUCCESS"] * 3
    assert [each.code for each in (other_call, other_agent, over)] == ["CONFIRMATION_REQUIRED"] * 3
    assert gateway_with_auth.ran() == [POST] * 3


async def test_without_auth_nobody_can_be_let_go_on_for_ten_minutes(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path) as gateway:
        await use(gateway.agent(), DELETE, inputs=POST)
        decisions = gateway.table.app.slices.gateway.dependencies.decisions
        call = Call(PERSON, "approve_decision", "decision_approved")

        with pytest.raises(InvalidArgument):
            await decisions.approve(call, Approve(decision_id="d1", for_10_minutes=True))

        assert (await decisions.approve(call, Approve(decision_id="d1"))).decision.status == "approved"


async def test_who_waits_hears_of_the_decision_at_once(gateway_with_auth: GatewayServer, alice: Agent) -> None:
    required = await use(alice, DELETE, inputs=POST)
    handle, number = required.details["confirm_token"], required.details["confirmation_id"]
    nobody = await alice.calls("wait_for_decision", confirmation_id=number, wait_seconds=0.05)
    waiting = [
        asyncio.create_task(alice.calls("wait_for_decision", confirmation_id=key, wait_seconds=20))
        for key in (handle, number)
    ]
    await asyncio.sleep(0)

    await deny(await gateway_with_auth.person(), required, "no")

    async with asyncio.timeout(40):
        responses = await asyncio.gather(*waiting)
    assert (nobody["status"], nobody["waited_out"]) == ("waiting", True)
    assert [(each["status"], each["reason"], each["confirmation_id"]) for each in responses] == [
        ("denied", "no", "d1")
    ] * 2
    assert handle not in str(responses)


async def test_who_waits_hears_of_a_decision_in_another_process(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, AUTH_ON) as here, opened(store, tmp_path, AUTH_ON) as there:
        required = await use(here.agent("alice", token="acme-secret"), DELETE, inputs=POST)
        alice = here.agent("alice", token="acme-secret")
        waiting = asyncio.create_task(alice.calls("wait_for_decision", confirmation_id="d1", wait_seconds=20))
        await asyncio.sleep(0)

        await approve(await there.person(), required)

        async with asyncio.timeout(40):
            assert (await waiting)["status"] == "approved"
        done = await repeat(there.agent("alice", token="acme-secret"), required)
        again = await repeat(here.agent("alice", token="acme-secret"), required)
        assert (done.code, again.code) == ("SUCCESS", "CONFIRMATION_INVALID")


async def test_nothing_of_a_call_but_its_name_is_told_in_events(gateway_with_auth: GatewayServer, alice: Agent) -> None:
    await gateway_with_auth.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    joined = gateway_with_auth.agent("alice", "sess_one", "acme-secret")
    secret = {"post": {"id": "very-secret-argument"}}
    required = await approved(gateway_with_auth, joined, secret, reason="yes")
    await repeat(joined, required, secret)
    await deny(await gateway_with_auth.person(), await use(joined, DELETE, inputs=secret), "no")
    await gateway_with_auth.table.app.ledger.flush()

    response = (await joined.calls("read_events", limit=200, max_chars=0))["events"]
    audit = await gateway_with_auth.table.agent(token=await gateway_with_auth.token("acme", Role.OWNER)).client.get(
        "/audit"
    )

    kinds = [each["kind"] for each in response if each["kind"].startswith(("gateway/", "decision/"))]
    for kind in ("approval_requested", "approved", "denied", "executed"):
        assert f"gateway/{kind}" in kinds
    assert [each["count"] for each in response if each["kind"] == "decision/waiting"] == [1, 0, 1, 0]
    assert audit.status_code == 200
    for text in (str(response), audit.text):
        assert "very-secret-argument" not in text
        assert "cfm_" not in text
