"""Connections of the revisions with a handshake: they outlast their process, and belong to one credential."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from longtable.connections import model, service
from longtable.kernel.clock import DAY, HOUR
from tests.listening import LEGACY, SOON, HandshakeClient, connected, streamed
from tests.stores import Store
from tests.table import Agent, Table, open_table

pytestmark = pytest.mark.slow

UNKNOWN = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Session not found"}}'


async def calls(client: HandshakeClient, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = await client.asks("tools/call", {"name": tool, "arguments": arguments})
    body: dict[str, Any] = answer["result"]["structuredContent"]
    return body


def through(client: HandshakeClient, table: Table) -> HandshakeClient:
    """The same client, whose requests another process answers."""
    return HandshakeClient(table.http, client.headers)


async def listing(client: HandshakeClient) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": {}}


async def test_a_connection_and_its_session_outlast_the_process(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as table:
        client = await connected(table.http)
        created = await calls(client, "create_session", session_id="sess_mine")
        await calls(client, "add_note", content="before")

    async with open_table(store, tmp_path) as table:
        added = await calls(through(client, table), "add_note", content="after")
        read = await calls(through(client, table), "read_notes")

    assert created["entered"] is True
    assert (added["session_id"], read["session_id"], read["count"]) == ("sess_mine", "sess_mine", 2)


async def test_any_process_on_the_store_serves_a_connection(store: Store, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        tables = [await stack.enter_async_context(open_table(store, tmp_path)) for _ in range(2)]
        client = await connected(tables[0].http)
        places = [through(client, table) for table in tables]
        for number in range(6):
            name = f"sess_{number}"
            await calls(places[number % 2], "create_session", session_id=name)

            sessions = [(await calls(place, "add_note", content="a note"))["session_id"] for place in reversed(places)]

            assert sessions == [name, name]


async def test_a_subscription_is_told_by_the_process_that_has_the_stream(store: Store, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        one, other = [await stack.enter_async_context(open_table(store, tmp_path)) for _ in range(2)]
        await one.session("sess_one")
        client = await connected(one.http, **{"X-Session-ID": "sess_one"})
        async with through(client, other).listens() as stream:
            await stream.status()
            await client.asks("notifications/subscribe", {})
            await client.tells("notifications/subscribe", {"events": ["no/such"]})
            refused = await stream.hears()
            await calls(client, "add_note", content="a note")
            received = await stream.hears()

    assert refused[0]["params"]["data"]["code"] == "INVALID_ARGUMENT"
    assert received[0]["params"]["note_id"] == "n1"


async def test_a_stream_goes_on_in_another_process_where_it_was_cut(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as table:
        await table.session("sess_one")
        client = await connected(table.http, **{"X-Session-ID": "sess_one"})
        await client.asks("notifications/subscribe", {})
        async with client.listens() as stream:
            await stream.status()
            await calls(client, "add_note", content="heard")
            await stream.hears()
            await stream.line_after()
        await calls(client, "add_note", content="missed")

    async with open_table(store, tmp_path) as table, through(client, table).listens(stream.last_id) as resumed:
        await resumed.status()
        await calls(through(client, table), "add_note", content="new")
        received = await resumed.hears(2)

    assert [message["params"]["note_id"] for message in received] == ["n2", "n3"]


async def test_a_cancellation_reaches_the_process_that_answers(store: Store, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        one, other = [await stack.enter_async_context(open_table(store, tmp_path)) for _ in range(2)]
        await one.session("sess_one")
        client = await connected(one.http, **{"X-Session-ID": "sess_one"})
        wait = {"name": "wait_for_messages", "arguments": {"timeout_seconds": 50}}
        message = {"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": wait}
        waiting = asyncio.create_task(client.posts(message))
        async with asyncio.timeout(SOON):
            while not waiting.done():
                await through(client, other).tells("notifications/cancelled", {"requestId": 77})
                await asyncio.wait({waiting}, timeout=0.2)

    assert '"code":-32800' in waiting.result()[1]


async def test_ids_that_are_not_ours_not_any_more_or_not_yours_are_answered_alike(company: Table) -> None:
    acme = await connected(company.http, Authorization="Bearer acme-secret")
    ended = await connected(company.http, Authorization="Bearer acme-secret")
    await ended.posts(None, "DELETE")
    own = acme.headers["Mcp-Session-Id"]
    tokens = {"rival-secret": own, "acme-secret": ended.headers["Mcp-Session-Id"]}
    made_up = [("acme-secret", given) for given in ("f" * 32, own[:-2] + "xx", "lt1.x.y", "x" * 4_000, own + "é")]

    answers = set()
    for token, given in [*tokens.items(), *made_up]:
        headers = {**acme.headers, "Authorization": f"Bearer {token}", "Mcp-Session-Id": given}
        for verb in ("POST", "GET", "DELETE"):
            answers.add(await HandshakeClient(company.http, headers).posts(await listing(acme), verb))

    assert answers == {(404, UNKNOWN)}


async def test_a_flood_of_made_up_ids_moves_nobody(table: Table) -> None:
    victim = await connected(table.http)
    await calls(victim, "create_session", session_id="sess_victim")

    for number in range(300):
        stranger = HandshakeClient(table.http, {**victim.headers, "Mcp-Session-Id": f"{number:032x}"})
        assert (await stranger.posts(None, "DELETE"))[0] == 404

    assert (await calls(victim, "add_note", content="mine"))["session_id"] == "sess_victim"


async def test_requests_of_the_stateless_revision_ignore_the_connection(company: Table) -> None:
    for tenant in ("acme", "rival"):
        agent = company.agent(token=f"{tenant}-secret")
        await agent.calls("create_session", session_id="sess_a")
        await agent.calls("create_session", session_id="sess_b")
    acme = await connected(company.http, Authorization="Bearer acme-secret")
    await calls(acme, "join_session", session_id="sess_a")
    steering = company.agent(token="rival-secret", **{"Mcp-Session-Id": acme.headers["Mcp-Session-Id"]})

    refused = await steering.tries("join_session", session_id="sess_b")

    assert refused["code"] == "MISSING_SESSION_ID"
    assert "X-Session-ID: sess_b" in refused["error"]
    assert (await calls(acme, "add_note", content="still here"))["session_id"] == "sess_a"


async def test_over_the_stateless_revision_a_created_session_is_not_entered(table: Table, alice: Agent) -> None:
    program = table.agent("program")

    created = await program.calls("create_session", session_id="sess_new")
    note = await program.calls("add_note", content="where?")

    assert created["entered"] is False
    assert "X-Session-ID: sess_new" in created["next_step"]
    assert note["session_id"] not in ("sess_new", "sess_one")


async def test_a_repeated_creation_tells_how_the_connection_of_the_repetition_goes_on(table: Table) -> None:
    wish = {"session_id": "sess_new", "idempotency_key": "k"}
    client = await connected(table.http, **{"X-Caller-Agent": "program"})
    program = table.agent("program")
    first = await calls(client, "create_session", **wish)

    stateless = await program.calls("create_session", **wish)
    over_rest = (await program.client.post("/sessions", json=wish)).json()
    entered_again = await calls(await connected(table.http, **{"X-Caller-Agent": "program"}), "create_session", **wish)

    assert (first["entered"], "next_step" in first) == (True, False)
    assert [answer["entered"] for answer in (stateless, over_rest)] == [False, False]
    assert "X-Session-ID: sess_new" in stateless["next_step"] == over_rest["next_step"]
    assert entered_again == first
    assert stateless["timestamp"] == first["timestamp"]


@pytest.mark.parametrize(("tool", "wrong"), [("add_note", "colour"), ("add_message", "tone")])
async def test_a_refusal_names_the_session_to_a_caller_that_did_not_choose_it(
    table: Table, tool: str, wrong: str
) -> None:
    program = table.agent("program")
    added = await program.calls(tool, content="a text")

    refused = await program.tries(tool, content="a text", **{wrong: "blue"})
    bound = await table.agent("program", added["session_id"]).tries(tool, content="a text", **{wrong: "blue"})

    assert refused["session_id"] == added["session_id"]
    assert "session_id" not in bound


async def test_a_refusal_names_the_session_of_the_connection_that_is_over(table: Table) -> None:
    client = await connected(table.http)
    await calls(client, "create_session", session_id="sess_short", ttl="1m")
    received = await client.asks("notifications/subscribe", {})
    table.clock.ahead += HOUR

    refused = await calls(client, "add_note", content="too late")

    assert received["result"]["session_id"] == "sess_short"
    assert (refused["error"]["code"], refused["session_id"]) == ("SESSION_EXPIRED", "sess_short")


@pytest.mark.in_process("one server learns a moment later what was read at another")
async def test_the_connection_unused_for_longest_ends_when_there_are_too_many(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path, max_connections="2") as table:
        first, second = [await connected(table.http) for _ in range(2)]
        await first.asks("ping", {})
        third = await connected(table.http)

        statuses = [(await client.posts(await listing(client)))[0] for client in (first, second, third)]

    assert statuses == [200, 404, 200]


async def test_a_connection_that_lies_unused_for_a_week_ends(table: Table) -> None:
    client = await connected(table.http)
    table.clock.ahead += 6 * DAY
    assert (await client.posts(await listing(client)))[0] == 200
    table.clock.ahead += 8 * DAY

    assert (await client.posts(await listing(client)))[0] == 404
    await table.app.connections.save_usage()
    assert (await client.posts(await listing(client)))[0] == 404


@pytest.mark.in_process("servers of the balancer have clocks of their own")
async def test_the_next_process_knows_when_a_connection_was_used_last(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as table:
        client = await connected(table.http)
        table.clock.ahead += 6 * DAY
        await client.asks("ping", {})
        await table.app.connections.save_usage()

    async with open_table(store, tmp_path) as table:
        table.clock.ahead += 12 * DAY
        answered, _ = await through(client, table).posts(await listing(client))

    assert answered == 200


async def test_a_connection_is_opened_by_initialize_alone(table: Table) -> None:
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": LEGACY}
    client = HandshakeClient(table.http, headers)

    missing = [await client.posts(message) for message in (await listing(client), {"jsonrpc": "2.0", "method": "x"})]
    async with streamed(table.http, "GET", "/mcp", headers) as stream:
        missing.append((await stream.status(), ""))

    assert [status for status, _ in missing] == [400, 400, 400]
    assert "Missing session ID" in missing[0][1]
    assert "Mcp-Session-Id" in missing[0][1]


@pytest.mark.parametrize(
    "body", ["[]", "5", '{"jsonrpc": "2.0", "id": 1}', '[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]']
)
async def test_json_that_is_no_message_is_an_invalid_request(alice: Agent, body: str) -> None:
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}

    refused = await alice.client.post("/mcp", content=body, headers=headers)

    assert (refused.status_code, refused.json()["error"]["code"]) == (400, -32600)


async def test_connections_that_were_left_behind_take_no_place_among_subscriptions(table: Table, session: str) -> None:
    for _ in range(12):
        client = await connected(table.http, **{"X-Session-ID": session})
        for _ in range(5):
            assert "result" in await client.asks("notifications/subscribe", {})
        async with client.listens() as stream:
            assert await stream.status() == 200
            await stream.hangs_up()


async def subscribers(company: Table, count: int) -> list[HandshakeClient]:
    """Clients of one credential under names of their own, with five subscriptions each: two of them may listen."""
    token = {"Authorization": "Bearer acme-secret"}
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    clients = [
        await connected(company.http, **{**token, "X-Session-ID": "sess_one", "X-Caller-Agent": f"a{number}"})
        for number in range(count)
    ]
    for client in clients:
        for _ in range(5):
            assert "result" in await client.asks("notifications/subscribe", {})
    return clients


async def test_subscriptions_count_by_credential_once_their_streams_are_open(company: Table) -> None:
    clients = await subscribers(company, 3)

    async with AsyncExitStack() as stack:
        statuses = [await (await stack.enter_async_context(client.listens())).status() for client in clients]
        refused = await clients[0].asks("notifications/subscribe", {})

    assert statuses == [200, 200, 409]
    assert refused["error"]["data"]["code"] == "CAPACITY_LIMIT_REACHED"


async def test_streams_opened_at_once_in_two_processes_stay_within_the_limit(store: Store, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        tables = [
            await stack.enter_async_context(open_table(store, tmp_path, auth_tokens="acme:acme-secret"))
            for _ in range(2)
        ]
        clients = await subscribers(tables[0], 8)
        places = [through(client, tables[number % 2]) for number, client in enumerate(clients)]

        streams = [await stack.enter_async_context(place.listens()) for place in places]
        statuses = await asyncio.gather(*(stream.status() for stream in streams))

    assert sorted(statuses) == [200] * 2 + [409] * 6


async def test_the_stream_of_a_connection_long_unused_counts_in_every_process(store: Store, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        one, other = [
            await stack.enter_async_context(open_table(store, tmp_path, auth_tokens="acme:acme-secret"))
            for _ in range(2)
        ]
        clients = await subscribers(one, 3)
        for table in (one, other):
            await table.app.connections.save_usage()
            table.clock.ahead += HOUR

        for client in clients[:2]:
            assert await (await stack.enter_async_context(client.listens())).status() == 200
        third = await stack.enter_async_context(through(clients[2], other).listens())

        assert await third.status() == 409


@pytest.mark.in_process("a connection takes 200, which would be slow to fill")
async def test_a_full_connection_has_room_again_once_a_session_of_its_subscriptions_is_over(
    table: Table, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (model, service):
        monkeypatch.setattr(module, "MAX_SUBSCRIPTIONS", 4)
    await table.session("sess_old")
    client = await connected(table.http)
    for name in (session, session, "sess_old", "sess_old"):
        assert "result" in await client.asks("notifications/subscribe", {"session_id": name})

    full = await client.asks("notifications/subscribe", {"session_id": session})
    await table.agent("orchestrator", "sess_old").calls("close_session")
    made = [await client.asks("notifications/subscribe", {"session_id": session}) for _ in range(3)]

    assert full["error"]["data"]["code"] == "CAPACITY_LIMIT_REACHED"
    assert ["result" in answer for answer in made] == [True, True, False]


@pytest.mark.in_process("each server counts what it has refused")
async def test_refused_subscriptions_of_connections_are_counted_among_the_metrics(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path, max_subscriptions="1", enable_metrics="true") as table:
        client = await connected(table.http, **{"X-Session-ID": await table.session()})
        answers = [await client.asks("notifications/subscribe", {}) for _ in range(3)]

        page = await table.agent().client.get("/metrics")

    assert ["result" in answer for answer in answers] == [True, False, False]
    assert 'longtable_refused_total{limit="max_subscriptions"} 2.0' in page.text


async def test_without_a_limit_there_may_be_any_number_of_subscriptions(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path, max_subscriptions="0") as table:
        client = await connected(table.http, **{"X-Session-ID": await table.session()})

        answers = [await client.asks("notifications/subscribe", {}) for _ in range(12)]
        async with client.listens() as stream:
            status = await stream.status()

    assert all("result" in answer for answer in answers)
    assert status == 200
