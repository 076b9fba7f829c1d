"""Sessions: created, found, joined, prolonged, closed, expired."""

import asyncio
import re

import pytest

from longtable.kernel.clock import DAY, HOUR, MINUTE, from_iso
from tests.table import Agent, Refused, Table


async def test_a_session_gets_an_id_and_lives_for_a_day(table: Table) -> None:
    created = await table.agent("orchestrator").calls("create_session", purpose="Coffee in Prague")

    assert re.fullmatch(r"session_[0-9a-f]{16}", created["session_id"])
    assert created["created_by"] == "orchestrator"
    assert from_iso(created["expires_at"]) - from_iso(created["created_at"]) == DAY
    assert (created["success"], created["code"]) == (True, "SUCCESS")


async def test_the_purpose_may_be_left_out(table: Table) -> None:
    created = await table.agent("a").calls("create_session")

    shown = await table.agent("a", created["session_id"]).calls("get_session")

    assert (shown["session"]["purpose"], shown["session"]["metadata"]) == ("", {})


async def test_a_chosen_id_is_taken_once(table: Table) -> None:
    outcomes = await asyncio.gather(
        *(table.agent("a").tries("create_session", session_id="chosen-one") for _ in range(20))
    )

    assert [outcome["code"] for outcome in outcomes].count("SUCCESS") == 1
    assert [outcome["code"] for outcome in outcomes].count("CONFLICT") == 19


async def test_twenty_sessions_created_at_once_are_all_kept(table: Table) -> None:
    await asyncio.gather(*(table.agent("a").calls("create_session", purpose=f"p{n}") for n in range(20)))

    listed = await table.agent("a").calls("list_sessions")

    assert {session["purpose"] for session in listed["sessions"]} == {f"p{n}" for n in range(20)}


@pytest.mark.parametrize(
    ("arguments", "code", "field"),
    [
        ({"session_id": "ab"}, "INVALID_SESSION_ID", "session_id"),
        ({"session_id": "a" * 65}, "INVALID_SESSION_ID", "session_id"),
        ({"session_id": "-abc"}, "INVALID_SESSION_ID", "session_id"),
        ({"session_id": "a/../b"}, "INVALID_SESSION_ID", "session_id"),
        ({"session_id": "abc\n"}, "INVALID_SESSION_ID", "session_id"),
        ({"session_id": 5}, "INVALID_ARGUMENT", "session_id"),
        ({"ttl": "soon"}, "INVALID_ARGUMENT", "ttl"),
        ({"ttl": "0h"}, "INVALID_ARGUMENT", "ttl"),
        ({"ttl": " "}, "INVALID_ARGUMENT", "ttl"),
        ({"ttl": "-5h"}, "INVALID_ARGUMENT", "ttl"),
        ({"metadata": "text"}, "INVALID_ARGUMENT", "metadata"),
        ({"metadata": ["list"]}, "INVALID_ARGUMENT", "metadata"),
        ({"metadata": {"big": "x" * 10_241}}, "PAYLOAD_TOO_LARGE", "metadata"),
        ({"metadata": {"bad": "\ud800"}}, "INVALID_ARGUMENT", "metadata"),
        ({"purpose": "x" * 10_001}, "PAYLOAD_TOO_LARGE", "purpose"),
        ({"agent": "x"}, "INVALID_ARGUMENT", "agent"),
    ],
)
async def test_a_bad_session_is_refused_by_the_name_of_its_field(
    table: Table, arguments: dict[str, object], code: str, field: str
) -> None:
    envelope = await table.agent("a").tries("create_session", **arguments)

    assert (envelope["success"], envelope["code"]) == (False, code)
    assert field in envelope["error"]
    assert (await table.agent("a").calls("list_sessions"))["sessions"] == []


async def test_metadata_come_back_as_the_object_they_were(table: Table) -> None:
    metadata = {"a": [1, 2.5, None, True], "ü": {"deep": "\u2028"}}
    await table.agent("a").calls("create_session", session_id="with-data", metadata=metadata)

    shown = await table.agent("a").calls("get_session", session_id="with-data")

    assert shown["session"]["metadata"] == metadata
    assert (shown["messages"], shown["message_count"]) == ([], 0)


async def test_sessions_are_listed_newest_first_page_by_page_and_by_status(table: Table) -> None:
    agent = table.agent("a")
    for n in range(5):
        await agent.calls("create_session", session_id=f"sess_{n}")
    await agent.calls("close_session", session_id="sess_3")

    first = await agent.calls("list_sessions", limit=2)
    second = await agent.calls("list_sessions", limit=2, cursor=first["next_cursor"])
    third = await agent.calls("list_sessions", limit=2, cursor=second["next_cursor"])

    shown = [session["session_id"] for page in (first, second, third) for session in page["sessions"]]
    assert shown == ["sess_4", "sess_3", "sess_2", "sess_1", "sess_0"]
    assert third["next_cursor"] is None
    closed = await agent.calls("list_sessions", status="closed")
    assert [session["session_id"] for session in closed["sessions"]] == ["sess_3"]
    assert len((await agent.calls("list_sessions", status="active"))["sessions"]) == 4


