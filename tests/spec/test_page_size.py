"""Pages of notes and messages over MCP: short for a model, and nothing is lost that does not fit."""

import json
from typing import Any

import pytest

from longtable.toolkit.answer_size import DEFAULT_CHARS
from tests.spec.test_answer_size import MOST, answer
from tests.spec.test_newest_pages import LISTS, lists
from tests.spec.test_tool_list import tokens
from tests.table import Agent, Table

LONG = "A long finding. " * 1_000
FIFTY_MESSAGES = 1_800
"""Tokens."""


def _items(tool: str, page: dict[str, Any]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = page[LISTS[tool][0]]
    return items


async def _adds(agent: Agent, tool: str, *contents: str, **more: Any) -> None:
    for content in contents:
        await agent.calls(LISTS[tool][1], content=content, **more)


async def test_fifty_short_messages_cost_a_model_little(table: Table) -> None:
    session = str((await table.agent().calls("create_session"))["session_id"])
    agents = [table.agent(name, session) for name in ("alice", "bob", "carol")]
    for number in range(60):
        await _adds(agents[number % 3], "get_messages", f"Short message number {number}")

    text = await answer(agents[0], "get_messages")

    page = json.loads(text)
    assert (page["count"], page["session_id"]) == (50, session)
    assert tokens(page) <= FIFTY_MESSAGES
    assert page["messages"][0].keys() == {"id", "sender", "content", "timestamp"}
    assert (page["sender_type"], page["visibility"]) == ("generic", "public")


async def test_items_have_no_empty_fields_and_do_not_repeat_their_session(alice: Agent, session: str) -> None:
    await alice.adds_note("plain")
    await alice.adds_note("full", tags=["a"], source="here")
    await _adds(alice, "get_messages", "plain")
    await _adds(alice, "get_messages", "full", metadata={"a": 1}, parent_message_id=1)

    notes, page = await alice.reads_notes(), await alice.calls("get_messages")
    looked_at = await alice.calls("get_session")

    assert notes[0].keys() == {"id", "content", "author", "timestamp"}
    assert (notes[1]["tags"], notes[1]["source"]) == (["a"], "here")
    assert page["messages"][0].keys() == {"id", "sender", "sender_type", "content", "visibility", "timestamp"}
    assert (page["messages"][1]["metadata"], page["messages"][1]["parent_message_id"]) == ({"a": 1}, 1)
    assert page["session_id"] == session
    assert looked_at["messages"] == page["messages"][::-1]


async def test_a_long_page_says_once_only_what_is_equal_for_all(alice: Agent) -> None:
    await _adds(alice, "get_messages", *(str(number) for number in range(14)))
    await _adds(alice, "get_messages", "mine", visibility="private")

    mixed = await alice.calls("get_messages")
    public = await alice.calls("get_messages", visibility_filter="public")

    assert ("visibility" in mixed, mixed["messages"][-1]["visibility"]) == (False, "private")
    assert {message["visibility"] for message in mixed["messages"][:-1]} == {"public"}
    assert (public["visibility"], "visibility" in public["messages"][0]) == ("public", False)


@lists
async def test_programs_get_every_field_of_every_text(alice: Agent, session: str, tool: str) -> None:
    await _adds(alice, tool, *[LONG] * 3)

    over_rest = (await alice.client.get(f"/sessions/{session}/{LISTS[tool][0]}")).json()
    over_mcp = await alice.calls(tool, max_chars=0)

    assert _items(tool, over_rest) == _items(tool, over_mcp)
    assert [item["content"] for item in _items(tool, over_mcp)] == [LONG] * 3
    empty = {"tags", "source"} if tool == "read_notes" else {"session_id", "metadata", "parent_message_id"}
    assert empty <= _items(tool, over_mcp)[0].keys()


@lists
@pytest.mark.parametrize("limit", [50, 3])
async def test_texts_that_do_not_fit_are_on_the_pages_before(alice: Agent, tool: str, limit: int) -> None:
    contents = [f"{number} {LONG[: 1_000 * (number % 16)]}" for number in range(40)]
    await _adds(alice, tool, *contents)

    found: list[str] = []
    page = await alice.calls(tool, limit=limit)
    while True:
        shown = [item["content"] for item in _items(tool, page)]
        assert 0 < sum(map(len, shown)) <= DEFAULT_CHARS
        assert page["count"] == len(shown)
        found = [*shown, *found]
        if "older" not in page:
            break
        page = await alice.calls(tool, limit=limit, cursor=page["older"])

    assert found == contents


async def test_pages_from_the_oldest_on_lose_nothing_that_does_not_fit(alice: Agent) -> None:
    contents = [f"{number} {LONG[: 1_000 * (number % 16)]}" for number in range(20)]
    await _adds(alice, "read_notes", *contents)
    await _adds(alice, "get_messages", *contents)

    page = await alice.calls("read_notes", order="oldest")
    notes = page["notes"]
    while page["next_cursor"]:
        assert page["truncated"]
        page = await alice.calls("read_notes", cursor=page["next_cursor"])
        notes += page["notes"]
    page = await alice.calls("get_messages", order="oldest")
    messages = page["messages"]
    while page["has_more"]:
        page = await alice.calls("get_messages", after_id=page["next_after_id"])
        messages += page["messages"]

    assert [note["content"] for note in notes] == [message["content"] for message in messages] == contents


async def test_a_ranking_goes_on_after_what_fitted(alice: Agent) -> None:
    await _adds(alice, "read_notes", *(f"tea {number} {LONG[:9_000]}" for number in range(7)))

    page = await alice.calls("read_notes", query="tea")
    ids = [note["id"] for note in page["notes"]]
    while page["next_cursor"]:
        page = await alice.calls("read_notes", query="tea", cursor=page["next_cursor"])
        ids += [note["id"] for note in page["notes"]]

    assert sorted(ids) == [f"n{number}" for number in range(1, 8)]


@lists
async def test_a_text_that_is_too_long_alone_is_cut_and_tells_how_to_read_it(alice: Agent, tool: str) -> None:
    await _adds(alice, tool, "before", LONG * 3, "after")

    page = await alice.calls(tool, limit=1, cursor=(await alice.calls(tool, limit=1))["older"])
    [item] = _items(tool, page)
    [whole] = _items(tool, await alice.calls(tool, **item["read_on"]))

    assert (item["truncated"], page["truncated"], page["count"]) == (True, True, 1)
    assert 15_000 < len(item["content"]) <= DEFAULT_CHARS
    assert (whole["id"], whole["content"]) == (item["id"], LONG * 3)
    assert [one["content"] for one in _items(tool, await alice.calls(tool, cursor=page["older"]))] == ["before"]


@lists
async def test_many_short_ones_all_come_when_they_are_wanted(alice: Agent, tool: str) -> None:
    await _adds(alice, tool, *(f"number {number}" for number in range(300)))

    page = await alice.calls(tool, limit=500)

    assert (page["count"], "older" in page, "truncated" in page) == (300, False, False)


@pytest.mark.parametrize("tool", ["read_notes", "get_messages", "wait_for_messages", "get_session"])
async def test_no_answer_is_long_unless_it_should_be(alice: Agent, bob: Agent, tool: str) -> None:
    for number in range(60):
        await bob.adds_note(f"{number} " + '"\n' * 200, tags=["t" * 60] * 1, source="s" * 300)
        await bob.calls("add_message", content=f"{number} " + '"\n' * 200, metadata={"key": "m" * 500})

    assert len(await answer(alice, tool)) <= MOST


async def test_waits_bring_what_fits_and_then_the_rest(alice: Agent, bob: Agent) -> None:
    await _adds(alice, "get_messages", *(f"{number} {LONG[:8_000]}" for number in range(5)))

    page = await bob.calls("wait_for_messages")
    seen = [message["id"] for message in page["messages"]]
    while page["has_more"]:
        page = await bob.calls("wait_for_messages", after_id=page["next_after_id"])
        seen += [message["id"] for message in page["messages"]]

    assert seen == [1, 2, 3, 4, 5]
