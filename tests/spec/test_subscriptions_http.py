"""Listening over HTTP: one long request in the current revision, a stream beside the requests in the older ones."""

import asyncio
import time
from typing import Any

import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.server import subscriptions
from tests.listening import SOON, connected, local, none_left, piped, streamed, subscribed, watching
from tests.table import Agent, Table

pytestmark = pytest.mark.slow

NOTES = "longtable://session/sess_one/notes"


def kinds(received: list[dict[str, Any]]) -> list[str]:
    return [message["method"] for message in received]


async def test_a_watch_over_http_streams_and_resumes_from_its_cursor(table: Table, alice: Agent) -> None:
    async with watching(table.http, {"session_id": "sess_one"}) as stream:
        assert await stream.status() == 200
        await stream.hears()
        await alice.adds_note("first")
        first = (await stream.hears())[0]
    await alice.adds_note("in between")

    async with watching(table.http, {"session_id": "sess_one", "after": first["params"]["seq"]}) as stream:
        await stream.status()
        begun, missed = await stream.hears(2)
        await alice.calls("close_session")
        closed, result = await stream.hears(2)

    assert begun["params"]["after"] == first["params"]["seq"]
    assert (missed["method"], missed["params"]["note_id"]) == ("scratchpad/note_added", "n2")
    assert (result["id"], result["result"]["next_after"]) == (7, closed["params"]["seq"])


async def test_a_watcher_that_hangs_up_is_forgotten(table: Table, session: str) -> None:
    async with watching(table.http, {"session_id": session}) as stream:
        await stream.status()
        await stream.hears()
        assert table.app.feed.subscribers == 1
        await stream.hangs_up()
        await none_left(table.app)


async def test_a_refused_watch_is_answered_with_an_error(table: Table, alice: Agent) -> None:
    answers = [
        (await alice.posts("scratchpad/watch", wish)).json()
        for wish in ({"session_id": "sess_two"}, {"events": ["no/such"]})
    ]

    assert [answer["error"]["data"]["code"] for answer in answers] == ["SESSION_MISMATCH", "INVALID_ARGUMENT"]


async def test_where_no_channel_lies_beside_a_request_the_watch_is_pointed_to(table: Table, alice: Agent) -> None:
    answer = (await alice.posts("notifications/subscribe", {})).json()

    assert answer["error"]["data"]["code"] == "NOT_FOUND"
    assert "scratchpad/watch" in answer["error"]["message"]


@pytest.mark.in_process("stops the server from inside")
async def test_a_stopping_server_ends_watches_with_a_cursor(table: Table, alice: Agent) -> None:
    async with watching(table.http, {"session_id": "sess_one"}) as stream:
        await stream.status()
        await stream.hears()
        await alice.adds_note("the last")
        last = (await stream.hears())[0]
        table.app.wakeups.close()
        draining = asyncio.create_task(table.http.end_streams())
        result = (await stream.hears())[0]["result"]
        await asyncio.wait_for(draining, SOON)

    assert result["next_after"] == last["params"]["seq"]


@pytest.mark.in_process("stops the server from inside")
async def test_a_watcher_that_takes_nothing_does_not_hold_up_the_end(table: Table, alice: Agent) -> None:
    async with watching(table.http, {"session_id": "sess_one"}) as stream:
        await stream.status()
        await stream.hears()
        stream.reading.clear()
        await alice.adds_note("not taken")
        table.app.wakeups.close()
        began = time.monotonic()

        await table.http.end_streams()
        await table.http.drain(30)

        assert time.monotonic() - began < 10
        stream.reading.set()


@pytest.mark.in_process("changes the program where it runs")
async def test_a_token_that_was_revoked_hears_nothing_more(company: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions, "_TRUSTED_SECONDS", 0.0)
    acme = company.agent(token="acme-secret")
    await acme.calls("create_session", session_id="sess_acme")
    issued = await company.app.tokens.create(Credential("acme", Role.READER, "reader"), None)
    given = {"Authorization": f"Bearer {issued.secret}"}

    async with watching(company.http, {"session_id": "sess_acme"}, **given) as stream:
        await stream.status()
        await stream.hears()
        await company.app.tokens.revoke(issued.token_id)
        await company.agent(token="acme-secret", session="sess_acme").adds_note("secret")
        end = (await stream.hears())[0]

    assert end["error"]["data"]["code"] == "UNAUTHORIZED"


