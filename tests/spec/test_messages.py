"""Messages: who says what, and who gets to read it. One rule about visibility holds on every path."""

import asyncio
import json
import random
import string
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.kernel.clock import HOUR, MINUTE, to_iso
from tests.e2e.servers import until
from tests.table import Agent, Refused, Table

SENDER, SENDER_TYPE = "ann", "analyst"
READERS = {
    "the sender": ("ann", "analyst"),
    "the sender under another type": ("ann", "writer"),
    "an agent of the same type": ("bea", "analyst"),
    "an agent of another type": ("cid", "writer"),
    "a generic agent": ("dan", "generic"),
    "the addressee": ("eve", "planner"),
}
ADDRESSEE = "eve"
SEES = {
    "public": set(READERS),
    "private": {"the sender", "the sender under another type"},
    "agent_only": {"the sender", "an agent of the same type"},
}
DIRECTED = {"directed": {"the sender", "the sender under another type", "the addressee"}}
"""Private messages that are for one agent."""
WORD = "xylophone"


def agent_of_type(table: Table, name: str, kind: str, session: str) -> Agent:
    return table.agent(name, session, **{"X-Agent-Type": kind})


@dataclass
class Look:
    """A reader, and a message of which some trace may reach it. Each method is one path."""

    reader: Agent
    session: str
    message_id: int
    visibility: str

    async def list(self) -> bool:
        return self.message_id in _ids(await self.reader.calls("get_messages"))

    async def filter(self) -> bool:
        return self.message_id in _ids(await self.reader.calls("get_messages", visibility_filter=self.visibility))

    async def thread(self) -> bool:
        return self.message_id in _ids(await self.reader.calls("get_messages", thread=self.message_id))

    async def look_at_session(self) -> bool:
        return self.message_id in _ids(await self.reader.calls("get_session"))

    async def count(self) -> bool:
        return bool((await self.reader.calls("get_session"))["message_count"])

    async def search(self) -> bool:
        found = await self.reader.calls("search_context", query=WORD, scope="messages")
        return WORD in json.dumps(found["results"])

    async def event(self) -> bool:
        events = (await self.reader.calls("read_events"))["events"]
        return any(event["kind"] == "message/added" for event in events)

    async def rest(self) -> bool:
        return WORD in (await self.reader.client.get(f"/sessions/{self.session}/messages")).text

    async def rest_search(self) -> bool:
        path = f"/sessions/{self.session}/search?query={WORD}&scope=messages"
        return WORD in (await self.reader.client.get(path)).text

    async def inbox(self) -> bool:
        return "inbox" in await self.reader.calls("read_notes")

    async def brief(self) -> bool:
        return WORD in json.dumps(await self.reader.calls("brief"))

    async def resource(self) -> bool:
        uri = f"longtable://session/{self.session}/messages"
        return WORD in (await self.reader.posts("resources/read", {"uri": uri}, **{"Mcp-Name": uri})).text

    async def activity(self) -> bool:
        return WORD in (await self.reader.client.get(f"/sessions/{self.session}/activity")).text

    async def overview(self) -> bool:
        found = await self.reader.client.get(f"/sessions/{self.session}/overview")
        return bool(found.json()["session"]["messages"])

    async def wait(self) -> bool:
        return self.message_id in _ids(await self.reader.calls("wait_for_messages", after_id=0, timeout_seconds=0))


PATHS = [
    Look.list,
    Look.filter,
    Look.thread,
    Look.look_at_session,
    Look.count,
    Look.search,
    Look.event,
    Look.rest,
    Look.rest_search,
    Look.inbox,
    Look.wait,
    Look.brief,
    Look.resource,
    Look.activity,
    Look.overview,
]


def _ids(page: dict[str, Any]) -> list[int]:
    return [message["id"] for message in page["messages"]]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.__name__)
