"""Lists of notes and messages begin with their newest page, and lead back from there without a gap."""

import asyncio
from typing import Any

import pytest

from tests.table import Agent, Refused

LISTS = {"read_notes": ("notes", "add_note"), "get_messages": ("messages", "add_message")}
lists = pytest.mark.parametrize("tool", LISTS)


async def _fill(agent: Agent, tool: str, count: int, **more: Any) -> None:
    for number in range(1, count + 1):
        await agent.calls(LISTS[tool][1], content=str(number), **more)


def _contents(tool: str, *pages: dict[str, Any]) -> list[str]:
    return [item["content"] for page in pages for item in page[LISTS[tool][0]]]


async def _pages_back(agent: Agent, tool: str, **arguments: Any) -> list[dict[str, Any]]:
    """All pages, the newest first."""
    pages = [await agent.calls(tool, **arguments)]
    while older := pages[-1].get("older"):
        pages.append(await agent.calls(tool, cursor=older, **arguments))
    return pages


@lists
async def test_a_list_begins_with_its_newest_page_in_the_order_of_writing(alice: Agent, tool: str) -> None:
    await _fill(alice, tool, 7)

    pages = await _pages_back(alice, tool, limit=3)

    assert [_contents(tool, page) for page in pages] == [["5", "6", "7"], ["2", "3", "4"], ["1"]]
    assert pages[0] | {"timestamp": 0} == (await alice.calls(tool, limit=3, order="newest")) | {"timestamp": 0}
    assert "older" not in pages[-1]


@lists
async def test_a_list_that_fits_one_page_has_nothing_older(alice: Agent, tool: str) -> None:
    await _fill(alice, tool, 3)

    page = await alice.calls(tool, limit=3)

    assert (_contents(tool, page), "older" in page) == (["1", "2", "3"], False)


async def test_notes_are_read_from_the_oldest_on_by_the_cursors_of_that_order(alice: Agent) -> None:
    await _fill(alice, "read_notes", 5)

    first = await alice.calls("read_notes", limit=2, order="oldest")
    second = await alice.calls("read_notes", limit=2, cursor=first["next_cursor"])
    third = await alice.calls("read_notes", limit=2, cursor=second["next_cursor"], order="oldest")

    assert _contents("read_notes", first, second, third) == ["1", "2", "3", "4", "5"]
    assert third["next_cursor"] is None
    assert not any("older" in page for page in (first, second, third))


@pytest.mark.parametrize("beginning", [{"order": "oldest"}, {"offset": 0}, {"after_id": 0}], ids=str)
async def test_messages_are_read_from_the_oldest_on(alice: Agent, beginning: dict[str, Any]) -> None:
    await _fill(alice, "get_messages", 5)

    first = await alice.calls("get_messages", limit=3, **beginning)
    second = await alice.calls("get_messages", limit=3, after_id=first["next_after_id"])

    assert [_contents("get_messages", page) for page in (first, second)] == [["1", "2", "3"], ["4", "5"]]
    assert [page["has_more"] for page in (first, second)] == [True, False]
    assert "older" not in first | second
    assert _contents("get_messages", await alice.calls("get_messages", limit=2, offset=3)) == ["4", "5"]


async def test_programs_that_follow_next_cursor_get_every_note_in_either_order(alice: Agent) -> None:
    await _fill(alice, "read_notes", 5)

    for order in ("newest", "oldest"):
        page = await alice.calls("read_notes", limit=2, order=order)
        found = page["notes"]
        while page["next_cursor"] is not None:
            page = await alice.calls("read_notes", limit=2, order=order, cursor=page["next_cursor"])
            found += page["notes"]
        assert sorted(note["content"] for note in found) == ["1", "2", "3", "4", "5"]


@lists
async def test_pages_back_lose_and_repeat_nothing_while_others_write(alice: Agent, bob: Agent, tool: str) -> None:
    await _fill(alice, tool, 20)
    writing = asyncio.create_task(_fill(bob, tool, 20, **({"tags": ["late"]} if tool == "read_notes" else {})))

    pages = await _pages_back(alice, tool, limit=3)
    seen = {item["id"] for page in pages for item in page[LISTS[tool][0]]}
    await writing

    assert len(seen) == sum(page["count"] for page in pages) >= 20
    ids = [item["id"] for item in (await alice.calls(tool, limit=100))[LISTS[tool][0]]]
    newest = [item["id"] for item in (await alice.calls(tool, limit=3))[LISTS[tool][0]]]
    assert (set(ids[: len(seen)]), newest) == (seen, ids[-3:])


async def test_filters_of_notes_hold_in_both_orders(alice: Agent, bob: Agent) -> None:
    for number in range(1, 9):
        await (bob if number % 2 else alice).adds_note(f"tea {number}", tags=["low"] if number < 6 else ["high"])

    async def found(**arguments: Any) -> list[str]:
        return [note["id"] for note in await alice.reads_notes(**arguments)]

    assert await found(tag="low", limit=2) == ["n4", "n5"]
    assert await found(tag="low", limit=2, order="oldest") == ["n1", "n2"]
    assert await found(author="bob", limit=2) == ["n5", "n7"]
    assert await found(author="bob", limit=2, order="oldest") == ["n1", "n3"]
    assert await found(tags=["low", "high"], author="bob", limit=3) == ["n3", "n5", "n7"]
    assert (
        await found(query="tea", order="newest") == await found(query="tea", order="oldest") == await found(query="tea")
    )
    for arguments, ids in (
        ({"tag": "low"}, ["n1", "n2", "n3", "n4", "n5"]),
        ({"author": "bob"}, ["n1", "n3", "n5", "n7"]),
    ):
        pages = await _pages_back(alice, "read_notes", limit=2, **arguments)
        assert [note["id"] for page in reversed(pages) for note in page["notes"]] == ids
        assert {page["total"] for page in pages} == {len(ids)}


