"""What people see of the gateway afterwards: the calls that were made or refused, and what each upstream may take."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from longtable.gateway import call_list
from longtable.kernel.caller import Role
from tests.gateway.hostile.entries import hostile_json
from tests.gateway.slice.gateway import AUTH_ON, DELETE, GET, LIST, GatewayServer, approve, opened, use
from tests.stores import Store

SECRET = "a-secret-argument"


async def calls(client: httpx2.AsyncClient, query: str = "") -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = (await client.get(f"/calls{query}")).json()["calls"]
    return listed


async def test_calls_are_listed_with_who_made_them_and_what_became_of_them(gateway_with_auth: GatewayServer) -> None:
    await gateway_with_auth.agent(token="acme-secret").calls("create_session", session_id="sess_one", purpose="posts")
    alice = gateway_with_auth.agent("alice", "sess_one", "acme-secret")
    person = await gateway_with_auth.person()

    await use(alice, GET, inputs={"id": 1})
    required = await use(alice, DELETE, inputs={"post": {"id": SECRET}})
    await approve(person, required)
    await use(alice, DELETE, inputs={"post": {"id": SECRET}}, confirm_token=required.details["confirm_token"])
    await use(alice, "mindscape_tool_shop_nothing")

    unknown, result, waiting, read = await calls(person)
    assert (read["tool"], read["upstream"], read["agent"], read["session_id"]) == (GET, "shop", "alice", "sess_one")
    assert (read["layer"], read["outcome"], "decision_id" in read) == ("primitive", "SUCCESS", False)
    assert read["purpose"] == "posts"
    assert (waiting["outcome"], result["outcome"]) == ("CONFIRMATION_REQUIRED", "SUCCESS")
    assert waiting["decision_id"] == result["decision_id"] == required.details["confirmation_id"]
    assert (unknown["outcome"], unknown["upstream"], unknown["layer"]) == ("NOT_FOUND", None, None)
    assert all(call["duration_ms"] >= 0 and call["timestamp"] for call in (unknown, result, waiting, read))


async def test_what_was_in_a_call_is_never_listed(gateway_with_auth: GatewayServer) -> None:
    alice = gateway_with_auth.agent("alice", token="acme-secret")
    await use(alice, DELETE, inputs={"post": {"id": SECRET}})

    shown = (await (await gateway_with_auth.person(role=Role.OWNER)).get("/calls")).text

    assert DELETE in shown
    assert SECRET not in shown
    assert "digest" not in shown


async def test_pages_neither_repeat_nor_leave_out_a_call(
    gateway_with_auth: GatewayServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_list, "_LOOKED_AT", 3)
    alice = gateway_with_auth.agent("alice", token="acme-secret")
    for number in range(7):
        await use(alice, GET if number % 2 else "mindscape_tool_shop_nothing", inputs={"id": number})
    person = await gateway_with_auth.person()

    for query, expected in (("", 7), ("&upstream=shop", 3), ("&upstream=nowhere", 0)):
        found: list[str] = []
        cursor = ""
        while True:
            page = (await person.get(f"/calls?limit=2{query}{cursor}")).json()
            assert page["count"] == len(page["calls"]) <= 2
            found += [call["timestamp"] for call in page["calls"]]
            if page["next_cursor"] is None:
                break
            cursor = f"&cursor={page['next_cursor']}"
        assert len(found) == len(set(found)) == expected
        assert found == sorted(found, reverse=True)


async def test_calls_are_chosen_by_session_and_kept_to_the_own_tenant(gateway_with_auth: GatewayServer) -> None:
    for token in ("acme-secret", "rival-secret"):
        await gateway_with_auth.agent(token=token).calls("create_session", session_id="sess_one")
    await use(gateway_with_auth.agent("alice", "sess_one", "acme-secret"), GET, inputs={"id": 1})
    await use(gateway_with_auth.agent("alice", token="acme-secret"), LIST)
    await use(gateway_with_auth.agent("rita", "sess_one", "rival-secret"), GET, inputs={"id": 2})
    person = await gateway_with_auth.person()

    assert [call["tool"] for call in await calls(person, "?session_id=sess_one")] == [GET]
    assert "rita" not in json.dumps(await calls(person))
    assert await calls(person, "?session_id=sess_other") == []


async def test_agents_are_refused_and_do_not_see_the_list(gateway_with_auth: GatewayServer) -> None:
    await gateway_with_auth.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    token = await gateway_with_auth.token("acme", Role.AGENT, agent="bot", session_id="sess_one")
    bot = gateway_with_auth.agent("bot", token=token)

    assert (await bot.client.get("/calls")).status_code == 403
    assert "list_calls" not in (await bot.posts("tools/list", {})).text


async def test_upstreams_say_what_they_are_and_what_they_may_take(store: Store, tmp_path: Path) -> None:
    document = tmp_path / "api.json"
    document.write_text(json.dumps({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {}}))
    web = {"openapi": str(document), "base_url": "http://127.0.0.1:9"}
    far = {"url": "http://127.0.0.1:9/sse", "type": "sse"}
    more = {
        "shop": {"timeout": 7, "max_concurrency": 3, "memory": "128MiB"},
        "servers": {"far": far, "near": hostile_json("calm")},
        "openapi": {"web": web},
        "rate_limits": {"tool": "5/min", "tenant": "100/hour"},
        "allowed_hosts": ["127.0.0.1"],
    }
    async with opened(store, tmp_path, AUTH_ON, **more) as gateway:
        listed = (await (await gateway.person()).get("/upstreams")).json()["upstreams"]

    shown = {each["name"]: each for each in listed}
    assert {name: each["kind"] for name, each in shown.items()} == {
        "far": "sse",
        "near": "stdio",
        "shop": "stdio",
        "web": "openapi",
    }
    assert shown["shop"]["limits"] == {
        "timeout_seconds": 7,
        "max_concurrency": 3,
        "max_response_bytes": 1_048_576,
        "memory_bytes": 134_217_728,
        "tool_rate": {"calls": 5, "per_seconds": 60},
        "caller_rate": None,
        "tenant_rate": {"calls": 100, "per_seconds": 3600},
    }
    assert shown["far"]["limits"]["memory_bytes"] is None
