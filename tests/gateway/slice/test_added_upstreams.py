"""Upstreams that owners add, change, disable and remove while the server runs."""

import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from longtable.gateway import upstream_store
from longtable.kernel.caller import Role
from tests.gateway.hostile.entries import hostile_json
from tests.gateway.protocol.conftest import asks, library, upstream_resources
from tests.gateway.slice.gateway import AUTH_ON, LIST, GatewayServer, names, opened, use
from tests.stores import Store
from tests.table import Agent, open_table

ECHO = "mindscape_tool_calm_echo"
CALM = hostile_json("calm")
SECRET = "hunter2-and-more"


def alice(gateway: GatewayServer) -> Agent:
    return gateway.agent("alice", token="acme-secret")


async def owner_of(gateway: GatewayServer, tenant: str = "acme") -> httpx2.AsyncClient:
    return await gateway.person(tenant, Role.OWNER)


async def added(gateway: GatewayServer, **more: Any) -> dict[str, Any]:
    """Under a rule that lets its tools run without asking."""
    owner = await owner_of(gateway)
    await owner.put("/rules", json={"rules": [{"match": "calm.*", "layer": "tool"}]})
    response = await owner.post("/upstreams", json={"name": "calm", "entry": CALM, "accept": True, **more})
    assert response.status_code == 201, response.text
    body: dict[str, Any] = response.json()
    return body


async def events_of(gateway: GatewayServer) -> list[dict[str, Any]]:
    created = await alice(gateway).calls("create_session", purpose="to read what happened")
    agent = gateway.agent("alice", created["session_id"], "acme-secret")
    events: list[dict[str, Any]] = (await agent.calls("read_events", kinds=["gateway/tools_changed"], after=0))[
        "events"
    ]
    return events


@pytest.mark.parametrize("name", ["a/b", ".", ".."])
async def test_a_bad_name_that_no_address_could_have_is_refused(gateway_with_auth: GatewayServer, name: str) -> None:
    owner = await owner_of(gateway_with_auth)

    refused = await owner.post("/upstreams", json={"name": name, "entry": CALM})

    assert refused.status_code == 400
    assert refused.json()["error"]["error"] == "name: must not contain a slash, nor be one or two dots."
    assert name not in {each["name"] for each in (await owner.get("/upstreams")).json()["upstreams"]}


async def test_the_keys_of_an_entry_may_stand_beside_the_name(gateway_with_auth: GatewayServer) -> None:
    owner = await owner_of(gateway_with_auth)

    created = await owner.post("/upstreams", json={"name": "calm", **CALM})
    changed = await owner.patch("/upstreams/calm", json={**CALM, "timeout": 7})
    nothing = await owner.post("/upstreams", json={"name": "empty", "enabled": True})

    assert (created.status_code, created.json()["upstream"]["kind"]) == (201, "stdio")
    assert (changed.status_code, changed.json()["upstream"]["limits"]["timeout_seconds"]) == (200, 7)
    assert nothing.status_code == 400
    assert "entry: is required" in nothing.json()["error"]["error"]


async def test_an_added_upstream_is_used_at_once_when_its_tools_are_accepted(
    gateway_with_auth: GatewayServer,
) -> None:
    body = await added(gateway_with_auth)

    response = await use(alice(gateway_with_auth), ECHO, inputs={"text": "hello"})

    assert response.code == "SUCCESS"
    assert "echo" in body["accepted"]
    assert (body["upstream"]["source"], body["upstream"]["added"]["created_by"]) == ("added", "human:acme-owner")
    assert ECHO in await names(alice(gateway_with_auth))


async def test_the_answer_to_an_acceptance_shows_the_tools_that_can_be_used_now(
    gateway_with_auth: GatewayServer,
) -> None:
    at_once = (await added(gateway_with_auth))["upstream"]["tools"]
    owner = await owner_of(gateway_with_auth)
    await owner.post("/upstreams", json={"name": "later", "entry": CALM})

    later = (await owner.patch("/upstreams/later", json={"accept": True})).json()["upstream"]["tools"]

    assert {tool["tool"]: tool["quarantined"] for tool in at_once}["echo"] is False
    assert {tool["tool"]: tool["quarantined"] for tool in later}["echo"] is False


async def test_the_answer_to_a_change_shows_the_tools_that_there_are_then(gateway_with_auth: GatewayServer) -> None:
    await added(gateway_with_auth)
    owner = await owner_of(gateway_with_auth)

    bodies: list[dict[str, Any]] = [{"enabled": False}, {"enabled": True}, {"entry": {**CALM, "timeout": 7}}, {}]
    answers = [await owner.patch("/upstreams/calm", json=body) for body in bodies]

    shown = [{tool["tool"] for tool in each.json()["upstream"]["tools"]} for each in answers]
    assert shown[0] == set()
    assert all("echo" in tools for tools in shown[1:]), shown


