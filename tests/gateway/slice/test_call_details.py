"""What people can read of a call afterwards: what was in it, what came back, by which rule, and the tool as it was."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from longtable.gateway import call_detail_store
from longtable.gateway.kept_text import MAX_KEPT, kept_json
from longtable.kernel.caller import Role
from longtable.kernel.clock import DAY, HOUR
from tests.gateway.slice.gateway import AUTH_ON, DELETE, GET, LIST, GatewayServer, approve, opened, use
from tests.stores import Store

SECRET = "sk-abcdefghijklmnop1234"


async def newest(person: httpx2.AsyncClient) -> dict[str, Any]:
    call: dict[str, Any] = (await person.get("/calls")).json()["calls"][0]
    return call


async def detail(person: httpx2.AsyncClient, call_id: str | None = None) -> dict[str, Any]:
    answer = await person.get(f"/calls/{call_id or (await newest(person))['call_id']}")
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def test_a_call_is_read_with_its_arguments_result_rule_and_definition(gateway_with_auth: GatewayServer) -> None:
    await gateway_with_auth.agent(token="acme-secret").calls("create_session", session_id="sess_one", purpose="posts")
    alice = gateway_with_auth.agent("alice", "sess_one", "acme-secret")
    person = await gateway_with_auth.person()

    await use(alice, GET, inputs={"id": 1})

    listed, shown = await newest(person), await detail(person)
    assert {**shown["call"], "timestamp": ""} == {**listed, "timestamp": ""}
    assert (listed["tool"], listed["agent"], listed["purpose"]) == (GET, "alice", "posts")
    assert shown["arguments"] == {"value": {"inputs": {"id": 1}}}
    assert shown["result"]["value"]["content"][0]["type"] == "text"
    assert (shown["rule"]["layer"], shown["rule"]["confirm"]) == ("primitive", "none")
    assert shown["rule"]["reason"]
    assert (shown["definition"]["name"], shown["definition"]["upstream"]) == ("get_post", "shop")
    assert "error" not in shown
    assert "decision" not in shown


async def test_a_call_that_waited_shows_the_refusal_and_then_who_decided(gateway_with_auth: GatewayServer) -> None:
    alice = gateway_with_auth.agent("alice", token="acme-secret")
    person = await gateway_with_auth.person()
    required = await use(alice, DELETE, inputs={"post": {"id": 1}})
    waiting = await detail(person)
    await approve(person, required)
    token = required.details["confirm_token"]
    await use(alice, DELETE, inputs={"post": {"id": 1}}, confirm_token=token)

    done = await detail(person)

    assert waiting["error"]["value"]["code"] == "CONFIRMATION_REQUIRED"
    assert waiting["decision"]["status"] == "waiting"
    assert (done["decision"]["decided_by"], done["decision"]["status"]) == ("human:acme-human", "used")
    assert done["call"]["decision_id"] == waiting["call"]["decision_id"]
    assert token not in json.dumps([waiting["error"], waiting["arguments"], done["arguments"]])


async def test_a_call_of_no_tool_shows_its_error_and_no_definition(gateway_with_auth: GatewayServer) -> None:
    await use(gateway_with_auth.agent("alice", token="acme-secret"), "mindscape_tool_shop_nothing", inputs={"id": 1})

    shown = await detail(await gateway_with_auth.person())

    assert shown["error"]["value"]["code"] == "NOT_FOUND"
    assert ("definition" in shown, "rule" in shown, "result" in shown) == (False, False, False)


async def test_what_looks_like_a_secret_is_not_kept(gateway_with_auth: GatewayServer) -> None:
    alice = gateway_with_auth.agent("alice", token="acme-secret")
    inputs = {"post": {"id": 1, "api_key": "plain", "text": f"use {SECRET} for it"}}
    await use(alice, DELETE, inputs=inputs)

    shown = await detail(await gateway_with_auth.person(role=Role.OWNER))

    kept = shown["arguments"]["value"]["inputs"]["post"]
    assert kept == {"id": 1, "api_key": "[hidden]", "text": "use [redacted] for it"}


@pytest.mark.parametrize("role", [Role.ORCHESTRATOR, Role.AGENT, Role.READER])
async def test_only_people_may_read_a_call(gateway_with_auth: GatewayServer, role: Role) -> None:
    await gateway_with_auth.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    await use(gateway_with_auth.agent("alice", token="acme-secret"), GET, inputs={"id": 1})
    call_id = (await newest(await gateway_with_auth.person()))["call_id"]
    fixed = {"agent": "bot", "session_id": "sess_one"} if role is Role.AGENT else {}
    client = gateway_with_auth.agent(token=await gateway_with_auth.token("acme", role, **fixed)).client

    assert (await client.get(f"/calls/{call_id}")).status_code == 403


async def test_another_tenant_and_a_wrong_id_get_the_same_answer(gateway_with_auth: GatewayServer) -> None:
    await use(gateway_with_auth.agent("alice", token="acme-secret"), GET, inputs={"id": 1})
    call_id = (await newest(await gateway_with_auth.person()))["call_id"]
    rival = await gateway_with_auth.person("rival")

    foreign, wrong = [await rival.get(f"/calls/{each}") for each in (call_id, "call_0")]

    assert foreign.status_code == wrong.status_code == 404
    assert foreign.json()["error"] == wrong.json()["error"]


async def test_twenty_calls_at_once_are_all_kept(gateway_with_auth: GatewayServer) -> None:
    alice = gateway_with_auth.agent("alice", token="acme-secret")
    await asyncio.gather(*(use(alice, GET, inputs={"id": number}) for number in range(20)))
    person = await gateway_with_auth.person()

    calls = (await person.get("/calls")).json()["calls"]
    kept = await asyncio.gather(*(detail(person, call["call_id"]) for call in calls))

    assert sorted(each["arguments"]["value"]["inputs"]["id"] for each in kept) == list(range(20))
    assert all(each["definition"]["name"] == "get_post" for each in kept)


async def test_the_event_of_a_call_leads_to_it(gateway_with_auth: GatewayServer) -> None:
    await gateway_with_auth.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    alice = gateway_with_auth.agent("alice", "sess_one", "acme-secret")
    await use(alice, GET, inputs={"id": 1})
    person = await gateway_with_auth.person()
    call_id = (await newest(person))["call_id"]

    events = (await alice.calls("read_events", after=0, kinds=["gateway/executed"]))["events"]

    assert [event["call_id"] for event in events] == [call_id]


async def test_what_was_in_a_call_is_forgotten_in_time(gateway_with_auth: GatewayServer) -> None:
    table = gateway_with_auth.table
    alice = gateway_with_auth.agent("alice", token="acme-secret")
    person = await gateway_with_auth.person()
    await use(alice, GET, inputs={"id": 1})
    old = (await newest(person))["call_id"]
    table.clock.ahead = 6 * DAY
    await use(alice, GET, inputs={"id": 2})
    new = (await newest(person))["call_id"]
    table.clock.ahead = 7 * DAY + HOUR

    await table.app.slices.gateway.dependencies.details.forget_old(table.app.ledger)

    assert (await person.get(f"/calls/{old}")).status_code == 404
    assert (await detail(person, new))["definition"]["name"] == "get_post"
    assert [call["call_id"] for call in (await person.get("/calls")).json()["calls"]] == [new, old]


async def test_only_the_newest_calls_of_a_tenant_are_kept(
    gateway_with_auth: GatewayServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_detail_store, "KEPT_CALLS", 2)
    table = gateway_with_auth.table
    for token in ("acme-secret", "rival-secret"):
        for number in range(4 if token == "acme-secret" else 1):
            await use(gateway_with_auth.agent("alice", token=token), GET, inputs={"id": number})
    person, rival = await gateway_with_auth.person(), await gateway_with_auth.person("rival")
    calls = [call["call_id"] for call in (await person.get("/calls")).json()["calls"]]
    theirs = await newest(rival)

    await table.app.slices.gateway.dependencies.details.forget_old(table.app.ledger)

    statuses = [(await person.get(f"/calls/{call_id}")).status_code for call_id in calls]
    assert statuses == [200, 200, 404, 404]
    assert (await rival.get(f"/calls/{theirs['call_id']}")).status_code == 200


async def test_nothing_is_kept_where_the_operator_says_so(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, {**AUTH_ON, "gateway_calls_kept": "0"}) as gateway:
        await use(gateway.agent("alice", token="acme-secret"), LIST)

        assert "call_id" not in await newest(await gateway.person())


def test_what_is_too_long_is_cut_and_stays_json() -> None:
    long = {"text": "ä" * 50_000, "list": list(range(10_000)), "number": 10**200}

    kept = json.loads(kept_json(long))

    assert (kept["truncated"], len(kept["kept"]["text"])) == (True, MAX_KEPT - len("text") - 4 + 1)
    assert len(kept_json({"list": list(range(10_000))})) < 2 * MAX_KEPT
    assert "truncated" not in json.loads(kept_json({"text": "short", "none": None, "yes": True}))


def test_what_is_nested_too_deeply_is_cut() -> None:
    value: Any = "inside"
    for _ in range(5_000):
        value = [value]

    assert json.loads(kept_json(value))["truncated"] is True
