"""The draft: sections that every agent of a session may rewrite, and of which no version is ever lost."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.spec.draft_races import check_that_no_text_is_lost, check_that_no_update_is_lost
from tests.stores import Store
from tests.table import Agent, Refused, Table, open_table

MIB = 1_048_576


async def writes(agent: Agent, section_id: str, content: str = "", **more: Any) -> dict[str, Any]:
    result = await agent.calls("write_draft_section", section_id=section_id, content=content, **more)
    section: dict[str, Any] = result["section"]
    return section


async def order_of(agent: Agent) -> list[str]:
    return [section["section_id"] for section in (await agent.calls("list_sections"))["sections"]]


async def test_a_section_is_stamped_with_its_author_and_its_version(alice: Agent) -> None:
    section = await writes(alice, "market_analysis", "Coffee is dear.", title="The market")

    assert section.pop("updated_at").endswith("Z")
    assert section == {
        "section_id": "market_analysis",
        "title": "The market",
        "version": 1,
        "author": "alice",
        "created": True,
    }


async def test_writing_it_again_makes_the_next_version_by_whoever_wrote_it(alice: Agent, bob: Agent) -> None:
    await writes(alice, "intro", "one")

    section = await writes(bob, "intro", "two")

    assert (section["version"], section["author"], section["created"]) == (2, "bob", False)
    assert (await alice.calls("read_draft", section_id="intro"))["section"]["content"] == "two"


@pytest.mark.parametrize(
    ("section_id", "title"),
    [("intro", "Intro"), ("market_analysis", "Market analysis"), ("q-2_results--", "Q 2 results"), ("7", "7")],
)
async def test_a_new_section_without_a_title_gets_its_name_made_readable(
    alice: Agent, section_id: str, title: str
) -> None:
    assert (await writes(alice, section_id))["title"] == title


async def test_a_title_is_kept_until_another_is_given(alice: Agent) -> None:
    await writes(alice, "intro", title="Welcome")

    assert (await writes(alice, "intro", "text"))["title"] == "Welcome"
    assert (await writes(alice, "intro", "text", title="Hello"))["title"] == "Hello"


async def test_new_sections_go_last(alice: Agent) -> None:
    for section_id in ("one", "two", "three"):
        await writes(alice, section_id)
    await writes(alice, "one", "again")

    assert await order_of(alice) == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("section_id", "position", "order"),
    [
        ("new", 0, "new a b c d"),
        ("new", 2, "a b new c d"),
        ("new", 4, "a b c d new"),
        ("new", 99, "a b c d new"),
        ("a", 0, "a b c d"),
        ("a", 2, "b c a d"),
        ("a", 10**30, "b c d a"),
        ("c", 0, "c a b d"),
        ("d", 1, "a d b c"),
        ("d", 3, "a b c d"),
    ],
)
async def test_a_position_moves_a_section_and_the_others_make_room(
    alice: Agent, section_id: str, position: int, order: str
) -> None:
    for name in "abcd":
        await writes(alice, name)

    await writes(alice, section_id, position=position)

    assert await order_of(alice) == order.split()


async def test_the_order_has_no_gaps_whatever_was_moved(alice: Agent) -> None:
    names = [f"s{n}" for n in range(8)]
    await asyncio.gather(*(writes(alice, name, position=0) for name in names))
    await asyncio.gather(*(writes(alice, name, position=n * 3 % 8) for n, name in enumerate(names)))
    before = await order_of(alice)

    await writes(alice, "last", position=8)
    await writes(alice, "fourth", position=3)

    assert sorted(before) == names
    assert await order_of(alice) == [*before[:3], "fourth", *before[3:], "last"]


async def test_twenty_writes_at_the_same_moment_are_twenty_versions_without_a_gap(alice: Agent, bob: Agent) -> None:
    written = await asyncio.gather(*(writes((alice, bob)[n % 2], "intro", f"text {n}") for n in range(20)))

    assert sorted(section["version"] for section in written) == list(range(1, 21))
    assert [section["created"] for section in written].count(True) == 1
    for n, section in enumerate(written):
        kept = await alice.calls("read_draft", section_id="intro", version=section["version"])
        assert kept["section"]["content"] == f"text {n}"


async def test_twenty_sections_begun_at_the_same_moment_are_all_kept(alice: Agent, bob: Agent) -> None:
    await asyncio.gather(*(writes((alice, bob)[n % 2], f"s{n}", f"text {n}") for n in range(20)))

    sections = (await alice.calls("read_draft"))["sections"]
    assert {section["section_id"]: section["content"] for section in sections} == {
        f"s{n}": f"text {n}" for n in range(20)
    }


async def test_a_writer_who_has_seen_the_current_version_writes(alice: Agent) -> None:
    assert (await writes(alice, "intro", "one", expected_version=0))["version"] == 1
    assert (await writes(alice, "intro", "two", expected_version=1))["version"] == 2


async def test_who_was_slower_gets_the_current_version_and_what_changed(alice: Agent, bob: Agent) -> None:
    await writes(alice, "intro", "Dear all,\nwelcome.\n")
    await writes(bob, "intro", "Dear all,\nwelcome back.\n", expected_version=1)
    await writes(bob, "intro", "Dear all,\nwelcome back.\nBob\n", expected_version=2)

    with pytest.raises(Refused) as refusal:
        await writes(alice, "intro", "mine", expected_version=1)

    assert refusal.value.code == "VERSION_CONFLICT"
    assert refusal.value.details["current_version"] == 3
    assert refusal.value.details["diff"].splitlines() == [
        "--- intro version 1",
        "+++ intro version 3",
        "@@ -1,2 +1,3 @@",
        " Dear all,",
        "-welcome.",
        "+welcome back.",
        "+Bob",
    ]
    assert (await alice.calls("read_draft", section_id="intro"))["versions"] == 3


@pytest.mark.parametrize(
    ("section_id", "expected", "current"), [("intro", 3, 2), ("intro", 10**30, 2), ("other", 1, 0)]
)
async def test_there_is_no_diff_to_a_version_that_never_was(
    alice: Agent, section_id: str, expected: int, current: int
) -> None:
    await writes(alice, "intro", "one")
    await writes(alice, "intro", "two")
    before = await alice.calls("read_events")

    with pytest.raises(Refused) as refusal:
        await writes(alice, section_id, "three", expected_version=expected)

    assert refusal.value.code == "VERSION_CONFLICT"
    assert refusal.value.details == {"current_version": current}
    assert "diff" not in str(refusal.value)
    assert await alice.calls("read_events") == before


async def test_to_whom_a_section_was_new_all_of_its_text_is_what_changed(alice: Agent, bob: Agent) -> None:
    await writes(bob, "intro", "one\n")
    await writes(bob, "intro", "one\ntwo\n")

    with pytest.raises(Refused) as refusal:
        await writes(alice, "intro", "mine", expected_version=0)

    assert refusal.value.details["current_version"] == 2
    assert refusal.value.details["diff"].splitlines() == [
        "--- intro version 0",
        "+++ intro version 2",
        "@@ -0,0 +1,2 @@",
        "+one",
        "+two",
    ]


@pytest.mark.slow
async def test_of_many_who_rewrite_a_section_none_overwrites_another_unseen(table: Table, session: str) -> None:
    await check_that_no_update_is_lost(table, session, agents=16, each=25)


@pytest.mark.slow
async def test_of_many_who_write_without_looking_every_text_stays_in_the_history(table: Table, session: str) -> None:
    await check_that_no_text_is_lost(table, session, agents=16, each=10)


@pytest.mark.slow
async def test_a_conflict_over_two_large_texts_holds_up_no_other_writer(alice: Agent, bob: Agent) -> None:
    await writes(alice, "large", "a\n" * (MIB // 2))
    await writes(alice, "large", "b\n" * (MIB // 2))

    refused = asyncio.create_task(
        alice.tries("write_draft_section", section_id="large", content="", expected_version=1)
    )
    while not refused.done():
        await bob.adds_note("meanwhile")

    details = refused.result()["error"]["details"]
    assert details["current_version"] == 2
    assert 2_000 < len(details["diff"]) <= 8_000
    assert len(await bob.reads_notes()) > 1


async def test_the_same_key_writes_once(alice: Agent) -> None:
    sent = {"section_id": "intro", "content": "once", "idempotency_key": "key-1"}

    results = await asyncio.gather(*(alice.calls("write_draft_section", **sent) for _ in range(20)))

    assert {result["section"]["version"] for result in results} == {1}
    assert (await alice.calls("read_draft", section_id="intro"))["versions"] == 1


@pytest.mark.parametrize("content", ["", "x" * MIB, "ü" * (MIB // 2), " \t<b> \r\n\u2028\U0001f600 \x7f "])
async def test_a_text_comes_back_exactly_as_it_was_given(alice: Agent, content: str) -> None:
    await writes(alice, "intro", content)

    assert (await alice.calls("read_draft", max_chars=0))["sections"][0]["content"] == content


@pytest.mark.parametrize(
    ("arguments", "code", "field"),
    [
        ({}, "INVALID_ARGUMENT", "section_id"),
        ({"section_id": None}, "INVALID_ARGUMENT", "section_id"),
        ({"section_id": ""}, "INVALID_ARGUMENT", "section_id"),
        ({"section_id": "Intro"}, "INVALID_ARGUMENT", "section_id"),
        ({"section_id": "_intro"}, "INVALID_ARGUMENT", "section_id"),
        ({"section_id": "in tro"}, "INVALID_ARGUMENT", "section_id"),
        ({"section_id": "intro\n"}, "INVALID_ARGUMENT", "section_id"),
        ({"section_id": "einführung"}, "INVALID_ARGUMENT", "section_id"),
        ({"section_id": "../intro"}, "INVALID_ARGUMENT", "section_id"),
        ({"section_id": "x" * 65}, "INVALID_ARGUMENT", "section_id"),
        ({"section_id": "user_answers"}, "INVALID_ARGUMENT", "section_id"),
        ({"section_id": "notes"}, "INVALID_ARGUMENT", "section_id"),
        ({"section_id": "plan"}, "INVALID_ARGUMENT", "section_id"),
        ({"content": None}, "INVALID_ARGUMENT", "content"),
        ({"content": 7}, "INVALID_ARGUMENT", "content"),
        ({"content": "nul \0 inside"}, "INVALID_ARGUMENT", "content"),
        ({"content": "lone \ud800 surrogate"}, "INVALID_ARGUMENT", "content"),
        ({"content": "x" * (MIB + 1)}, "PAYLOAD_TOO_LARGE", "content"),
        ({"content": "ü" * (MIB // 2) + "x"}, "PAYLOAD_TOO_LARGE", "content"),
        ({"title": ["a"]}, "INVALID_ARGUMENT", "title"),
        ({"title": "x" * 201}, "PAYLOAD_TOO_LARGE", "title"),
        ({"expected_version": -1}, "INVALID_ARGUMENT", "expected_version"),
        ({"expected_version": "1"}, "INVALID_ARGUMENT", "expected_version"),
        ({"expected_version": True}, "INVALID_ARGUMENT", "expected_version"),
        ({"expected_version": 1}, "VERSION_CONFLICT", "expected_version"),
        ({"position": -1}, "INVALID_ARGUMENT", "position"),
        ({"position": 0.5}, "INVALID_ARGUMENT", "position"),
        ({"author": "mallory"}, "INVALID_ARGUMENT", "author"),
        ({"session_id": "sess_two"}, "INVALID_ARGUMENT", "session_id"),
        ({"idempotency_key": 5}, "INVALID_ARGUMENT", "idempotency_key"),
    ],
)
async def test_a_bad_section_is_refused_by_the_name_of_its_field_and_changes_nothing(
    alice: Agent, arguments: dict[str, Any], code: str, field: str
) -> None:
    good = {"section_id": "intro", "content": "x"} if arguments else {}
    before = await alice.calls("read_events")

    with pytest.raises(Refused) as refusal:
        await alice.calls("write_draft_section", **{**good, **arguments})

    assert refusal.value.code == code
    assert field in str(refusal.value)
    assert await order_of(alice) == []
    assert await alice.calls("read_events") == before


async def test_a_limit_is_exact_at_its_edge(alice: Agent) -> None:
    section = await writes(alice, "x" * 64, "y", title="z" * 200)

    assert (section["section_id"], section["title"]) == ("x" * 64, "z" * 200)


async def test_the_number_of_sections_is_limited_exactly_and_old_ones_can_still_be_written(
    store: Store, tmp_path: Path
) -> None:
    async with open_table(store, tmp_path, max_sections="3", max_section_bytes="10") as table:
        alice = table.agent("alice", await table.session())

        outcomes = await asyncio.gather(
            *(alice.tries("write_draft_section", section_id=f"s{n}", content="x" * 10) for n in range(6))
        )

        codes = [outcome["error"]["code"] for outcome in outcomes if not outcome["ok"]]
        assert codes == ["CAPACITY_LIMIT_REACHED"] * 3
        kept = await order_of(alice)
        assert len(kept) == 3
        assert (await writes(alice, kept[0], "again"))["version"] == 2
        with pytest.raises(Refused, match="PAYLOAD_TOO_LARGE"):
            await writes(alice, kept[0], "x" * 11)


async def test_a_closed_session_can_be_read_and_not_written(alice: Agent) -> None:
    await writes(alice, "intro", "kept")
    await alice.calls("close_session")

    for tool, arguments in (("write_draft_section", {"content": "x"}), ("revert_draft_section", {"to_version": 1})):
        with pytest.raises(Refused, match="SESSION_CLOSED"):
            await alice.calls(tool, section_id="intro", **arguments)

    assert (await alice.calls("read_draft"))["sections"][0]["content"] == "kept"
