"""Scratchpads as resources: read like the tool answers, listed page by page, watched in both revisions."""

import asyncio
import json
from typing import Any

import pytest
from mcp import Client
from mcp.client.subscriptions import ResourceUpdated
from mcp.shared.exceptions import MCPError

from longtable.kernel.caller import Caller, Role, Surface
from longtable.server.resources import LISTED
from tests.listening import SOON, connected, local, none_left, piped, server_for, watching
from tests.stores import Store
from tests.table import Agent, Table, open_table

pytestmark = pytest.mark.slow

BOTH_REVISIONS = pytest.mark.parametrize("modern", [False, True], ids=["2025-11-25", "2026-07-28"])
CELL = {"language": "md", "content": "# a plan", "tags": ["goal"]}
UPDATED = "notifications/resources/updated"


def uri(scratch_id: str = "plans") -> str:
    return f"longtable://scratchpad/{scratch_id}"


def reader(tenant: str, session: str | None = None) -> Caller:
    return Caller(tenant, Role.READER, "reader", "generic", Surface.HTTP, session, session is not None)


@pytest.fixture
async def ann(table: Table) -> Agent:
    agent = table.agent("ann")
    await agent.calls("scratch_create", scratch_id="plans", metadata={"title": "Plans"}, cells=[CELL])
    return agent


@BOTH_REVISIONS
async def test_a_scratchpad_is_read_as_the_tool_answers_it(table: Table, ann: Agent, modern: bool) -> None:
    async with Client(server_for(table.app, local("carol")), mode="auto" if modern else "legacy") as client:
        contents = (await client.read_resource(uri())).contents

    as_resource = json.loads(contents[0].text)  # type: ignore[union-attr]  # it is text
    assert as_resource == await ann.calls("scratch_read", scratch_id="plans")
    assert as_resource["scratchpad"]["cells"][0]["content"] == "# a plan"


async def test_scratchpads_are_listed_behind_the_parts_of_the_session(table: Table, ann: Agent, session: str) -> None:
    listed = (await table.agent("ann", session).posts("resources/list", {})).json()["result"]["resources"]

    assert [resource["uri"] for resource in listed[-2:]] == [f"longtable://session/{session}/brief", uri()]
    assert (listed[-1]["name"], listed[-1]["title"], listed[-1]["mimeType"]) == ("plans", "Plans", "application/json")


async def test_a_caller_without_a_session_lists_the_scratchpads_of_its_tenant(company: Table) -> None:
    acme, rival = (company.agent(token=f"{name}-secret") for name in ("acme", "rival"))
    await acme.calls("scratch_create", scratch_id="ours")
    await rival.calls("scratch_create", scratch_id="theirs")

    listed = (await acme.posts("resources/list", {})).json()["result"]["resources"]

    assert [resource["uri"] for resource in listed] == [uri("ours")]


async def test_many_scratchpads_are_listed_page_by_page(table: Table, session: str) -> None:
    agent = table.agent("ann", session)
    for number in range(LISTED + 5):
        await agent.calls("scratch_create", scratch_id=f"pad-{number:04}")

    first = (await agent.posts("resources/list", {})).json()["result"]
    second = (await agent.posts("resources/list", {"cursor": first["nextCursor"]})).json()["result"]

    scratchpads = [item["uri"] for item in first["resources"] if "/scratchpad/" in item["uri"]]
    assert scratchpads == [uri(f"pad-{number:04}") for number in range(LISTED)]
    assert [item["uri"] for item in second["resources"]] == [uri(f"pad-{LISTED + n:04}") for n in range(5)]
    assert "nextCursor" not in second


async def test_another_tenants_scratchpad_is_answered_like_one_that_does_not_exist(company: Table) -> None:
    await company.agent(token="rival-secret").calls("scratch_create", scratch_id="plans")
    acme = company.agent(token="acme-secret")

    answers = [
        (await acme.posts("resources/read", {"uri": uri(name)}, **{"Mcp-Name": uri(name)})).text.replace(name, "ID")
        for name in ("plans", "nones")
    ]

    foreign, unknown = (json.loads(answer)["error"] for answer in answers)
    assert foreign == unknown
    assert (foreign["code"], foreign["data"]["code"]) == (-32602, "NOT_FOUND")


@BOTH_REVISIONS
async def test_every_change_of_a_watched_scratchpad_is_announced_and_no_other(
    table: Table, ann: Agent, modern: bool
) -> None:
    async with piped(table.app, local("carol"), modern) as pipe:
        if modern:
            await pipe.begins("subscriptions/listen", {"notifications": {"resourceSubscriptions": [uri()]}})
            acknowledged = (await pipe.hears())[0]
            assert acknowledged["params"]["notifications"] == {"resourceSubscriptions": [uri()]}
        else:
            assert (await pipe.asks("resources/subscribe", {"uri": uri()}))["result"] == {}
        await ann.calls("scratch_create", scratch_id="other")
        await ann.calls("scratch_append_cell", scratch_id="other", cell=CELL)
        await ann.calls("scratch_append_cell", scratch_id="plans", cell=CELL)
        await ann.calls("scratch_update", scratch_id="plans", metadata={"title": "Newer"})
        await ann.calls("scratch_create", scratch_id="plans")
        await ann.calls("scratch_delete", scratch_id="plans")
        received = await pipe.hears(4)
        assert pipe.notifications.empty()

    assert [(message["method"], message["params"]["uri"]) for message in received] == [(UPDATED, uri())] * 4
    await none_left(table.app)