async def test_accepting_waits_for_one_start_of_a_program_that_does_not_start(
    gateway_with_auth: GatewayServer, tmp_path: Path
) -> None:
    starts = tmp_path / "starts"
    program = f"open({str(starts)!r}, 'a').write('x')"
    owner = await owner_of(gateway_with_auth)

    entry = {"command": sys.executable, "args": ["-c", program]}
    answer = await owner.post("/upstreams", json={"name": "gone", "entry": entry, "accept": True})

    assert (answer.status_code, answer.json()["accepted"]) == (201, [])
    assert "did not start" in answer.json()["upstream"]["problem"]
    assert starts.read_text() == "x"


async def test_its_resources_and_prompts_are_there_once_its_tools_are_accepted(
    gateway_with_auth: GatewayServer, tmp_path: Path
) -> None:
    owner, agent = await owner_of(gateway_with_auth), alice(gateway_with_auth)
    await owner.post("/upstreams", json={"name": "library", "entry": library(tmp_path / "reading")})
    before, book = await upstream_resources(agent), "longtable://upstream/library/book://shelf/1"
    refused = await asks(agent, "resources/read", uri=book)

    await owner.patch("/upstreams/library", json={"accept": True})

    prompts = [prompt["name"] for prompt in (await asks(agent, "prompts/list"))["prompts"]]
    assert (before, refused["data"]["code"]) == ({}, "NOT_FOUND")
    assert book in await upstream_resources(agent)
    assert "contents" in await asks(agent, "resources/read", uri=book)
    assert any(name.startswith("mindscape_prompt_library_") for name in prompts)


async def test_a_tool_that_is_gone_is_not_suggested_in_its_own_place(gateway_with_auth: GatewayServer) -> None:
    await added(gateway_with_auth)
    agent, owner = alice(gateway_with_auth), await owner_of(gateway_with_auth)
    assert ECHO in await names(agent)
    await owner.delete("/upstreams/calm")

    gone = await use(agent, ECHO, inputs={"text": "hello"})

    assert gone.code == "NOT_FOUND"
    assert f"Did you mean '{ECHO}'" not in gone.message


async def test_its_tools_wait_until_they_are_accepted(gateway_with_auth: GatewayServer) -> None:
    await added(gateway_with_auth, accept=False)
    owner = await owner_of(gateway_with_auth)
    waiting = await use(alice(gateway_with_auth), ECHO, inputs={"text": "hello"})

    accepted = (await owner.patch("/upstreams/calm", json={"accept": True})).json()
    response = await use(alice(gateway_with_auth), ECHO, inputs={"text": "hello"})

    assert (waiting.code, response.code) == ("TOOL_QUARANTINED", "SUCCESS")
    assert "echo" in accepted["accepted"]


async def test_it_is_there_for_its_own_tenant_alone(gateway_with_auth: GatewayServer) -> None:
    await added(gateway_with_auth)
    rival = await owner_of(gateway_with_auth, "rival")

    listed = [each["name"] for each in (await rival.get("/upstreams")).json()["upstreams"]]
    shown = await rival.get("/upstreams/calm")
    removed = await rival.delete("/upstreams/calm")
    response = await use(gateway_with_auth.agent("bob", token="rival-secret"), ECHO, inputs={"text": "hello"})

    assert (listed, shown.status_code, removed.status_code) == (["shop"], 404, 404)
    assert response.code == "NOT_FOUND"


async def test_it_can_be_disabled_enabled_changed_and_removed(gateway_with_auth: GatewayServer) -> None:
    await added(gateway_with_auth)
    owner, agent = await owner_of(gateway_with_auth), alice(gateway_with_auth)

    disabled = (await owner.patch("/upstreams/calm", json={"enabled": False})).json()["upstream"]
    while_disabled = await use(agent, ECHO, inputs={"text": "hello"})
    await owner.patch("/upstreams/calm", json={"enabled": True})
    while_enabled = await use(agent, ECHO, inputs={"text": "hello"})
    denied = {**CALM, "deny": ["echo"]}
    await owner.patch("/upstreams/calm", json={"entry": denied})
    after_change = await use(agent, ECHO, inputs={"text": "hello"})
    removed = (await owner.delete("/upstreams/calm")).json()
    after_removal = await owner.get("/upstreams/calm")

    assert (disabled["on"], disabled["health"]) == (False, "stopped")
    assert (while_disabled.code, while_enabled.code, after_change.code) == ("NOT_FOUND", "SUCCESS", "NOT_FOUND")
    assert (removed["removed"], after_removal.status_code) == (True, 404)


