"""Watched resources: the standard forms of both revisions, with the official client and frame by frame."""

import asyncio
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.client.subscriptions import ResourceUpdated
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError

from tests.listening import SOON, local, none_left, piped, server_for, watching
from tests.table import Agent, Table

pytestmark = pytest.mark.slow

NOTES = "longtable://session/sess_one/notes"


class UpdateCollector:
    """Collects what a client is told."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[str] = asyncio.Queue()

    async def __call__(self, message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            self.heard.put_nowait(str(message.params.uri))


async def subscribe(client: Client, uri: str) -> None:
    with pytest.warns(MCPDeprecationWarning):
        await client.subscribe_resource(uri)


async def test_a_subscribed_resource_is_announced_when_it_changes(table: Table, alice: Agent) -> None:
    ear = UpdateCollector()
    changes: dict[str, tuple[str, dict[str, Any]]] = {
        "notes": ("add_note", {"content": "a"}),
        "draft": ("write_draft_section", {"section_id": "other", "content": "a"}),
        "draft/intro": ("write_draft_section", {"section_id": "intro", "content": "a"}),
        "plan": ("add_tasks", {"tasks": [{"description": "a"}]}),
        "questions": ("add_question", {"question": "a"}),
        "messages": ("add_message", {"content": "a"}),
    }
    async with Client(server_for(table.app, local("carol")), mode="legacy", message_handler=ear) as client:
        for part, (tool, arguments) in changes.items():
            await subscribe(client, f"longtable://session/sess_one/{part}")
            await alice.calls(tool, **arguments)
            # A section is a part of the draft, which is subscribed to before it.
            changed = ["draft", "draft/intro"] if part == "draft/intro" else [part]
            updated = [await asyncio.wait_for(ear.heard.get(), SOON) for _ in changed]
            assert sorted(updated) == [f"longtable://session/sess_one/{name}" for name in changed]
    assert table.app.feed.subscribers == 0


async def test_subscribing_twice_counts_once_and_unsubscribing_ends_it(table: Table, alice: Agent) -> None:
    ear = UpdateCollector()
    async with Client(server_for(table.app, local("carol")), mode="legacy", message_handler=ear) as client:
        await subscribe(client, NOTES)
        await subscribe(client, NOTES)
        assert table.app.feed.subscribers == 1
        with pytest.warns(MCPDeprecationWarning):
            await client.unsubscribe_resource(NOTES)

        assert table.app.feed.subscribers == 0


@pytest.mark.parametrize(
    ("uri", "code", "ours"),
    [
        ("longtable://session/sess_none/notes", -32002, "SESSION_NOT_FOUND"),
        ("longtable://session/sess_one/nothing", -32002, "NOT_FOUND"),
    ],
)
async def test_a_resource_that_is_not_there_for_the_caller_is_not_subscribed_to(
    table: Table, session: str, uri: str, code: int, ours: str
) -> None:
    async with Client(server_for(table.app, local("carol")), mode="legacy") as client:
        with pytest.warns(MCPDeprecationWarning), pytest.raises(MCPError) as refused:
            await client.subscribe_resource(uri)

    assert (refused.value.error.code, refused.value.error.data["code"]) == (code, ours)


async def test_listening_is_acknowledged_with_what_the_caller_may_read(table: Table, alice: Agent) -> None:
    foreign = "longtable://session/sess_none/notes"
    section = "longtable://session/sess_one/draft/later"
    async with Client(server_for(table.app, local("carol"))) as client:
        async with client.listen(
            tools_list_changed=True, resources_list_changed=True, resource_subscriptions=[NOTES, foreign, section]
        ) as stream:
            await alice.adds_note("a note")
            first = await asyncio.wait_for(anext(aiter(stream)), SOON)
            await alice.calls("write_draft_section", section_id="later", content="now")
            second = await asyncio.wait_for(anext(aiter(stream)), SOON)
        await none_left(table.app)

    assert stream.honored.resource_subscriptions == [NOTES, section]
    assert (stream.honored.tools_list_changed, stream.honored.resources_list_changed) == (True, True)
    assert (first, second) == (ResourceUpdated(NOTES), ResourceUpdated(section))


async def test_every_frame_of_a_listener_over_http_carries_the_id_of_its_request(table: Table, alice: Agent) -> None:
    request = {"notifications": {"resourceSubscriptions": [NOTES]}}
    async with watching(table.http, request, "subscriptions/listen") as stream:
        assert await stream.status() == 200
        acknowledged = (await stream.hears())[0]
        await alice.adds_note("a note")
        updated = (await stream.hears())[0]
        await alice.calls("close_session")
        result = (await stream.hears())[0]

    stamp = {"io.modelcontextprotocol/subscriptionId": 7}
    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    assert acknowledged["params"] == {"notifications": request["notifications"], "_meta": stamp}
    assert updated == {
        "jsonrpc": "2.0",
        "method": "notifications/resources/updated",
        "params": {"uri": NOTES, "_meta": stamp},
    }
    assert result["id"] == 7
    assert result["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == 7


async def test_the_eleventh_listener_is_refused_before_it_is_acknowledged(table: Table, alice: Agent) -> None:
    async with piped(table.app, local("carol", "sess_one"), modern=True) as pipe:
        request = {"notifications": {"resourceSubscriptions": [NOTES]}}
        for _ in range(10):
            await pipe.begins("subscriptions/listen", request)
            assert (await pipe.hears())[0]["method"] == "notifications/subscriptions/acknowledged"

        eleventh = await pipe.asks("subscriptions/listen", request)

    assert eleventh["error"]["data"]["code"] == "CAPACITY_LIMIT_REACHED"


async def test_private_messages_announce_nothing_to_others(table: Table, alice: Agent) -> None:
    messages = "longtable://session/sess_one/messages"
    async with (
        Client(server_for(table.app, local("bob"))) as client,
        client.listen(resource_subscriptions=[messages, NOTES]) as stream,
    ):
        await alice.calls("add_message", content="mine", visibility="private")
        await alice.adds_note("for all")

        assert await asyncio.wait_for(anext(aiter(stream)), SOON) == ResourceUpdated(NOTES)


async def test_subscriptions_and_their_refusals_are_on_record(table: Table, session: str) -> None:
    async with piped(table.app, local("listener", session)) as pipe:
        await pipe.asks("notifications/subscribe")
        await pipe.asks("notifications/subscribe", {"events": ["no/such"]})
        await table.app.ledger.flush()
        entries = (await pipe.calls("get_audit_log", event_type="events_subscribed"))["entries"]

    assert sorted(entry["outcome"] for entry in entries) == ["INVALID_ARGUMENT", "SUCCESS"]
