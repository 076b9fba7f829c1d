"""Looking back from the newest: at what happened in a session, at its messages and at its notes."""

import json
from typing import Any

import httpx2
import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.kernel.clock import HOUR
from tests.table import Agent, Table, person

pytestmark = pytest.mark.slow

ACME = "acme-secret"
ACTIVITY = "/sessions/sess_one/activity"


@pytest.fixture
async def ada(company: Table) -> Agent:
    await company.agent(token=ACME).calls("create_session", session_id="sess_one", ttl="1h")
    return company.agent("ada", "sess_one", ACME)


async def back(client: httpx2.AsyncClient, limit: int) -> list[dict[str, Any]]:
    """Every event, page by page."""
    found, before = [], ""
    while True:
        page = (await client.get(f"{ACTIVITY}?limit={limit}{before}")).json()
        found += page["events"]
        assert page["count"] == len(page["events"]) <= limit
        if page["next_before"] is None:
            return found
        before = f"&before={page['next_before']}"


async def test_activity_is_what_read_events_tells_the_newest_first(company: Table, ada: Agent) -> None:
    for number in range(7):
        await ada.adds_note(str(number))
    await ada.calls("scratch_create", scratch_id="pad")
    onwards = (await ada.calls("read_events", max_chars=0))["events"]
    client = await person(company)

    assert await back(client, 100) == onwards[::-1]
    assert await back(client, 3) == onwards[::-1]
    assert onwards[-1]["session_id"] is None


async def test_activity_says_where_a_stream_begins_whichever_page_it_is(company: Table, ada: Agent) -> None:
    for number in range(4):
        await ada.adds_note(str(number))
    client = await person(company)

    first = (await client.get(f"{ACTIVITY}?limit=2")).json()
    second = (await client.get(f"{ACTIVITY}?limit=2&before={first['next_before']}")).json()

    assert first["last_seq"] == second["last_seq"] == first["events"][0]["seq"]
    assert (await client.get(f"{ACTIVITY}?before=1")).json()["next_before"] is None


async def test_hidden_messages_are_activity_to_people_and_to_those_they_are_for(company: Table, ada: Agent) -> None:
    await ada.calls("add_message", content="hidden words", visibility="private")
    conductor = company.agent(token=ACME).client

    shown = json.dumps((await (await person(company)).get(ACTIVITY)).json())
    kept = (await conductor.get(ACTIVITY)).json()

    assert "hidden words" in shown
    assert "hidden words" in json.dumps((await ada.client.get(ACTIVITY)).json())
    assert [event["kind"] for event in kept["events"]] == ["session/created"]
    assert kept["last_seq"] == kept["events"][0]["seq"]


async def test_people_look_back_at_a_session_whose_time_is_over(company: Table, ada: Agent) -> None:
    await ada.adds_note("x")
    company.clock.ahead = 2 * HOUR

    for role in (Role.HUMAN, Role.OWNER):
        events = (await (await person(company, role=role)).get(ACTIVITY)).json()["events"]
        assert events[0]["kind"] == "scratchpad/note_added"
    assert (await ada.client.get(ACTIVITY)).status_code == 410


async def test_activity_of_another_tenant_is_not_found(company: Table, ada: Agent) -> None:
    client = await person(company, tenant="rival")

    assert (await client.get(ACTIVITY)).status_code == 404


async def test_agents_look_back_by_read_events_and_not_by_this(company: Table, ada: Agent) -> None:
    credential = Credential("acme", Role.AGENT, "bot", agent="bot", session_id="sess_one")
    agent = company.agent(token=(await company.app.tokens.create(credential, None)).secret)

    assert (await agent.client.get(ACTIVITY)).status_code == 403
    assert "list_activity" not in (await agent.posts("tools/list", {})).text


@pytest.mark.parametrize("query", ["limit=0", "limit=501", "before=0", "before=x", "kinds=x"])
async def test_a_bad_way_to_look_back_is_refused(company: Table, ada: Agent, query: str) -> None:
    answer = await (await person(company)).get(f"{ACTIVITY}?{query}")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_ARGUMENT")


async def test_messages_are_read_backwards_page_by_page_each_oldest_first(alice: Agent) -> None:
    for number in range(1, 8):
        await alice.calls("add_message", content=str(number))

    newest = await alice.calls("get_messages", before_id=2**53, limit=3)
    middle = await alice.calls("get_messages", before_id=newest["messages"][0]["id"], limit=3)
    oldest = await alice.calls("get_messages", before_id=middle["messages"][0]["id"], limit=3)

    pages = [[message["id"] for message in page["messages"]] for page in (newest, middle, oldest)]
    assert pages == [[5, 6, 7], [2, 3, 4], [1]]
    assert [page["has_more"] for page in (newest, middle, oldest)] == [True, True, False]
    assert newest["next_after_id"] == 7


async def test_messages_read_backwards_hide_what_the_caller_may_not_see(alice: Agent, bob: Agent) -> None:
    for number in range(6):
        await bob.calls("add_message", content="x", visibility="private" if number % 2 else "public")

    page = await alice.calls("get_messages", before_id=6, limit=2)

    assert [message["id"] for message in page["messages"]] == [3, 5]
    assert page["has_more"] is True


async def test_reading_older_messages_leaves_the_newer_ones_in_the_inbox(alice: Agent, bob: Agent) -> None:
    for number in range(4):
        await bob.calls("add_message", content=str(number))

    page = await alice.calls("get_messages", before_id=3)

    assert page["inbox"]["messages"] == 4


async def test_a_cursor_of_one_order_is_refused_in_the_other(alice: Agent) -> None:
    for number in range(3):
        await alice.adds_note(str(number))
        await alice.calls("add_message", content=str(number))
    forward = (await alice.calls("read_notes", limit=1, order="oldest"))["next_cursor"]
    older = (await alice.calls("read_notes", limit=1))["older"]

    for wrong in ({"order": "newest", "cursor": forward}, {"order": "oldest", "cursor": older}, {"order": "odd"}):
        assert (await alice.tries("read_notes", **wrong))["error"]["code"] == "INVALID_ARGUMENT"
    for wrong in ({"order": "oldest", "cursor": older}, {"cursor": forward}, {"cursor": "x"}, {"order": "odd"}):
        assert (await alice.tries("get_messages", **wrong))["code"] == "INVALID_ARGUMENT"