async def test_over_http_events_come_on_the_stream_that_the_client_holds_open(table: Table, alice: Agent) -> None:
    client = await connected(table.http, **{"X-Session-ID": "sess_one"})
    async with client.listens() as stream:
        assert await stream.status() == 200
        answer = await client.asks("notifications/subscribe", {"events": ["scratchpad/*"]})
        await alice.adds_note("a note")
        received = await stream.hears()

    assert answer["result"] == {"subscription_id": "sub_1"}
    assert kinds(received) == ["scratchpad/note_added"]


async def heard(table: Table, alice: Agent, note: str) -> None:
    """Returns when a note has reached everybody who listens."""
    async with piped(table.app, local("another", "sess_one")) as pipe:
        await pipe.asks("notifications/subscribe")
        await alice.adds_note(note)
        await pipe.hears()
        await pipe.asks("ping")


def notes(received: list[dict[str, Any]]) -> list[str]:
    return [message["params"]["note_id"] for message in received]


async def test_events_wait_for_a_stream_that_is_opened_later_or_again(table: Table, alice: Agent) -> None:
    client = await connected(table.http, **{"X-Session-ID": "sess_one"})
    await client.asks("notifications/subscribe", {})
    await heard(table, alice, "before")

    async with client.listens() as stream:
        await stream.status()
        first = await stream.hears()
        await stream.line_after()
        await stream.hangs_up()
    await heard(table, alice, "between")
    async with client.listens(stream.last_id) as stream:
        await stream.status()
        second = await stream.hears()

    assert (notes(first), notes(second)) == (["n1"], ["n2"])


async def test_a_stream_whose_client_does_not_say_how_far_it_got_repeats(table: Table, alice: Agent) -> None:
    client = await connected(table.http, **{"X-Session-ID": "sess_one"})
    await client.asks("notifications/subscribe", {})
    await heard(table, alice, "before")

    async with client.listens() as stream:
        await stream.status()
        first = await stream.hears()
        await stream.hangs_up()
    await heard(table, alice, "between")
    async with client.listens() as stream:
        await stream.status()
        second = await stream.hears(2)

    assert (notes(first), notes(second)) == (["n1"], ["n1", "n2"])


async def test_a_subscription_to_what_was_before_is_resumed_beside_one_that_is_further(
    table: Table, alice: Agent
) -> None:
    client = await connected(table.http, **{"X-Session-ID": "sess_one"})
    await client.asks("notifications/subscribe", {"events": ["scratchpad/*"]})
    async with client.listens() as stream:
        await stream.status()
        await alice.adds_note("first")
        await stream.hears()
        await alice.adds_note("second")
        await stream.hears()
        await stream.line_after()
    further = stream.last_id
    await client.asks("notifications/subscribe", {"events": ["scratchpad/note_added"], "after": 0})

    async with client.listens(further) as stream:
        await stream.status()
        received = await stream.hears(2)

    assert notes(received) == ["n1", "n2"]


async def test_the_newest_stream_of_a_connection_is_the_one_that_is_told(table: Table, alice: Agent) -> None:
    client = await connected(table.http, **{"X-Session-ID": "sess_one"})
    await client.asks("notifications/subscribe", {})
    async with client.listens() as first:
        await first.status()
        async with client.listens() as second:
            await second.status()
            async with asyncio.timeout(SOON):
                await first.task
            await alice.adds_note("a note")

            assert notes(await second.hears()) == ["n1"]