@pytest.mark.parametrize("visibility", [*SEES, *DIRECTED])
async def test_on_every_path_exactly_those_see_a_message_who_may(
    table: Table, visibility: str, path: Callable[[Look], Awaitable[bool]]
) -> None:
    session = await table.session("sess_one")
    ann = agent_of_type(table, SENDER, SENDER_TYPE, session)
    chosen = {"to": ADDRESSEE} if visibility in DIRECTED else {"visibility": visibility}
    added = await ann.calls("add_message", content=f"the {WORD} plan", **chosen)
    stored = "private" if visibility in DIRECTED else visibility

    seen_by = {
        label
        for label, (name, kind) in READERS.items()
        if await path(Look(agent_of_type(table, name, kind, session), session, added["message_id"], stored))
    }

    # One's own words are no news: they neither wait in the inbox nor end a wait.
    news = path in (Look.inbox, Look.wait, Look.brief)
    readers = {**SEES, **DIRECTED}[visibility]
    expected = {label for label in readers if not (news and label.startswith("the sender"))}
    assert seen_by == expected


async def test_people_see_everything_marked_as_what_it_is_but_not_over_mcp(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_acme")
    ann = company.agent("ann", "sess_acme", "acme-secret", **{"X-Agent-Type": "analyst"})
    for visibility in SEES:
        await ann.calls("add_message", content=f"{visibility} words", visibility=visibility)
    issued = await company.app.tokens.create(Credential("acme", Role.HUMAN, "eva"), None)
    eva = company.agent(token=issued.secret)

    over_rest = (await eva.client.get("/sessions/sess_acme/messages")).json()
    over_mcp = await company.agent(None, "sess_acme", issued.secret).calls("get_messages")

    assert [message["visibility"] for message in over_rest["messages"]] == list(SEES)
    assert [message["visibility"] for message in over_mcp["messages"]] == ["public"]


async def test_the_audit_log_holds_no_content_of_any_message(table: Table) -> None:
    ann = agent_of_type(table, SENDER, SENDER_TYPE, await table.session("sess_one"))
    for visibility in SEES:
        await ann.calls("add_message", content=WORD, visibility=visibility, metadata={"m": WORD})

    log = await table.agent("auditor").calls("get_audit_log", limit=1000, max_chars=0)

    assert WORD not in json.dumps(log)
    assert [entry["event_type"] for entry in log["entries"]].count("message_added") == 3


async def test_a_filter_narrows_and_never_widens(table: Table) -> None:
    session = await table.session("sess_one")
    ann, cid = agent_of_type(table, "ann", "analyst", session), agent_of_type(table, "cid", "writer", session)
    for visibility in SEES:
        await ann.calls("add_message", content=visibility, visibility=visibility)
    await cid.calls("add_message", content="his own", visibility="private")

    async def contents(agent: Agent, **arguments: Any) -> list[str]:
        return [message["content"] for message in (await agent.calls("get_messages", **arguments))["messages"]]

    assert await contents(cid, visibility_filter="private") == ["his own"]
    assert await contents(cid, visibility_filter="agent_only") == []
    assert await contents(ann, visibility_filter="agent_only") == ["agent_only"]
    assert await contents(cid, sender="ann") == ["public"]


async def test_random_filters_leak_nothing(table: Table) -> None:
    """Ten thousand of them in `tests/proof`."""
    await try_random_filters(table, 500)


async def try_random_filters(table: Table, rounds: int) -> None:
    session = await table.session("sess_one")
    ann, cid = agent_of_type(table, "ann", "analyst", session), agent_of_type(table, "cid", "writer", session)
    for visibility in ("private", "agent_only"):
        await ann.calls("add_message", content=WORD, visibility=visibility)
    dice = random.Random(7)
    known = ["public", "private", "agent_only"]

    for _ in range(rounds):
        word = dice.choice([*known, *known, "".join(dice.choices(string.printable, k=dice.randint(0, 20)))])
        requested = dice.choice([word, word.upper(), f" {word}", f"{word}' OR '1'='1", word[:-1]])
        envelope = await cid.tries("get_messages", visibility_filter=requested)
        assert WORD not in json.dumps(envelope)
        assert envelope["code"] == ("SUCCESS" if requested in (*known, "") else "INVALID_ARGUMENT"), requested


async def test_ids_rise_within_a_session_and_twenty_at_once_are_all_kept(table: Table) -> None:
    session = await table.session("sess_one")
    agents = [table.agent(f"agent-{n}", session) for n in range(20)]

    added = await asyncio.gather(*(agent.calls("add_message", content="hello") for agent in agents))

    assert sorted(result["message_id"] for result in added) == list(range(1, 21))
    page = await agents[0].calls("get_messages")
    assert _ids(page) == list(range(1, 21))
    assert {message["sender"] for message in page["messages"]} == {f"agent-{n}" for n in range(20)}


async def test_a_message_comes_back_as_it_was_given(alice: Agent) -> None:
    metadata = {"a": [1, None, {"b": "ü"}]}
    added = await alice.calls("add_message", content=" <b>hi</b>\n\u202e ", metadata=metadata)

    message = (await alice.calls("get_messages", max_chars=0))["messages"][0]

    assert message == {
        "id": 1,
        "session_id": "sess_one",
        "sender": "alice",
        "sender_type": "generic",
        "content": " <b>hi</b>\n\u202e ",
        "visibility": "public",
        "metadata": metadata,
        "parent_message_id": None,
        "timestamp": added["timestamp"],
    }


async def test_pages_hold_still_while_others_speak(alice: Agent, bob: Agent) -> None:
    for n in range(5):
        await alice.calls("add_message", content=f"m{n}")

    first = await alice.calls("get_messages", limit=2, order="oldest")
    await bob.calls("add_message", content="in between")
    second = await alice.calls("get_messages", limit=2, after_id=first["next_after_id"])
    third = await alice.calls("get_messages", limit=2, after_id=second["next_after_id"])

    assert _ids(first) + _ids(second) + _ids(third) == [1, 2, 3, 4, 5, 6]
    assert [page["has_more"] for page in (first, second, third)] == [True, True, False]
    assert (first["count"], _ids(await alice.calls("get_messages", limit=2, offset=3))) == (2, [4, 5])


async def test_messages_are_chosen_by_time(table: Table, alice: Agent) -> None:
    await alice.calls("add_message", content="early")
    table.clock.ahead = HOUR
    await alice.calls("add_message", content="late")
    between = to_iso(table.clock() - 30 * MINUTE)

    assert _ids(await alice.calls("get_messages", since=between)) == [2]
    assert _ids(await alice.calls("get_messages", until=between)) == [1]


async def test_a_thread_is_its_first_message_and_all_answers_however_deep(alice: Agent, bob: Agent) -> None:
    await alice.calls("add_message", content="root")
    await bob.calls("add_message", content="other")
    await bob.calls("add_message", content="reply", parent_message_id=1)
    await alice.calls("add_message", content="reply to the reply", parent_message_id=3)
    await alice.calls("add_message", content="a private thought", parent_message_id=3, visibility="private")

    assert _ids(await alice.calls("get_messages", thread=1)) == [1, 3, 4, 5]
    assert _ids(await bob.calls("get_messages", thread=1)) == [1, 3, 4]


async def test_an_unknown_a_foreign_and_a_hidden_parent_are_the_same_not_found(table: Table) -> None:
    session = await table.session("sess_one")
    ann, cid = table.agent("ann", session), table.agent("cid", session)
    other = table.agent("ann", await table.session("sess_two"))
    await ann.calls("add_message", content="hidden", visibility="private")
    await other.calls("add_message", content="a")
    await other.calls("add_message", content="elsewhere")

    answers = [await cid.tries("add_message", content="x", parent_message_id=parent) for parent in (1, 2, 99)]

    assert [answer["code"] for answer in answers] == ["NOT_FOUND"] * 3
    assert len({answer["error"] for answer in answers}) == 1
    assert _ids(await cid.calls("get_messages")) == []


async def test_a_reply_may_be_less_visible_than_its_parent_but_not_more(alice: Agent) -> None:
    await alice.calls("add_message", content="among us", visibility="agent_only")

    await alice.calls("add_message", content="to myself", visibility="private", parent_message_id=1)
    with pytest.raises(Refused, match="INVALID_ARGUMENT") as refusal:
        await alice.calls("add_message", content="to all", parent_message_id=1)

    assert "visibility" in str(refusal.value)


@pytest.mark.parametrize(
    ("arguments", "code", "field"),
    [
        ({}, "INVALID_ARGUMENT", "content"),
        ({"content": ""}, "INVALID_ARGUMENT", "content"),
        ({"content": "x" * 100_001}, "PAYLOAD_TOO_LARGE", "content"),
        ({"content": "x", "visibility": "secret"}, "INVALID_ARGUMENT", "visibility"),
        ({"content": "x", "visibility": "PUBLIC"}, "INVALID_ARGUMENT", "visibility"),
        ({"content": "x", "metadata": "text"}, "INVALID_ARGUMENT", "metadata"),
        ({"content": "x", "metadata": {"big": "x" * 10_241}}, "PAYLOAD_TOO_LARGE", "metadata"),
        ({"content": "x", "parent_message_id": "1"}, "INVALID_ARGUMENT", "parent_message_id"),
        ({"content": "x", "parent_message_id": 0}, "INVALID_ARGUMENT", "parent_message_id"),
        ({"content": "x", "sender": "eve"}, "INVALID_ARGUMENT", "sender"),
        ({"content": "x", "session_id": "sess_two"}, "SESSION_MISMATCH", "session_id"),
    ],
)
async def test_a_bad_message_is_refused_by_the_name_of_its_field_and_changes_nothing(
    alice: Agent, arguments: dict[str, Any], code: str, field: str
) -> None:
    envelope = await alice.tries("add_message", **arguments)

    assert (envelope["success"], envelope["code"]) == (False, code)
    assert field in envelope["error"]
    assert _ids(await alice.calls("get_messages")) == []


async def test_a_message_of_exactly_100000_characters_is_kept(alice: Agent) -> None:
    await alice.calls("add_message", content="ü" * 100_000)

    assert len((await alice.calls("get_messages", max_chars=0))["messages"][0]["content"]) == 100_000


@pytest.mark.parametrize(
    "arguments",
    [
        {"limit": 0},
        {"limit": 1001},
        {"offset": -1},
        {"visibility_filter": "all"},
        {"since": "yesterday"},
        {"thread": -1},
        {"after_id": "3"},
        {"unknown": 1},
    ],
)
async def test_a_bad_way_to_read_messages_is_refused(alice: Agent, arguments: dict[str, Any]) -> None:
    envelope = await alice.tries("get_messages", **arguments)

    assert envelope["code"] == "INVALID_ARGUMENT"
    assert envelope["details"]["errors"][0]["path"] == next(iter(arguments))


async def test_a_session_shows_its_newest_messages_first_and_counts_all_of_them(alice: Agent, bob: Agent) -> None:
    for n in range(55):
        await alice.calls("add_message", content=f"m{n}", visibility="private" if n % 5 == 0 else "public")

    hers, his = await alice.calls("get_session"), await bob.calls("get_session")

    assert (len(hers["messages"]), hers["message_count"], hers["messages"][0]["id"]) == (50, 55, 55)
    assert (len(his["messages"]), his["message_count"]) == (44, 44)


async def test_a_waiting_agent_gets_what_others_say_and_not_its_own_words(
    table: Table, alice: Agent, bob: Agent
) -> None:
    waiting = asyncio.create_task(bob.calls("wait_for_messages", timeout_seconds=20))
    await until(lambda: table.app.wakeups.anyone_waiting)
    await bob.calls("add_message", content="to myself aloud")

    await alice.calls("add_message", content="for you")

    page = await asyncio.wait_for(waiting, 40)
    assert [message["content"] for message in page["messages"]] == ["for you"]


async def test_a_wait_without_anything_new_is_a_normal_result(alice: Agent) -> None:
    page = await alice.calls("wait_for_messages", timeout_seconds=0.05)

    assert (page["success"], page["messages"], page["has_more"]) == (True, [], False)
