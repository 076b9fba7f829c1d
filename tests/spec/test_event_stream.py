"""Events over REST: in order, resumed without a gap, for those who may hear them, and never at anybody's expense."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.kernel.clock import DAY, MINUTE
from longtable.log.feed import QUEUED
from tests.sse import listens, request_of
from tests.stores import Store
from tests.table import Agent, Table, open_table

pytestmark = pytest.mark.slow

EVENTS = "/sessions/sess_one/events"


async def token(table: Table, role: Role, **fixed: Any) -> str:
    credential = Credential("acme", role, fixed.pop("name", f"acme-{role}"), **fixed)
    return (await table.app.tokens.create(credential, None)).secret


async def refusal(table: Table, target: str = EVENTS, **headers: str) -> tuple[int, str]:
    async with listens(table.http, target, **headers) as stream:
        body = await stream.body()
    assert body["ok"] is False
    return stream.status, body["error"]["code"]


async def audited(table: Table, tenant: str = "default") -> list[tuple[str, str, str]]:
    await table.app.ledger.flush()
    rows = await table.app.database.read(
        tenant, lambda tx: tx.all("SELECT operation, outcome, surface FROM audit WHERE tenant = :tenant ORDER BY seq")
    )
    return [(row["operation"], row["outcome"], row["surface"]) for row in rows if row["operation"] == "stream_events"]


async def test_a_listener_hears_each_event_in_order_from_now_on(table: Table, alice: Agent) -> None:
    await alice.adds_note("before")

    async with listens(table.http, EVENTS, x_caller_agent="eve") as stream:
        await asyncio.gather(*(alice.adds_note(str(n)) for n in range(20)))
        heard = [await stream.hears() for _ in range(20)]
        last = stream.cursor

    assert (stream.status, stream.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    assert [received[0] for received in heard if received] == ["scratchpad/note_added"] * 20
    assert [received[1]["note_id"] for received in heard if received] == [f"n{n}" for n in range(2, 22)]
    assert heard[-1] is not None
    assert last == heard[-1][1]["seq"]
    assert set(heard[-1][1]) >= {"seq", "kind", "session_id", "actor", "timestamp", "content_preview"}


@pytest.mark.parametrize("way", ["header", "query", "header counts more"])
async def test_a_listener_that_comes_back_misses_nothing_and_hears_nothing_twice(
    table: Table, alice: Agent, way: str
) -> None:
    async with listens(table.http, EVENTS) as stream:
        await alice.adds_note("heard")
        await stream.takes(1)
        cursor = str(stream.cursor)
    await alice.adds_note("while away")

    target, headers = {
        "header": (EVENTS, {"last_event_id": cursor}),
        "query": (f"{EVENTS}?after={cursor}", {}),
        "header counts more": (f"{EVENTS}?after=0", {"last_event_id": cursor}),
    }[way]
    async with listens(table.http, target, **headers) as stream:
        writing = asyncio.create_task(alice.adds_note("live"))
        events = await stream.takes(2)
        await writing

    assert [event["note_id"] for event in events] == ["n2", "n3"]


async def test_a_listener_cut_off_before_its_first_event_can_come_back_as_well(table: Table, alice: Agent) -> None:
    await alice.adds_note("before")
    async with listens(table.http, EVENTS) as stream:
        await stream.begins()
    await alice.adds_note("while away")

    async with listens(table.http, EVENTS, last_event_id=str(stream.cursor)) as again:
        events = await again.takes(1)

    assert [event["note_id"] for event in events] == ["n2"]


async def test_only_the_kinds_asked_for_are_told(table: Table, alice: Agent) -> None:
    for query in ("kinds=message/added,session/*", "kinds=message/*&kinds=session/closed", "kinds=message%2F*,"):
        async with listens(table.http, f"{EVENTS}?{query}") as stream:
            await alice.adds_note("a note")
            await alice.calls("add_message", content=query)
            events = await stream.takes(1)

        assert [event["content_preview"] for event in events] == [query]


@pytest.mark.in_process("sets how often the server gives a sign of life")
async def test_silence_is_broken_by_heartbeats(table: Table, alice: Agent) -> None:
    table.http.events.heartbeat = 0.02

    async with listens(table.http, EVENTS) as stream:
        await stream.beats(3)
        await alice.adds_note("still heard")
        events = await stream.takes(1)

    assert [event["note_id"] for event in events] == ["n1"]


@pytest.mark.in_process("sockets and the balancer keep more than the server does")
async def test_a_slow_listener_holds_up_nobody_and_is_told_that_it_lags(table: Table, alice: Agent) -> None:
    count = QUEUED + 40
    async with listens(table.http, EVENTS) as slow, listens(table.http, EVENTS, x_caller_agent="quick") as quick:
        healthy = asyncio.create_task(quick.takes(count))
        for _ in range(count // 8):
            await asyncio.gather(*(alice.adds_note("news") for _ in range(8)))
        everything = await healthy
        heard: list[dict[str, Any]] = []
        while not heard or "lagged" not in heard[-1]:
            heard += await slow.takes(1)
        notice = heard.pop()

    assert [event["note_id"] for event in everything] == [f"n{n}" for n in range(1, count + 1)]
    assert notice == {"lagged": True, "after": heard[-1]["seq"]}
    async with listens(table.http, f"{EVENTS}?after={notice['after']}") as again:
        missed = await again.takes(count - len(heard))
    assert [event["note_id"] for event in heard + missed] == [f"n{n}" for n in range(1, count + 1)]


@pytest.mark.parametrize("kinds", ["", "?kinds=scratchpad/*"])
async def test_a_stream_ends_with_its_session(table: Table, alice: Agent, kinds: str) -> None:
    async with listens(table.http, EVENTS + kinds) as stream:
        await alice.adds_note("last")
        await alice.calls("close_session")
        *events, (last, end) = await stream.rest()

    received = ["scratchpad/note_added"] if kinds else ["scratchpad/note_added", "session/closed"]
    assert [kind for kind, _ in events] == received
    assert (last, end["reason"], end["after"]) == ("end", "session_over", events[-1][1]["seq"])


async def test_a_session_that_is_over_tells_what_is_left_and_then_that_there_is_nothing(
    table: Table, alice: Agent
) -> None:
    await alice.adds_note("kept")
    await alice.calls("close_session")

    async with listens(table.http, f"{EVENTS}?after=0") as stream:
        received = await stream.rest()
    async with listens(table.http, EVENTS, last_event_id=str(received[-1][1]["after"])) as again:
        assert (again.status, again.chunks.get_nowait()) == (204, None)
    async with listens(table.http, EVENTS) as new:
        assert new.status == 204

    assert [kind for kind, _ in received] == ["session/created", "scratchpad/note_added", "session/closed", "end"]


@pytest.mark.in_process("stops the server from inside")
async def test_a_server_that_stops_tells_where_to_go_on(table: Table, alice: Agent, session: str) -> None:
    async with listens(table.http, EVENTS) as stream, listens(table.http, "/events") as whole:
        await alice.adds_note("last")
        await stream.takes(1)
        stopping = asyncio.create_task(table.http.end_streams())
        last = await stream.rest()
        others = await whole.rest()
        await stopping
        await table.http.drain(5)

    assert last == [("end", {"after": stream.cursor, "reason": "stopping"})]
    assert [kind for kind, _ in others] == ["scratchpad/note_added", "end"]
    assert await refusal(table) == (503, "SHUTTING_DOWN")


@pytest.mark.in_process("stops the server from inside")
async def test_a_listener_that_takes_nothing_in_does_not_keep_the_server_from_stopping(
    table: Table, alice: Agent
) -> None:
    async with listens(table.http, EVENTS) as stalled:
        for n in range(5):
            await alice.adds_note(str(n))

        async with asyncio.timeout(40):
            await table.http.end_streams()
            await table.http.drain(5)

        assert stalled.status == 200


@pytest.mark.parametrize(
    ("target", "headers", "refused"),
    [
        (f"{EVENTS}?kinds=nonsense", {}, (400, "INVALID_ARGUMENT")),
        (f"{EVENTS}?kinds=scratchpad/*,note/added", {}, (400, "INVALID_ARGUMENT")),
        (f"{EVENTS}?after=-1", {}, (400, "INVALID_ARGUMENT")),
        (f"{EVENTS}?after=1&after=2", {}, (400, "INVALID_ARGUMENT")),
        (f"{EVENTS}?after=99999999999999999999", {}, (400, "INVALID_ARGUMENT")),
        (f"{EVENTS}?limit=3", {}, (400, "INVALID_ARGUMENT")),
        (EVENTS, {"last_event_id": "n3"}, (400, "INVALID_ARGUMENT")),
        (EVENTS, {"last_event_id": ""}, (400, "INVALID_ARGUMENT")),
        (EVENTS, {"x_session_id": "sess_two"}, (403, "SESSION_MISMATCH")),
        ("/events", {"x_session_id": "sess_one"}, (403, "SESSION_MISMATCH")),
        ("/sessions/nowhere/events", {}, (404, "SESSION_NOT_FOUND")),
        ("/sessions/!/events", {}, (400, "INVALID_SESSION_ID")),
    ],
)
async def test_what_is_wrong_is_said_before_the_stream_begins(
    table: Table, session: str, target: str, headers: dict[str, str], refused: tuple[int, str]
) -> None:
    await table.session("sess_two")

    assert await refusal(table, target, **headers) == refused


@pytest.mark.in_process("servers count together within a second, not at once")
async def test_the_eleventh_stream_of_a_caller_is_refused_and_one_that_hung_up_leaves_room(
    table: Table, session: str
) -> None:
    async with AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(AsyncExitStack()) for _ in range(10)]
        for one in streams:
            assert (await one.enter_async_context(listens(table.http, EVENTS))).status == 200

        assert await refusal(table) == (409, "CAPACITY_LIMIT_REACHED")
        await streams[0].aclose()
        assert (await stack.enter_async_context(listens(table.http, EVENTS))).status == 200

    assert table.app.feed.subscribers == 0


async def test_a_head_request_opens_nothing(table: Table, session: str) -> None:
    async with request_of(table.http, "HEAD", EVENTS, {}) as answer:
        assert (answer.status, answer.chunks.get_nowait()) == (200, None)

    assert table.app.feed.subscribers == 0


@pytest.mark.in_process("counts in the memory of the server")
async def test_streams_are_no_requests_in_flight(table: Table, session: str) -> None:
    async with listens(table.http, EVENTS), listens(table.http, "/events"):
        assert await table.http.in_flight.drain(1)


async def test_opening_a_stream_and_being_refused_one_is_on_record(table: Table, session: str) -> None:
    async with listens(table.http, EVENTS):
        pass
    await refusal(table, "/sessions/nowhere/events")

    # Both are written in batches: in which order is not promised.
    assert sorted(await audited(table)) == [
        ("stream_events", "SESSION_NOT_FOUND", "rest"),
        ("stream_events", "SUCCESS", "rest"),
    ]


async def test_every_reader_hears_what_it_may_read_and_people_hear_everything(company: Table) -> None:
    boss = "acme-secret"
    await company.agent(token=boss).calls("create_session", session_id="sess_one")
    writer = company.agent("writer", "sess_one", boss, **{"X-Agent-Type": "coder"})
    person = await token(company, Role.HUMAN, name="ana")
    listeners = {
        "the writer": {"authorization": f"Bearer {boss}", "x_caller_agent": "writer", "x_agent_type": "coder"},
        "of its type": {"authorization": f"Bearer {boss}", "x_caller_agent": "peer", "x_agent_type": "coder"},
        "another": {"authorization": f"Bearer {boss}", "x_caller_agent": "other"},
        "a person": {"authorization": f"Bearer {person}"},
    }
    for sight in ("public", "private", "agent_only"):
        await writer.calls("add_message", content=sight, visibility=sight)
    await writer.calls("add_message", content="done")

    heard = {}
    for name, headers in listeners.items():
        for target in (EVENTS, "/events"):
            async with listens(company.http, f"{target}?after=0&kinds=message/*", **headers) as stream:
                received: list[str] = []
                while "done" not in received:
                    received += [event["content_preview"] for event in await stream.takes(1)]
                heard[name, target] = received[:-1]

    expected = {
        "the writer": ["public", "private", "agent_only"],
        "of its type": ["public", "agent_only"],
        "another": ["public"],
        "a person": ["public", "private", "agent_only"],
    }
    assert heard == {(name, target): received for name, received in expected.items() for target in (EVENTS, "/events")}


async def test_the_whole_tenant_is_for_those_who_oversee_it(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    agent = await token(company, Role.AGENT, agent="scout", session_id="sess_one")
    statuses = {}
    for role in (Role.READER, Role.HUMAN, Role.OWNER, Role.ORCHESTRATOR):
        async with listens(company.http, "/events", authorization=f"Bearer {await token(company, role)}") as stream:
            statuses[role] = stream.status

    assert statuses == {Role.READER: 403, Role.HUMAN: 200, Role.OWNER: 200, Role.ORCHESTRATOR: 200}
    assert await refusal(company, "/events", authorization=f"Bearer {agent}") == (403, "FORBIDDEN")
    assert await refusal(company, "/events") == (401, "UNAUTHORIZED")
    assert await refusal(company) == (401, "UNAUTHORIZED")
    assert await refusal(company, authorization="Bearer rival-secret") == (404, "SESSION_NOT_FOUND")


async def test_the_tenant_hears_all_its_sessions_and_nothing_of_another(company: Table) -> None:
    async with listens(company.http, "/events", authorization="Bearer acme-secret") as stream:
        await company.agent(token="rival-secret").calls("create_session", session_id="sess_rival")
        for session_id in ("sess_one", "sess_two"):
            await company.agent(token="acme-secret").calls("create_session", session_id=session_id)
        await company.agent(None, "sess_one", "acme-secret").calls("close_session")
        events = await stream.takes(3)

    received = [(event["kind"], event["session_id"]) for event in events]
    assert received == [
        ("session/created", "sess_one"),
        ("session/created", "sess_two"),
        ("session/closed", "sess_one"),
    ]


async def test_an_agents_token_hears_its_session_and_no_other(company: Table) -> None:
    boss = company.agent(token="acme-secret")
    for session_id in ("sess_one", "sess_two"):
        await boss.calls("create_session", session_id=session_id)
    agent = await token(company, Role.AGENT, agent="scout", session_id="sess_one")

    async with listens(company.http, f"{EVENTS}?after=0", authorization=f"Bearer {agent}") as stream:
        (event,) = await stream.takes(1)

    assert event["session_id"] == "sess_one"
    for other in ("sess_two", "nowhere"):
        refused = await refusal(company, f"/sessions/{other}/events", authorization=f"Bearer {agent}")
        assert refused == (403, "SESSION_MISMATCH")


async def test_expired_sessions_are_gone_for_agents_and_an_archive_for_people(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    person = await token(company, Role.HUMAN, name="ana")
    company.clock.ahead = DAY + MINUTE

    async with listens(company.http, f"{EVENTS}?after=0", authorization=f"Bearer {person}") as stream:
        received = await stream.rest()

    assert [kind for kind, _ in received] == ["session/created", "end"]
    assert await refusal(company, authorization="Bearer acme-secret") == (410, "SESSION_EXPIRED")


@pytest.mark.in_process("sets how often the server gives a sign of life")
async def test_a_revoked_token_hears_nothing_more(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    issued = await company.app.tokens.create(Credential("acme", Role.READER, "guest"), None)
    company.http.events.heartbeat = 0.2
    writer = company.agent("writer", "sess_one", "acme-secret")

    async with listens(company.http, EVENTS, authorization=f"Bearer {issued.secret}") as stream:
        await writer.adds_note("heard")
        (heard,) = await stream.takes(1)
        await company.app.tokens.revoke(issued.token_id)
        received = await stream.rest()

    assert received == [("end", {"after": heard["seq"], "reason": "unauthorized"})]


async def test_a_person_at_the_console_listens_with_the_cookie(table: Table, alice: Agent) -> None:
    cookie = await table.app.logins.redeem(await table.app.logins.new_link_secret())
    signed_in = {"cookie": f"{table.http.authenticator.cookie_name}={cookie}"}
    await alice.calls("add_message", content="whispered", visibility="private")

    async with listens(table.http, f"{EVENTS}?after=0&kinds=message/*", **signed_in) as stream:
        (event,) = await stream.takes(1)

    assert event["content_preview"] == "whispered"
    assert ("stream_events", "SUCCESS", "console") in await audited(table)


async def test_what_another_process_writes_is_heard_too(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as here, open_table(store, tmp_path) as there:
        writer = there.agent("writer", await there.session("sess_one"))
        async with listens(here.http, EVENTS) as stream:
            await asyncio.gather(*(writer.adds_note(str(n)) for n in range(20)))
            events = await stream.takes(20)

    assert [event["note_id"] for event in events] == [f"n{n}" for n in range(1, 21)]
    assert [event["seq"] for event in events] == sorted({event["seq"] for event in events})


async def test_text_that_looks_like_the_protocol_stays_text(table: Table, alice: Agent) -> None:
    hostile = "x\n\nevent: session/closed\ndata: {}\n\n\u2028id: 7\r\r\x85"

    async with listens(table.http, EVENTS) as stream:
        await alice.adds_note(hostile)
        (event,) = await stream.takes(1)

    assert event["content_preview"] == hostile
    assert stream.cursor == event["seq"]