async def test_one_that_is_added_again_under_the_same_name_is_another_one(gateway_with_auth: GatewayServer) -> None:
    await added(gateway_with_auth)
    owner = await owner_of(gateway_with_auth)
    await owner.delete("/upstreams/calm")

    await added(gateway_with_auth, accept=False)

    assert (await use(alice(gateway_with_auth), ECHO, inputs={"text": "hello"})).code == "TOOL_QUARANTINED"


async def test_an_entry_of_the_file_is_disabled_for_the_own_tenant_but_never_changed(
    gateway_with_auth: GatewayServer,
) -> None:
    owner = await owner_of(gateway_with_auth)

    refused = [
        await owner.patch("/upstreams/shop", json={"entry": CALM}),
        await owner.delete("/upstreams/shop"),
        await owner.post("/upstreams", json={"name": "shop", "entry": CALM}),
        await owner.post("/upstreams", json={"name": "calm", "entry": {**CALM, "pack": "shop"}}),
    ]
    disabled = (await owner.patch("/upstreams/shop", json={"enabled": False})).json()["upstream"]
    ours = await use(alice(gateway_with_auth), LIST)
    theirs = await use(gateway_with_auth.agent("bob", token="rival-secret"), LIST)

    assert [each.status_code for each in refused] == [409, 409, 409, 409]
    assert all("gateway file" in each.json()["error"]["error"] for each in refused)
    assert (disabled["on"], disabled["source"]) == (False, "file")
    assert (ours.code, theirs.code) == ("NOT_FOUND", "SUCCESS")


async def test_only_an_owner_changes_upstreams(gateway_with_auth: GatewayServer) -> None:
    await added(gateway_with_auth)
    person = await gateway_with_auth.person("acme", Role.HUMAN)

    answers = [
        await person.post("/upstreams", json={"name": "more", "entry": CALM}),
        await person.patch("/upstreams/calm", json={"enabled": False}),
        await person.delete("/upstreams/calm"),
    ]

    assert [each.status_code for each in answers] == [403, 403, 403]


@pytest.mark.parametrize(
    ("body", "status", "place"),
    [
        ({"name": "x", "entry": {}}, 400, "entry"),
        ({"name": "x", "entry": {"command": "a", "argz": []}}, 400, "entry.argz"),
        ({"name": "x", "entry": {"url": "https://user:secret@docs.example"}}, 400, "entry.url"),
        ({"name": "x", "entry": {"url": "http://169.254.169.254.nip.example.internal\u0000/"}}, 400, "entry.url"),
        ({"name": "x", "entry": {"command": "a", "env": {"KEY": "${NOT_SET_HERE}"}}}, 400, "entry.env.KEY"),
        ({"name": "x", "entry": {"url": "http://docs.example/mcp"}}, 400, "entry.url: http to docs.example is refused"),
        ({"name": "x", "entry": {"url": "https://10.0.0.5/mcp"}}, 400, "entry.url: 10.0.0.5 is refused"),
        (
            {"name": "x", "entry": {"url": "https://[::ffff:10.0.0.5]/mcp"}},
            400,
            "entry.url: ::ffff:10.0.0.5 is refused",
        ),
        ({"name": "x", "entry": {"openapi": "https://169.254.169.254/o.json"}}, 400, "entry.openapi: 169.254.169.254"),
    ],
)
async def test_an_entry_is_checked_like_one_of_the_file(
    gateway_with_auth: GatewayServer, body: dict[str, Any], status: int, place: str
) -> None:
    owner = await owner_of(gateway_with_auth)

    answer = await owner.post("/upstreams", json=body)

    assert (answer.status_code, place in answer.json()["error"]["error"]) == (status, True)


async def test_a_typed_secret_is_used_and_never_shown(gateway_with_auth: GatewayServer) -> None:
    entry = {**CALM, "env": {"API_KEY": SECRET, "HOME_OF": "${env:HOME}"}}
    owner = await owner_of(gateway_with_auth)

    answers = [
        await owner.post("/upstreams", json={"name": "calm", "entry": entry}),
        await owner.get("/upstreams"),
        await owner.get("/upstreams/calm"),
        await owner.patch("/upstreams/calm", json={"entry": {**entry, "timeout": 9}, "enabled": True}),
        await owner.post("/upstreams", json={"name": "calm", "entry": entry}),
        await owner.get("/audit", params={"limit": 500}),
    ]
    events = await events_of(gateway_with_auth)

    assert all(SECRET not in answer.text for answer in answers)
    assert SECRET not in json.dumps(events)
    assert answers[2].json()["upstream"]["added"]["entry"]["env"] == {
        "API_KEY": "[hidden]",
        "HOME_OF": "${env:HOME}",
    }


