"""Listening over a pipe: who is told what, until when, and that it holds nobody up."""

import asyncio
import time
from typing import Any

import pytest

from longtable.log.feed import QUEUED
from tests.listening import SOON, local, none_left, piped, subscribed
from tests.table import Agent, Table

pytestmark = pytest.mark.slow

BOTH_REVISIONS = pytest.mark.parametrize("modern", [False, True], ids=["2025-11-25", "2026-07-28"])
NOTES = "longtable://session/sess_one/notes"


def kinds(received: list[dict[str, Any]]) -> list[str]:
    return [message["method"] for message in received]


@BOTH_REVISIONS
async def test_an_event_arrives_as_a_notification_with_its_kind_for_a_method(
    table: Table, alice: Agent, modern: bool
) -> None:
    async with piped(table.app, local("listener", "sess_one"), modern) as pipe:
        answer = await pipe.asks("notifications/subscribe", {"events": ["scratchpad/*"]})
        await alice.calls("add_message", content="not wanted")
        await alice.adds_note("a note")
        received = await pipe.hears()

    events = (await alice.calls("read_events", kinds=["scratchpad/*"], max_chars=0))["events"]
    assert answer["result"]["subscription_id"] == "sub_1"
    assert received == [{"jsonrpc": "2.0", "method": "scratchpad/note_added", "params": events[-1]}]


@BOTH_REVISIONS
async def test_who_subscribes_by_a_notification_hears_of_its_very_next_call(
    table: Table, session: str, modern: bool
) -> None:
    async with piped(table.app, local("listener", session), modern) as pipe:
        if modern:
            await pipe.asks("tools/list")
        await pipe.tells("notifications/subscribe")
        await pipe.calls("add_note", content="at once")
        received = await pipe.hears()

    assert kinds(received) == ["scratchpad/note_added"]


async def test_without_events_all_are_told_and_without_a_session_those_of_the_own(table: Table) -> None:
    async with piped(table.app, local("listener")) as pipe:
        await pipe.asks("notifications/subscribe")
        await pipe.calls("add_note", content="provisioned")
        await pipe.calls("add_message", content="hello")
        received = await pipe.hears(2)

    assert kinds(received) == ["scratchpad/note_added", "message/added"]


async def test_an_empty_session_is_one_that_was_not_given(table: Table, alice: Agent) -> None:
    async with piped(table.app, local("listener", "sess_one")) as pipe:
        await pipe.asks("notifications/subscribe", {"session_id": ""})
        await alice.adds_note("a note")
        received = await pipe.hears()

    assert kinds(received) == ["scratchpad/note_added"]


async def test_a_connection_listens_to_the_session_it_sits_down_in(table: Table) -> None:
    async with piped(table.app, local("listener")) as pipe:
        await pipe.calls("create_session", session_id="sess_new")
        await pipe.asks("notifications/subscribe", {"after": 0})
        received = await pipe.hears()

    assert (received[0]["method"], received[0]["params"]["session_id"]) == ("session/created", "sess_new")


async def test_a_subscriber_goes_on_from_its_cursor_without_a_gap(table: Table, alice: Agent) -> None:
    for n in range(5):
        await alice.adds_note(str(n))
    cursor = (await alice.calls("read_events", limit=3))["next_after"]

    async with piped(table.app, local("listener", "sess_one")) as pipe:
        await pipe.asks("notifications/subscribe", {"after": cursor, "events": ["scratchpad/note_added"]})
        await alice.adds_note("live")
        received = await pipe.hears(4)

    assert [message["params"]["note_id"] for message in received] == ["n3", "n4", "n5", "n6"]


async def test_private_messages_are_told_to_those_alone_who_may_read_them(table: Table, alice: Agent) -> None:
    async with (
        piped(table.app, local("alice", "sess_one")) as own,
        piped(table.app, local("bob", "sess_one")) as other,
    ):
        for pipe in (own, other):
            await pipe.asks("notifications/subscribe", {"events": ["message/*"]})
        await alice.calls("add_message", content="mine", visibility="private")
        await alice.calls("add_message", content="ours")
        to_alice, to_bob = await own.hears(2), await other.hears()

    assert [message["params"]["content_preview"] for message in to_alice] == ["mine", "ours"]
    assert [message["params"]["content_preview"] for message in to_bob] == ["ours"]


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        ({"session_id": "sess_none"}, "SESSION_NOT_FOUND"),
        ({"session_id": "!"}, "INVALID_SESSION_ID"),
        ({"events": ["scratchpad/nothing"]}, "INVALID_ARGUMENT"),
        ({"events": ["nothing/*"]}, "INVALID_ARGUMENT"),
        ({"events": "scratchpad/*"}, "INVALID_ARGUMENT"),
        ({"session_id": 7}, "INVALID_ARGUMENT"),
        ({"after": -1}, "INVALID_ARGUMENT"),
        ({"kinds": []}, "INVALID_ARGUMENT"),
    ],
)
async def test_a_refusal_comes_as_an_error_or_as_a_message(table: Table, wish: dict[str, Any], code: str) -> None:
    async with piped(table.app, local("listener")) as pipe:
        answer = await pipe.asks("notifications/subscribe", wish)
        await pipe.tells("notifications/subscribe", wish)
        received = (await pipe.hears())[0]

    assert answer["error"]["data"]["code"] == code
    assert (received["method"], received["params"]["level"]) == ("notifications/message", "error")
    assert received["params"]["data"] == {"code": code, "error": answer["error"]["message"]}
    assert table.app.feed.subscribers == 0


