"""Isolation: a foreign thing and one that never was are answered with the same bytes."""

import json
from typing import Any

import pytest

from longtable.kernel.caller import Role
from tests.table import Table

SECRET = "the rival's secret plan"


@pytest.fixture
async def two_tenants(company: Table) -> Table:
    """The session sess_theirs belongs to rival, with a note in it; acme has one of its own."""
    await company.agent(token="rival-secret").calls("create_session", session_id="sess_theirs", purpose=SECRET)
    await company.agent("spy", "sess_theirs", "rival-secret").adds_note(SECRET, tags=["plan"])
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_ours")
    return company


SESSION_TOOLS = [
    ("add_note", {"content": "hello"}),
    ("read_notes", {}),
    ("read_notes", {"query": "secret"}),
    ("read_events", {}),
    ("get_session", {}),
    ("close_session", {}),
]


@pytest.mark.parametrize(
    ("tool", "arguments"), SESSION_TOOLS, ids=[str(number) for number in range(len(SESSION_TOOLS))]
)
async def test_by_header_a_foreign_session_answers_like_an_unknown_one(
    two_tenants: Table, tool: str, arguments: dict[str, Any]
) -> None:
    params = {"name": tool, "arguments": arguments}

    foreign = await two_tenants.agent(None, "sess_theirs", "acme-secret").posts("tools/call", params)
    unknown = await two_tenants.agent(None, "sess_nowhere", "acme-secret").posts("tools/call", params)

    assert foreign.status_code == unknown.status_code == 404
    assert foreign.content == unknown.content


@pytest.mark.parametrize("tool", ["get_session", "close_session", "join_session"])
async def test_by_argument_a_foreign_session_answers_like_an_unknown_one(two_tenants: Table, tool: str) -> None:
    agent = two_tenants.agent(token="acme-secret")

    foreign = await agent.tries(tool, session_id="sess_theirs")
    unknown = await agent.tries(tool, session_id="sess_nowhere")

    assert foreign["code"] == "SESSION_NOT_FOUND"
    assert _without_time(foreign) == _without_time(unknown)


async def test_over_rest_every_route_answers_a_foreign_session_like_an_unknown_one(two_tenants: Table) -> None:
    client = two_tenants.agent(token="acme-secret").client
    routes = [
        (route.method, route.path)
        for tool in two_tenants.app.dispatcher.tools.values()
        for route in tool.routes
        if "{session_id}" in route.path
    ]
    assert len(routes) >= 5

    for method, path in routes:
        body = json.dumps({"content": "x", "ttl": "1h"} if "notes" in path or "extend" in path else {})
        body = (
            json.dumps({"ttl": "1h"}) if "extend" in path else json.dumps({"content": "x"}) if "notes" in path else body
        )
        answers = [
            await client.request(
                method, path.replace("{session_id}", session), content=None if method == "GET" else body
            )
            for session in ("sess_theirs", "sess_nowhere")
        ]
        assert [answer.status_code for answer in answers] == [404, 404], path
        assert answers[0].content == answers[1].content


async def test_nothing_of_the_other_tenant_shows_in_lists_searches_or_events(two_tenants: Table) -> None:
    agent = two_tenants.agent("scout", "sess_ours", "acme-secret")
    await agent.adds_note("ours")

    seen = json.dumps(
        [
            await agent.calls("list_sessions"),
            await agent.calls("read_notes"),
            await agent.calls("read_notes", query="secret plan"),
            await agent.calls("read_notes", tag="plan"),
            await agent.calls("read_events"),
            await agent.calls("get_session"),
        ]
    )

    assert "rival" not in seen
    assert "sess_theirs" not in seen
    assert "plan" not in seen.replace('"tag": "plan"', "")


async def test_both_tenants_may_use_the_same_session_id(two_tenants: Table) -> None:
    await two_tenants.agent(token="acme-secret").calls("create_session", session_id="sess_theirs")

    agent = two_tenants.agent("scout", "sess_theirs", "acme-secret")

    assert await agent.adds_note("ours under the same name, a secret too") == "n1"
    assert [note["author"] for note in await agent.reads_notes(query="secret")] == ["scout"]


async def test_a_write_that_is_refused_leaves_the_other_tenant_as_it_was(two_tenants: Table) -> None:
    rival = two_tenants.agent("spy", "sess_theirs", "rival-secret")
    before = await rival.calls("read_events")

    for tool, arguments in SESSION_TOOLS:
        params = {"name": tool, "arguments": arguments}
        await two_tenants.agent(None, "sess_theirs", "acme-secret").posts("tools/call", params)

    assert await rival.calls("read_events") == before


async def test_an_idempotency_key_of_one_tenant_says_nothing_to_another(two_tenants: Table) -> None:
    await two_tenants.agent(token="acme-secret").calls("create_session", session_id="sess_theirs")
    rival = two_tenants.agent("same", "sess_theirs", "rival-secret")
    await rival.adds_note("rival's", idempotency_key="shared-key")

    ours = two_tenants.agent("same", "sess_theirs", "acme-secret")

    assert await ours.adds_note("something else", idempotency_key="shared-key") == "n1"


async def test_a_token_of_one_tenant_finds_nothing_of_another_even_as_its_owner(two_tenants: Table) -> None:
    boss = await two_tenants.bearer(Role.OWNER, "boss")

    assert [s["session_id"] for s in (await boss.calls("list_sessions"))["sessions"]] == ["sess_ours"]
    assert (await boss.client.get("/sessions/sess_theirs/notes")).status_code == 404


def _without_time(envelope: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in envelope.items() if key != "timestamp"}