@pytest.mark.parametrize("arguments", [{"status": "open"}, {"limit": 0}, {"cursor": "x"}, {"page": 2}])
async def test_a_bad_way_to_list_is_refused(table: Table, arguments: dict[str, object]) -> None:
    with pytest.raises(Refused, match="INVALID_ARGUMENT"):
        await table.agent("a").calls("list_sessions", **arguments)


async def test_a_closed_session_can_be_read_but_not_changed(table: Table, alice: Agent) -> None:
    await alice.adds_note("before")

    assert (await alice.calls("close_session"))["status"] == "closed"

    with pytest.raises(Refused, match="SESSION_CLOSED"):
        await alice.adds_note("after")
    assert [note["content"] for note in await alice.reads_notes()] == ["before"]
    assert (await alice.calls("close_session"))["status"] == "closed"
    assert [event["kind"] for event in (await alice.calls("read_events"))["events"]].count("session/closed") == 1


async def test_an_expired_session_is_gone_for_agents_by_the_clock_and_by_the_status_410(
    table: Table, alice: Agent
) -> None:
    await alice.adds_note("in time")
    table.clock.ahead = DAY + MINUTE

    response = await alice.posts("tools/call", {"name": "read_notes", "arguments": {}})

    assert response.status_code == 410
    assert response.json()["error"]["data"]["code"] == "SESSION_EXPIRED"
    unbound = await table.agent("alice").tries("get_session", session_id="sess_one")
    assert unbound["code"] == "SESSION_EXPIRED"


async def test_the_job_marks_expired_sessions_and_tells_of_it_once(table: Table, alice: Agent) -> None:
    table.clock.ahead = DAY + MINUTE

    await asyncio.gather(table.app.jobs.run(), table.app.jobs.run())

    listed = await table.agent("a").calls("list_sessions", status="expired")
    assert [session["session_id"] for session in listed["sessions"]] == ["sess_one"]
    kinds = await _event_kinds(table, "sess_one")
    assert kinds == ["session/created", "session/expired"]


async def test_an_archive_is_purged_with_everything_in_it_when_its_time_is_over(table: Table, alice: Agent) -> None:
    await alice.adds_note("to be forgotten", tags=["t"], idempotency_key="k")
    table.clock.ahead = DAY + MINUTE
    await table.app.jobs.run()
    table.clock.ahead += 30 * DAY

    await table.app.jobs.run()

    assert (await table.agent("a").calls("list_sessions"))["sessions"] == []
    assert await _event_kinds(table, "sess_one") == []
    again = table.agent("alice", await table.session("sess_one"))
    assert await again.reads_notes(query="forgotten") == []
    assert await again.adds_note("a new start") == "n1"


async def test_an_extended_session_lives_longer_and_never_shorter(table: Table, alice: Agent) -> None:
    rest = table.agent("orchestrator").client
    before = (await alice.calls("get_session"))["session"]["expires_at"]

    longer = (await rest.post("/sessions/sess_one/extend", json={"ttl": "48h"})).json()
    shorter = (await rest.post("/sessions/sess_one/extend", json={"ttl": "1h"})).json()

    assert from_iso(longer["expires_at"]) > from_iso(before) + 23 * HOUR
    assert shorter["expires_at"] == longer["expires_at"]
    table.clock.ahead = DAY + HOUR
    assert await alice.adds_note("still here") == "n1"


async def test_the_number_of_sessions_of_a_tenant_is_limited_exactly(store: object, tmp_path: object) -> None:
    from tests.table import open_table

    async with open_table(store, tmp_path, max_sessions="3") as table:  # type: ignore[arg-type]  # fixtures as given
        outcomes = await asyncio.gather(*(table.agent("a").tries("create_session") for _ in range(6)))

        codes = sorted(outcome["code"] for outcome in outcomes)
        assert codes == ["CAPACITY_LIMIT_REACHED"] * 3 + ["SUCCESS"] * 3
        assert len((await table.agent("a").calls("list_sessions"))["sessions"]) == 3


async def _event_kinds(table: Table, session_id: str) -> list[str]:
    async def kinds(tx: object) -> list[str]:
        rows = await tx.all(  # type: ignore[attr-defined]  # a Transaction
            "SELECT kind FROM events WHERE tenant = :tenant AND session_id = :session_id ORDER BY seq",
            session_id=session_id,
        )
        return [row["kind"] for row in rows]

    return await table.app.database.read("default", kinds)