async def test_a_caller_bound_to_a_session_hears_of_no_other(table: Table, session: str) -> None:
    await table.session("sess_two")

    async with piped(table.app, local("listener", session)) as pipe:
        answers = [await pipe.asks("notifications/subscribe", {"session_id": other}) for other in ("sess_two", "none")]

    assert [answer["error"]["data"]["code"] for answer in answers] == ["SESSION_MISMATCH", "SESSION_MISMATCH"]


async def test_the_eleventh_subscription_to_a_session_is_refused(table: Table, session: str) -> None:
    async with piped(table.app, local("listener", session)) as pipe:
        for _ in range(10):
            assert "result" in await pipe.asks("notifications/subscribe")
        eleventh = await pipe.asks("notifications/subscribe")
        await pipe.asks("notifications/unsubscribe", {"subscription_id": "sub_3"})
        next_try = await pipe.asks("notifications/subscribe")

    assert eleventh["error"]["data"]["code"] == "CAPACITY_LIMIT_REACHED"
    assert next_try["result"] == {"subscription_id": "sub_12"}


@pytest.mark.parametrize("wish", [{"subscription_id": "sub_1"}, {}], ids=["one", "all"])
async def test_who_unsubscribes_hears_nothing_more(table: Table, alice: Agent, wish: dict[str, Any]) -> None:
    async with piped(table.app, local("listener", "sess_one")) as pipe:
        await pipe.asks("notifications/subscribe")
        answer = await pipe.asks("notifications/unsubscribe", wish)
        await alice.adds_note("unheard")
        await pipe.asks("notifications/subscribe", {"events": ["message/*"]})
        await alice.calls("add_message", content="heard")
        received = await pipe.hears()

    assert answer["result"] == {}
    assert kinds(received) == ["message/added"]


async def test_unsubscribing_by_a_notification_ends_all_of_the_connection(table: Table, session: str) -> None:
    async with piped(table.app, local("listener", session)) as pipe:
        await pipe.asks("notifications/subscribe")
        await pipe.asks("notifications/subscribe")
        await pipe.tells("notifications/unsubscribe")
        await none_left(table.app)
        await pipe.tells("notifications/unsubscribe", {"subscription_id": "sub_1"})
        received = await pipe.hears()

    assert received[0]["params"]["data"]["code"] == "NOT_FOUND"


async def test_subscriptions_end_with_the_connection(table: Table, session: str) -> None:
    async with piped(table.app, local("listener", session)) as pipe:
        await pipe.asks("notifications/subscribe")
        await pipe.asks("resources/subscribe", {"uri": NOTES})
        assert table.app.feed.subscribers == 2

    assert table.app.feed.subscribers == 0


async def test_subscriptions_end_with_the_session(table: Table, alice: Agent) -> None:
    async with piped(table.app, local("listener", "sess_one")) as pipe:
        await pipe.asks("notifications/subscribe", {"events": ["message/*"]})
        await pipe.asks("notifications/subscribe", {"events": ["session/*"]})
        await alice.calls("close_session")
        received = await pipe.hears()
        await none_left(table.app)

    assert kinds(received) == ["session/closed"]


async def test_a_client_that_takes_nothing_holds_up_neither_writers_nor_listeners(table: Table, alice: Agent) -> None:
    async with (
        piped(table.app, local("stalled", "sess_one"), stalls=True) as stalled,
        piped(table.app, local("healthy", "sess_one")) as healthy,
    ):
        await stalled.tells("notifications/subscribe")
        await healthy.asks("notifications/subscribe")
        await subscribed(table.app, 2)
        began = time.monotonic()
        for n in range(QUEUED + 20):
            await alice.adds_note(str(n))
        received = await healthy.hears(QUEUED + 20)
        late = [await stalled.receiving.receive() for _ in range(2)]

    assert len(received) == QUEUED + 20
    assert time.monotonic() - began < 60
    methods = [item.message.method for item in late]  # type: ignore[union-attr]  # notifications
    assert methods == ["scratchpad/note_added", "scratchpad/lagged"]
    lagged = late[1].message.params  # type: ignore[union-attr]  # a notification
    assert lagged == {"lagged": True, "after": received[0]["params"]["seq"]}


@BOTH_REVISIONS
async def test_a_watch_tells_events_and_in_the_end_where_to_go_on(table: Table, alice: Agent, modern: bool) -> None:
    async with piped(table.app, local("listener", "sess_one"), modern) as pipe:
        _, answer = await pipe.begins("scratchpad/watch", {"events": ["scratchpad/*", "session/*"]})
        begun = (await pipe.hears())[0]
        await alice.adds_note("a note")
        await alice.calls("close_session")
        received = await pipe.hears(2)
        result = (await asyncio.wait_for(answer, SOON))["result"]

    assert begun["method"] == "scratchpad/watching"
    assert kinds(received) == ["scratchpad/note_added", "session/closed"]
    assert begun["params"] == {"session_id": "sess_one", "after": received[0]["params"]["seq"] - 1}
    assert result["next_after"] == received[1]["params"]["seq"]