async def test_a_full_stream_does_not_keep_its_client_from_calling(table: Table, alice: Agent) -> None:
    client = await connected(table.http, **{"X-Session-ID": "sess_one"})
    async with client.listens() as stream:
        await stream.status()
        for _ in range(5):
            await client.asks("notifications/subscribe", {})
        stream.reading.clear()
        for n in range(40):
            await alice.adds_note(str(n))

        answer = await client.asks("tools/call", {"name": "read_notes", "arguments": {}})

        assert answer["result"]["structuredContent"]["count"] == 40
        stream.reading.set()


async def test_a_refused_notification_over_http_is_told_on_the_stream(table: Table, session: str) -> None:
    client = await connected(table.http, **{"X-Session-ID": session})
    async with client.listens() as stream:
        await stream.status()
        await client.tells("notifications/subscribe", {"events": ["no/such"]})
        received = (await stream.hears())[0]

    assert (received["method"], received["params"]["data"]["code"]) == ("notifications/message", "INVALID_ARGUMENT")


async def test_a_connection_over_http_that_is_deleted_listens_no_more(table: Table, session: str) -> None:
    client = await connected(table.http, **{"X-Session-ID": session})
    await client.asks("notifications/subscribe", {})
    await client.asks("resources/subscribe", {"uri": NOTES})
    async with client.listens() as stream:
        await stream.status()
        await subscribed(table.app, 1)

        status, _ = await client.posts(None, "DELETE")

        assert status == 200
        await none_left(table.app)
        async with asyncio.timeout(SOON):
            await stream.task
    assert (await client.posts(None, "DELETE"))[0] == 404


async def test_a_watch_of_the_older_revisions_over_http_is_answered_by_a_stream(table: Table, alice: Agent) -> None:
    client = await connected(table.http, **{"X-Session-ID": "sess_one"})
    wish = {"jsonrpc": "2.0", "id": 9, "method": "scratchpad/watch", "params": {"events": ["session/*"]}}
    async with streamed(table.http, "POST", "/mcp", client.headers, wish) as stream:
        assert await stream.status() == 200
        await stream.hears()
        await alice.calls("close_session")
        received, answer = await stream.hears(2)

    assert (answer["id"], answer["result"]) == (9, {"next_after": received["params"]["seq"]})


async def test_two_connections_of_one_client_do_not_hear_for_each_other(table: Table, alice: Agent) -> None:
    first, second = [await connected(table.http, **{"X-Session-ID": "sess_one"}) for _ in range(2)]
    await first.asks("notifications/subscribe", {})
    await second.asks("notifications/subscribe", {"events": ["message/*"]})
    await second.asks("notifications/unsubscribe", {})

    async with first.listens() as stream:
        await stream.status()
        await alice.adds_note("to the first")

        assert kinds(await stream.hears()) == ["scratchpad/note_added"]


@pytest.mark.in_process("a connection of the legacy transport lives in one process")
async def test_a_client_of_the_sse_transport_hears_until_it_hangs_up(table: Table, alice: Agent) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "notifications/subscribe", "params": {"session_id": "sess_one"}},
    ]
    async with streamed(table.http, "GET", "/sse", {"Accept": "text/event-stream"}) as stream:
        await stream.status()
        address = await stream.line()
        for message in messages:
            async with streamed(table.http, "POST", address, {}, {"jsonrpc": "2.0", **message}) as posted:
                assert await posted.status() == 202
            if "id" in message:
                assert (await stream.hears())[0]["id"] == message["id"]
        await alice.adds_note("a note")
        received = await stream.hears()
        await stream.hangs_up()
        await none_left(table.app)

    assert kinds(received) == ["scratchpad/note_added"]


@pytest.mark.in_process("a connection of the legacy transport lives in one process")
async def test_a_client_of_the_sse_transport_is_told_when_to_come_back(table: Table) -> None:
    async with streamed(table.http, "GET", "/sse", {"Accept": "text/event-stream"}) as stream:
        await stream.status()
        async with asyncio.timeout(SOON):
            first = (await stream.parts.get())["body"].decode()

    assert sorted(line.partition(":")[0] for line in first.splitlines() if line) == ["data", "event", "retry"]
    assert "retry: 4000\r\n" in first