async def test_a_scratchpad_can_be_watched_before_it_exists(table: Table, session: str) -> None:
    notes = f"longtable://session/{session}/notes"
    async with (
        Client(server_for(table.app, local("carol", session))) as client,
        client.listen(resource_subscriptions=[uri("later"), notes]) as stream,
    ):
        await table.agent("ann").calls("scratch_create", scratch_id="later")
        first = await asyncio.wait_for(anext(aiter(stream)), SOON)
        await table.agent("ann", session).adds_note("a note")
        second = await asyncio.wait_for(anext(aiter(stream)), SOON)

    assert stream.honored.resource_subscriptions == [uri("later"), notes]
    assert (first, second) == (ResourceUpdated(uri("later")), ResourceUpdated(notes))


@BOTH_REVISIONS
async def test_a_watch_tells_nothing_of_another_tenants_scratchpad_of_that_name(company: Table, modern: bool) -> None:
    acme, rival = (company.agent(token=f"{name}-secret") for name in ("acme", "rival"))
    await acme.calls("create_session", session_id="sess_acme")
    async with piped(company.app, reader("acme", "sess_acme"), modern) as pipe:
        if modern:
            await pipe.begins("subscriptions/listen", {"notifications": {"resourceSubscriptions": [uri()]}})
            await pipe.hears()
        else:
            await pipe.asks("resources/subscribe", {"uri": uri()})
        await rival.calls("scratch_create", scratch_id="plans")
        await rival.calls("scratch_delete", scratch_id="plans")
        await acme.calls("scratch_create", scratch_id="plans")
        received = await pipe.hears()
        assert pipe.notifications.empty()

    assert [message["method"] for message in received] == [UPDATED]


@BOTH_REVISIONS
async def test_a_reader_bound_to_a_session_hears_the_notebook_events_of_its_tenant_alone(
    company: Table, modern: bool
) -> None:
    acme, rival = (company.agent(token=f"{name}-secret") for name in ("acme", "rival"))
    for session_id in ("sess_acme", "sess_else"):
        await acme.calls("create_session", session_id=session_id)
    caller = Caller("acme", Role.READER, "reader", "generic", Surface.STDIO, "sess_acme", bound=True)
    async with piped(company.app, caller, modern) as pipe:
        await pipe.asks("notifications/subscribe", {"events": ["notebook/*", "scratchpad/*"]})
        await rival.calls("scratch_create", scratch_id="theirs")
        await company.agent("ann", "sess_else", "acme-secret").adds_note("in another session")
        await company.agent("ann", "sess_else", "acme-secret").calls("scratch_create", scratch_id="ours")
        received = await pipe.hears()

    assert [message["method"] for message in received] == ["notebook/created"]
    assert (received[0]["params"]["scratch_id"], received[0]["params"]["session_id"]) == ("ours", None)


async def test_watching_over_http_works_with_the_stream_of_the_older_revision(table: Table, ann: Agent) -> None:
    connection = await connected(table.http)
    async with connection.listens() as stream:
        assert await stream.status() == 200
        answer = await connection.asks("resources/subscribe", {"uri": uri()})
        await ann.calls("scratch_append_cell", scratch_id="plans", cell=CELL)
        received = (await stream.hears())[0]

    assert "result" in answer
    assert (received["method"], received["params"]["uri"]) == (UPDATED, uri())


async def test_watching_over_http_works_as_one_long_request(table: Table, ann: Agent) -> None:
    request = {"notifications": {"resourceSubscriptions": [uri()]}}
    async with watching(table.http, request, "subscriptions/listen") as stream:
        assert await stream.status() == 200
        acknowledged = (await stream.hears())[0]
        await ann.calls("scratch_append_cell", scratch_id="plans", cell=CELL)
        received = (await stream.hears())[0]

    assert acknowledged["params"]["notifications"] == request["notifications"]
    assert (received["method"], received["params"]["uri"]) == (UPDATED, uri())


async def test_where_notebooks_are_switched_off_there_are_no_such_resources(store: Store, tmp_path: Any) -> None:
    async with (
        open_table(store, tmp_path, tool_groups="workspace,messages") as table,
        Client(server_for(table.app, local("carol"))) as client,
    ):
        templates = (await client.list_resource_templates()).resource_templates
        with pytest.raises(MCPError) as refused:
            await client.read_resource(uri())

    assert not [template for template in templates if "scratchpad/" in template.uri_template]
    assert refused.value.error.data["code"] == "NOT_FOUND"
