"""Calls: repeated safely, seen by who may, on record with all that matters and nothing that must not be known."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.caller import Role
from longtable.kernel.canonical import digest
from tests.gateway.hostile.entries import hostile_json
from tests.gateway.slice.gateway import (
    ALICE,
    AUTH_ON,
    DELETE,
    GET,
    LIST,
    CallResponse,
    GatewayServer,
    approve,
    names,
    opened,
    use,
)
from tests.gateway.upstreams.servers import Served
from tests.stores import Store

pytestmark = pytest.mark.slow

FAILURE = "mindscape_tool_shop_get_failure"


async def audited(gateway: GatewayServer, client: Any, event_type: str = "gateway_called") -> list[dict[str, Any]]:
    await gateway.table.app.ledger.flush()
    shown = await client.get("/audit", params={"event_type": event_type, "limit": 200})
    return list(shown.json()["entries"])


async def test_a_call_with_a_key_is_made_once(gateway: GatewayServer) -> None:
    first = await use(gateway.agent(), GET, inputs={"id": 1}, idempotency_key="k")
    second = await use(gateway.agent(), GET, inputs={"id": 1}, idempotency_key="k")
    at_once = await asyncio.gather(
        *(use(gateway.agent(), GET, inputs={"id": 2}, idempotency_key="at once") for _ in range(20))
    )

    assert first.structured == second.structured
    assert {json.dumps(each.structured) for each in at_once} == {'{"arguments": {"id": 2}}'}
    assert gateway.ran() == [{"id": 1}, {"id": 2}]


async def test_a_key_in_meta_counts_as_well_and_stands_in_no_schema(gateway: GatewayServer) -> None:
    listed = await names(gateway.agent())
    params = {"name": GET, "arguments": {"inputs": {"id": 1}}, "_meta": {"longtable/idempotency_key": "k"}}

    for _ in range(2):
        await gateway.agent().posts("tools/call", params)
    both = {**params, "arguments": {"inputs": {"id": 1}, "idempotency_key": "other"}}
    refused = CallResponse((await gateway.agent().posts("tools/call", both)).json()["result"])

    assert gateway.ran() == [{"id": 1}]
    assert refused.code == "INVALID_ARGUMENT"
    assert [name for name, tool in listed.items() if "idempotency_key" in tool["inputSchema"]["properties"]] == []


async def test_a_key_counts_for_one_call_of_one_agent(gateway: GatewayServer) -> None:
    await gateway.table.session("sess_one")
    await use(gateway.agent(), GET, inputs={"id": 1}, idempotency_key="k")

    other_inputs = await use(gateway.agent(), GET, inputs={"id": 2}, idempotency_key="k")
    other_place = await use(gateway.agent(), GET, inputs={"id": 1}, idempotency_key="k", workspace_id="sess_one")
    other_agent = await use(gateway.agent("bob"), GET, inputs={"id": 1}, idempotency_key="k")
    other_tool = await use(gateway.agent(), LIST, inputs={"id": 1}, idempotency_key="k")

    assert (other_inputs.code, other_place.code) == ("IDEMPOTENCY_MISMATCH", "IDEMPOTENCY_MISMATCH")
    assert (other_agent.code, other_tool.code) == ("SUCCESS", "SUCCESS")
    assert len(gateway.ran()) == 3


async def test_what_failed_is_tried_again_under_the_same_key(gateway: GatewayServer) -> None:
    responses = [await use(gateway.agent(), FAILURE, idempotency_key="k") for _ in range(2)]

    assert [each.code for each in responses] == ["FAILED", "FAILED"]
    assert responses[0].result["content"][0]["text"] == "the disk is full"
    assert len(gateway.ran("get_failure")) == 2


async def test_an_approved_call_with_a_key_gives_its_result_again(gateway_with_auth: GatewayServer) -> None:
    alice = gateway_with_auth.agent("alice", token="acme-secret")
    required = await use(alice, DELETE, inputs={"post": {"id": 1}}, idempotency_key="k")
    await approve(await gateway_with_auth.person(), required)
    token = {"confirm_token": required.details["confirm_token"], "idempotency_key": "k"}

    responses = [await use(alice, DELETE, inputs={"post": {"id": 1}}, **token) for _ in range(3)]

    assert [each.code for each in responses] == ["SUCCESS"] * 3
    assert gateway_with_auth.ran() == [{"post": {"id": 1}}]


async def test_without_its_group_nothing_of_the_gateway_is_there(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, {"tool_groups": "workspace,messages"}) as gateway:
        listed = (await gateway.agent().posts("tools/list", {})).json()["result"]["tools"]
        codes = [(await use(gateway.agent(), name)).code for name in (LIST, "gateway_call", "wait_for_decision")]
        routes = [
            (await gateway.agent().client.get(path)).status_code
            for path in ("/decisions", "/pins", "/rules", "/intents")
        ]

        assert not [tool["name"] for tool in listed if "gateway" in tool["name"] or "mindscape" in tool["name"]]
        assert codes == ["NOT_FOUND"] * 3
        assert routes == [404] * 4
        assert gateway.ran() == []


@pytest.mark.parametrize("role", [Role.READER, Role.HUMAN])
async def test_who_only_looks_on_calls_nothing(gateway_with_auth: GatewayServer, role: Role) -> None:
    agent = gateway_with_auth.table.agent(token=await gateway_with_auth.token("acme", role))

    assert await names(agent) == {}
    assert (await use(agent, LIST)).code == "FORBIDDEN"
    assert (await use(agent, DELETE, inputs={"post": {"id": 1}})).code == "FORBIDDEN"
    assert gateway_with_auth.ran() == []


async def test_inputs_as_json_text_are_the_same_call(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, AUTH_ON, listing="search") as gateway:
        alice = gateway.agent("alice", token="acme-secret")

        called = await use(alice, "gateway_call", tool=GET, inputs='{"id": 3}')
        required = await use(alice, "gateway_call", tool=DELETE, inputs={"post": {"id": 1}})
        await approve(await gateway.person(), required)
        token = required.details["confirm_token"]
        other = await use(alice, "gateway_call", tool=DELETE, inputs='{"post": {"id": 2}}', confirm_token=token)
        done = await use(alice, "gateway_call", tool=DELETE, inputs='{"post": {"id": 1}}', confirm_token=token)

    assert called.code == "SUCCESS"
    assert other.code != "SUCCESS"
    assert done.code == "SUCCESS"


async def test_tools_can_be_looked_for_instead_of_listed(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, AUTH_ON, listing="search") as gateway:
        alice = gateway.agent("alice", token="acme-secret")
        listed = {tool["name"]: tool for tool in (await alice.posts("tools/list", {})).json()["result"]["tools"]}
        every = set(listed)
        found = await alice.calls("gateway_search_tools", query="delete post")
        called = await use(alice, "gateway_call", tool=GET, inputs={"id": 3})
        required = await use(alice, "gateway_call", tool=DELETE, inputs={"post": {"id": 1}})
        await approve(await gateway.person(), required)
        token = required.details["confirm_token"]
        done = await use(alice, "gateway_call", tool=DELETE, inputs={"post": {"id": 1}}, confirm_token=token)
        codes = [
            (await use(alice, "gateway_call", tool=name)).code
            for name in ("gateway_call", "add_note", "shop.list_posts", "mindscape_tool_shop_debug_dump", "")
        ]

        assert {"gateway_search_tools", "gateway_call"} <= every
        # What another server answers fits no schema of ours, and clients refuse what does not fit.
        assert "outputSchema" not in listed["gateway_call"]
        assert not [name for name in every if "_shop_" in name]
        assert [tool["name"] for tool in found["tools"]] == [DELETE]
        assert found["tools"][0]["requires_confirmation"] is True
        assert (called.code, required.code, done.code) == ("SUCCESS", "CONFIRMATION_REQUIRED", "SUCCESS")
        assert codes == ["NOT_FOUND"] * 4 + ["INVALID_ARGUMENT"]
        assert gateway.ran() == [{"id": 3}, {"post": {"id": 1}}]


async def test_a_search_finds_what_fits_best_and_a_misspelt_tool_is_named(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, AUTH_ON, listing="search") as gateway:
        alice = gateway.agent("alice", token="acme-secret")

        some = await alice.calls("gateway_search_tools", query="delete my embarrassing post")
        whole = await alice.calls("gateway_search_tools", query="post")
        nothing = await alice.calls("gateway_search_tools", query="weather")
        misspelt = await use(alice, "gateway_call", tool=DELETE + "s")
        unlike = await use(alice, "gateway_call", tool="mindscape_tool_shop_weather")

        assert some["tools"][0]["name"] == DELETE
        assert not whole["tools"][0]["name"].endswith("posts")
        assert nothing["tools"] == []
        assert f"There is no tool '{DELETE}s'. Did you mean '{DELETE}'?" in misspelt.message
        assert "Did you mean" not in unlike.message


async def test_where_all_tools_are_listed_there_is_no_second_way_to_them(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, listing="full") as gateway:
        listed = {tool["name"] for tool in (await gateway.agent().posts("tools/list", {})).json()["result"]["tools"]}

        response = await use(gateway.agent(), "gateway_call", tool=LIST)

        assert not listed & {"gateway_search_tools", "gateway_call"}
        assert (response.code, gateway.ran()) == ("NOT_FOUND", [])


async def test_every_call_and_refusal_is_on_record_without_its_arguments(gateway_with_auth: GatewayServer) -> None:
    alice, person = (
        gateway_with_auth.agent("alice", token="acme-secret"),
        await gateway_with_auth.person(role=Role.OWNER),
    )
    secret = {"post": {"id": "top-secret-value"}}
    required = await use(alice, DELETE, inputs=secret)
    await approve(person, required)
    await use(alice, DELETE, inputs=secret, confirm_token=required.details["confirm_token"])
    await use(alice, DELETE, inputs=secret, confirm_token=required.details["confirm_token"])
    await use(alice, GET, inputs={"id": "top-secret-value"})
    await use(alice, FAILURE, inputs={"x": "top-secret-value"})
    await use(alice, "mindscape_tool_shop_no_such_tool", inputs=secret)
    await use(gateway_with_auth.table.agent(token=await gateway_with_auth.token("acme", Role.READER)), LIST)

    entries = await audited(gateway_with_auth, person)

    assert sorted((each["object"].removeprefix("tool:mindscape_"), each["outcome"]) for each in entries) == [
        ("run_shop_delete_post", "CONFIRMATION_INVALID"),
        ("run_shop_delete_post", "CONFIRMATION_REQUIRED"),
        ("run_shop_delete_post", "SUCCESS"),
        ("tool_shop_get_failure", "UPSTREAM_ERROR"),
        ("tool_shop_get_post", "INVALID_ARGUMENT"),
        ("tool_shop_list_posts", "FORBIDDEN"),
        ("tool_shop_no_such_tool", "NOT_FOUND"),
    ]
    [done] = [each for each in entries if each["outcome"] == "SUCCESS"]
    known = done["metadata"]
    assert (known["upstream"], known["layer"], known["decision_id"]) == ("shop", "governed", "d1")
    assert known["arguments_digest"] == digest(secret)
    assert known["duration_ms"] > 0
    assert (done["agent_id"], done["surface"]) == ("alice", "http")
    [unknown] = [each for each in entries if each["outcome"] == "NOT_FOUND"]
    assert unknown["metadata"]["arguments_digest"] == digest(secret)
    whole = (await person.get("/audit", params={"limit": 500})).text
    assert "top-secret-value" not in whole
    assert "cfm_" not in whole
    assert (await person.post("/audit/verify", json={})).json()["holds"] is True


async def test_what_became_of_a_decision_is_on_record_beside_the_call(gateway_with_auth: GatewayServer) -> None:
    alice, person = (
        gateway_with_auth.agent("alice", token="acme-secret"),
        await gateway_with_auth.person(role=Role.OWNER),
    )
    required = await use(alice, DELETE, inputs={"post": {"id": 1}})
    await approve(person, required)
    await use(alice, DELETE, inputs={"post": {"id": 1}}, confirm_token=required.details["confirm_token"])

    for event_type in ("approval_requested", "decision_approved", "approval_used"):
        [entry] = await audited(gateway_with_auth, person, event_type)
        assert (entry["object"], entry["outcome"]) == ("decision:d1", "SUCCESS")


async def test_a_call_that_its_caller_gave_up_is_on_record(gateway: GatewayServer) -> None:
    begun = asyncio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        begun.set()

    service = gateway.table.app.slices.gateway
    going = asyncio.create_task(service.call(ALICE, "mindscape_tool_shop_get_slow", {"seconds": 2}, hear))
    async with asyncio.timeout(40):
        await begun.wait()
    going.cancel()
    await asyncio.wait({going})

    assert [each["outcome"] for each in await audited(gateway, gateway.agent().client)] == ["CANCELLED"]


async def test_calls_are_counted_by_upstream_layer_and_outcome(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, {"enable_metrics": "true"}) as gateway:
        for _ in range(3):
            await use(gateway.agent(), LIST)
        await use(gateway.agent(), DELETE, inputs={"post": {"id": 1}})
        await use(gateway.agent(), FAILURE)
        await use(gateway.agent(), "mindscape_tool_shop_nothing")

        text = (await gateway.agent().client.get("/metrics")).text

    found = {
        tuple(re.findall(r'"([^"]*)"', labels)): float(value)
        for labels, value in re.findall(r"^longtable_gateway_calls_total\{(.*)\} (\S+)$", text, re.MULTILINE)
    }
    named = {
        tuple(sorted(re.findall(r"([a-z]+)=", labels)))
        for labels in re.findall(r"^longtable_gateway_calls_total\{(.*)\} ", text, re.MULTILINE)
    }
    assert named == {("layer", "outcome", "upstream")}
    assert {frozenset(key): value for key, value in found.items()} == {
        frozenset({"shop", "primitive", "SUCCESS"}): 3.0,
        frozenset({"shop", "governed", "CONFIRMATION_REQUIRED"}): 1.0,
        frozenset({"shop", "primitive", "UPSTREAM_ERROR"}): 1.0,
        frozenset({"none", "NOT_FOUND"}): 1.0,
    }


async def test_no_upstream_ever_sees_the_callers_credential(store: Store, tmp_path: Path) -> None:
    with Served() as served:
        web = {"url": served.start("over_http", "http", 0).address}
        servers = {"calm": hostile_json("calm", env={"OWN": "1"}, layer_overrides={"environment": "tool"}), "web": web}
        async with opened(store, tmp_path, AUTH_ON, servers=servers) as gateway:
            await gateway.agent(token="acme-secret").calls("create_session", session_id="sess_one")
            alice = gateway.agent("alice", "sess_one", "acme-secret")
            seen = [
                await use(alice, "mindscape_tool_shop_get_environment"),
                await use(alice, "mindscape_tool_calm_environment"),
                await use(alice, "mindscape_tool_web_get_headers"),
            ]

    assert [each.code for each in seen] == ["SUCCESS"] * 3
    for each in seen:
        text = json.dumps(each.result)
        assert "acme-secret" not in text
        assert "Bearer" not in text
    headers = seen[2].structured.get("result", seen[2].structured)
    assert "authorization" not in headers
    assert not [name for name in headers if name.startswith("x-")]


async def test_a_tool_whose_server_is_away_is_not_called_unknown(store: Store, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    servers = {"frail": hostile_json("crashing", "list", broken)}
    async with opened(store, tmp_path, servers=servers) as gateway:
        before = await use(gateway.agent(), "mindscape_tool_frail_get_pid")
        broken.touch()

        responses = [await use(gateway.agent(), "mindscape_tool_frail_get_pid") for _ in range(7)]
        never = await use(gateway.agent(), "mindscape_tool_frail_get_nothing")
        listed = set(await names(gateway.agent()))

    assert (before.code, {each.code for each in responses}) == ("SUCCESS", {"UPSTREAM_ERROR"})
    assert {each.details["upstream"] for each in responses} == {"frail"}
    assert (never.code, {"mindscape_tool_frail_get_pid", LIST} & listed) == ("NOT_FOUND", {LIST})


async def test_what_a_call_tells_of_usage_counts_once_for_each_key(gateway_with_auth: GatewayServer) -> None:
    alice = gateway_with_auth.agent("alice", token="acme-secret")
    usage = {"gen_ai.request.model": "m-1", "gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 3}
    params = {"name": GET, "arguments": {"inputs": {"id": 1}}, "_meta": usage}

    for key in ("one", "one", "two"):
        await alice.posts("tools/call", {**params, "_meta": {**usage, "longtable/idempotency_key": key}})
    await alice.posts("tools/call", params)
    await gateway_with_auth.table.app.slices.call_usage.save()

    seen = (await (await gateway_with_auth.person()).get("/usage?by=agent")).json()
    assert seen["usage"] == [{"agent": "alice", "input_tokens": 21, "output_tokens": 9, "reports": 3}]