async def test_filters_of_messages_hold_in_both_orders(alice: Agent, bob: Agent) -> None:
    await alice.calls("add_message", content="root")
    for number in range(2, 9):
        await (bob if number % 2 else alice).calls("add_message", content=str(number), parent_message_id=1)

    async def found(**arguments: Any) -> list[int]:
        return [message["id"] for message in (await alice.calls("get_messages", **arguments))["messages"]]

    assert await found(sender="bob", limit=2) == [5, 7]
    assert await found(sender="bob", limit=2, order="oldest") == [3, 5]
    assert await found(thread=1, limit=3) == [6, 7, 8]
    assert await found(thread=1, limit=3, order="oldest") == [1, 2, 3]
    assert await found(after_id=3, limit=2) == [4, 5]
    assert await found(after_id=3, limit=2, order="newest") == [7, 8]
    assert await found(before_id=5, limit=2) == [3, 4]
    assert await found(before_id=5, limit=2, order="oldest") == [1, 2]
    pages = await _pages_back(alice, "get_messages", after_id=2, order="newest", limit=2)
    assert [_contents("get_messages", page) for page in pages] == [["7", "8"], ["5", "6"], ["3", "4"]]


async def test_every_page_back_holds_only_what_the_caller_may_see(alice: Agent, bob: Agent) -> None:
    for number in range(1, 13):
        visibility = "private" if number % 3 else "public"
        await bob.calls("add_message", content=str(number), visibility=visibility)

    hers, his = [await _pages_back(agent, "get_messages", limit=2) for agent in (alice, bob)]

    assert [_contents("get_messages", page) for page in hers] == [["9", "12"], ["3", "6"]]
    assert [page["has_more"] for page in hers] == [True, False]
    assert sum(page["count"] for page in his) == 12
    assert not any("older" in page for page in await _pages_back(alice, "get_messages", limit=4))


@lists
async def test_rest_pages_back_in_the_same_way(alice: Agent, session: str, tool: str) -> None:
    await _fill(alice, tool, 5)
    path = f"/sessions/{session}/{LISTS[tool][0]}"

    first = (await alice.client.get(f"{path}?limit=2")).json()
    second = (await alice.client.get(path, params={"limit": 2, "cursor": first["older"]})).json()
    oldest = (await alice.client.get(f"{path}?limit=2&order=oldest")).json()

    assert [_contents(tool, page) for page in (first, second, oldest)] == [["4", "5"], ["2", "3"], ["1", "2"]]


async def test_notes_are_read_on_both_sides_of_one_by_its_id(alice: Agent) -> None:
    await _fill(alice, "read_notes", 7)

    before = await alice.calls("read_notes", before="n5", limit=2)
    after = await alice.calls("read_notes", after="n5", limit=2)
    earlier = await alice.calls("read_notes", cursor=before["older"], limit=2)

    assert _contents("read_notes", earlier, before, after) == ["1", "2", "3", "4", "6", "7"]
    assert after["next_cursor"] is None


@pytest.mark.parametrize(
    ("wanted", "path"),
    [
        ({"before": "five"}, "before"),
        ({"after": "m5"}, "after"),
        ({"before": "n5", "after": "n1"}, "before"),
        ({"before": "n5", "query": "words"}, "query"),
    ],
)
async def test_a_place_in_the_notes_that_is_none_is_refused_by_name(
    alice: Agent, wanted: dict[str, Any], path: str
) -> None:
    with pytest.raises(Refused) as refused:
        await alice.calls("read_notes", **wanted)

    assert refused.value.details["errors"][0]["path"] == path


async def test_a_session_whose_messages_do_not_fit_says_so_and_where_they_go_on(alice: Agent) -> None:
    for text in ("first", "second", "a long one " * 3_000, "last"):
        await alice.calls("add_message", content=text)

    shown = await alice.calls("get_session")
    rest = await alice.calls("get_messages", cursor=shown["older"], max_chars=0)
    whole = await alice.calls("get_session", max_chars=0)

    assert ([each["content"] for each in shown["messages"]], shown["truncated"]) == (["last"], True)
    assert [each["id"] for each in rest["messages"]] == [1, 2, 3]
    assert (len(whole["messages"]), "truncated" in whole, "older" in whole) == (4, False, False)


async def test_more_messages_than_a_session_shows_go_on_at_a_cursor(alice: Agent) -> None:
    for number in range(52):
        await alice.calls("add_message", content=f"m{number}")

    shown = await alice.calls("get_session")
    rest = await alice.calls("get_messages", cursor=shown["older"])

    assert ([each["id"] for each in rest["messages"]], "truncated" in shown) == ([1, 2], False)