async def test_a_change_that_repeats_what_was_hidden_keeps_it(gateway_with_auth: GatewayServer) -> None:
    entry = {**CALM, "env": {"API_KEY": SECRET}}
    owner = await owner_of(gateway_with_auth)
    await owner.post("/upstreams", json={"name": "calm", "entry": entry})
    shown = (await owner.get("/upstreams/calm")).json()["upstream"]["added"]["entry"]

    await owner.patch("/upstreams/calm", json={"entry": {**shown, "timeout": 9}})

    (row,) = gateway_with_auth.table.app.slices.gateway.added.rows("acme")
    assert row.entry == {**entry, "timeout": 9}


async def test_a_hidden_secret_does_not_follow_to_another_address(gateway_with_auth: GatewayServer) -> None:
    entry = {"url": "https://docs.example/mcp", "headers": {"Authorization": f"Bearer {SECRET}"}}
    owner = await owner_of(gateway_with_auth)
    await owner.post("/upstreams", json={"name": "docs", "entry": entry, "enabled": False})
    shown = (await owner.get("/upstreams/docs")).json()["upstream"]["added"]["entry"]

    refused = await owner.patch("/upstreams/docs", json={"entry": {**shown, "url": "https://evil.example/mcp"}})

    (row,) = gateway_with_auth.table.app.slices.gateway.added.rows("acme")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "INVALID_ARGUMENT")
    assert "entry.headers.Authorization" in refused.json()["error"]["error"]
    assert row.entry == entry


async def test_a_secret_among_the_arguments_is_shown_to_nobody(gateway_with_auth: GatewayServer) -> None:
    header = ["--header", f"Authorization: Bearer {SECRET}"]
    owner = await owner_of(gateway_with_auth)

    await owner.post("/upstreams", json={"name": "calm", "entry": {**CALM, "args": [*CALM["args"], *header]}})
    shown = (await owner.get("/upstreams")).text

    (stored,) = await gateway_with_auth.table.app.database.read("acme", upstream_store.every)
    assert SECRET not in shown
    assert SECRET not in json.dumps(dict(stored.entry))


async def test_every_change_is_an_event_and_an_audit_record(gateway_with_auth: GatewayServer) -> None:
    await added(gateway_with_auth, accept=False)
    owner = await owner_of(gateway_with_auth)

    await owner.patch("/upstreams/calm", json={"enabled": False})
    await owner.delete("/upstreams/calm")

    events = await events_of(gateway_with_auth)
    entries = (await owner.get("/audit", params={"limit": 500})).json()["entries"]
    assert [each["upstream"] for each in events].count("calm") >= 3
    assert {"upstream_added", "upstream_changed", "upstream_removed"} <= {each["event_type"] for each in entries}


class TestWhereOnlyTheOperatorMayUseTheMachine:
    @pytest.fixture
    async def restricted(self, store: Store, tmp_path: Path) -> AsyncIterator[GatewayServer]:
        async with opened(store, tmp_path, {**AUTH_ON, "upstream_commands": "operator"}) as gateway:
            yield gateway

    @pytest.mark.parametrize(
        "entry",
        [
            CALM,
            {"url": "http://127.0.0.1:9/mcp"},
            {"url": "https://docs.example/mcp", "headers": {"X": "${env:HOME}"}},
            {"openapi": "/etc/hostname"},
        ],
    )
    async def test_an_owner_cannot_add_what_uses_it(self, restricted: GatewayServer, entry: dict[str, Any]) -> None:
        owner = await owner_of(restricted)

        answer = await owner.post("/upstreams", json={"name": "calm", "entry": entry})

        assert answer.status_code == 403
        assert "longtable upstreams add" in answer.text

    async def test_an_owner_adds_a_public_address(self, restricted: GatewayServer) -> None:
        owner = await owner_of(restricted)

        answer = await owner.post("/upstreams", json={"name": "docs", "entry": {"url": "https://docs.example/mcp"}})

        assert answer.status_code == 201


async def test_a_server_without_a_gateway_gets_one_with_the_first_upstream(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path, enable_semantic_search="false", **AUTH_ON) as table:
        gateway = GatewayServer(table, tmp_path / "journal")
        before = await names(alice(gateway))
        before_of_rival = (await gateway.agent("bob", token="rival-secret").posts("tools/list", {})).json()

        await added(gateway)
        table.clock.ahead += 1_100_000

        rival = gateway.agent("bob", token="rival-secret")

        assert before == {}
        assert (await rival.posts("tools/list", {})).json() == before_of_rival
        assert ECHO in await names(alice(gateway))
        assert (await use(alice(gateway), ECHO, inputs={"text": "hello"})).code == "SUCCESS"
