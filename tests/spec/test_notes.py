"""Notes: the corkboard that every agent of a session pins to and reads from."""

import asyncio

import pytest

from tests.table import Agent, Refused, Table

KIB_64 = 65_536


async def test_a_note_is_stamped_with_its_author_and_its_number(alice: Agent) -> None:
    result = await alice.calls("add_note", content="Coffee costs 3 EUR", tags=["price", "coffee"])

    note = result["note"]
    assert (note["id"], note["author"], note["tags"]) == ("n1", "alice", ["price", "coffee"])
    assert note["timestamp"].endswith("Z")
    assert "content" not in note


async def test_every_agent_of_the_session_reads_the_same_notes_in_order(alice: Agent, bob: Agent) -> None:
    await alice.adds_note("first", source="https://example.org")
    await bob.adds_note("second")

    notes = await bob.reads_notes()

    assert [(note["id"], note["content"], note["author"], note.get("source")) for note in notes] == [
        ("n1", "first", "alice", "https://example.org"),
        ("n2", "second", "bob", None),
    ]


async def test_notes_added_at_the_same_moment_are_all_kept_and_numbered_without_a_gap(alice: Agent, bob: Agent) -> None:
    await asyncio.gather(*((alice, bob)[n % 2].adds_note(f"idea {n}", tags=["idea"]) for n in range(20)))

    notes = await alice.reads_notes()

    assert [note["id"] for note in notes] == [f"n{n}" for n in range(1, 21)]
    assert {note["content"] for note in notes} == {f"idea {n}" for n in range(20)}


async def test_another_session_of_the_same_tenant_sees_none_of_them(table: Table, alice: Agent) -> None:
    await alice.adds_note("ours alone")
    other = table.agent("alice", await table.session("sess_two"))

    assert await other.reads_notes() == []
    assert await other.reads_notes(query="ours") == []
    assert await other.adds_note("theirs") == "n1"


@pytest.mark.parametrize(
    ("content", "bytes_long"), [("x" * KIB_64, KIB_64), ("ü" * (KIB_64 // 2), KIB_64)], ids=["ascii", "umlauts"]
)
async def test_a_note_of_exactly_64_kib_is_kept_as_it_is(alice: Agent, content: str, bytes_long: int) -> None:
    await alice.adds_note(content)

    assert len(content.encode()) == bytes_long
    assert (await alice.reads_notes(max_chars=0))[0]["content"] == content


@pytest.mark.parametrize(
    ("arguments", "code", "field"),
    [
        ({}, "INVALID_ARGUMENT", "content"),
        ({"content": ""}, "INVALID_ARGUMENT", "content"),
        ({"content": 7}, "INVALID_ARGUMENT", "content"),
        ({"content": None}, "INVALID_ARGUMENT", "content"),
        ({"content": "nul \0 inside"}, "INVALID_ARGUMENT", "content"),
        ({"content": "lone \ud800 surrogate"}, "INVALID_ARGUMENT", "content"),
        ({"content": "x" * (KIB_64 + 1)}, "PAYLOAD_TOO_LARGE", "content"),
        ({"content": "x", "tags": "price"}, "INVALID_ARGUMENT", "tags"),
        ({"content": "x", "tags": [""]}, "INVALID_ARGUMENT", "tags.0"),
        ({"content": "x", "tags": [1]}, "INVALID_ARGUMENT", "tags.0"),
        ({"content": "x", "tags": ["y" * 65]}, "PAYLOAD_TOO_LARGE", "tags.0"),
        ({"content": "x", "tags": [str(n) for n in range(33)]}, "CAPACITY_LIMIT_REACHED", "tags"),
        ({"content": "x", "source": 3}, "INVALID_ARGUMENT", "source"),
        ({"content": "x", "supersedes": "three"}, "INVALID_ARGUMENT", "supersedes"),
        ({"content": "x", "supersedes": "n7"}, "NOT_FOUND", "supersedes"),
        ({"content": "x", "session_id": "sess_two"}, "INVALID_ARGUMENT", "session_id"),
        ({"content": "x", "author": "mallory"}, "INVALID_ARGUMENT", "author"),
        ({"content": "x", "idempotency_key": "k" * 129}, "INVALID_ARGUMENT", "idempotency_key"),
        ({"content": "x", "idempotency_key": 5}, "INVALID_ARGUMENT", "idempotency_key"),
    ],
)
async def test_a_bad_note_is_refused_by_the_name_of_its_field_and_changes_nothing(
    alice: Agent, arguments: dict[str, object], code: str, field: str
) -> None:
    before = await alice.calls("read_events")

    with pytest.raises(Refused) as refusal:
        await alice.calls("add_note", **arguments)

    assert refusal.value.code == code
    assert field in str(refusal.value)
    assert await alice.reads_notes() == []
    assert await alice.calls("read_events") == before


async def test_a_limit_is_exact_at_its_edge(alice: Agent) -> None:
    await alice.adds_note("x", tags=["y" * 64, *(str(n) for n in range(31))], idempotency_key="k" * 128)

    assert len((await alice.reads_notes())[0]["tags"]) == 32


async def test_a_note_can_be_superseded_and_readers_see_by_which(alice: Agent) -> None:
    await alice.adds_note("The price is 3 EUR")
    await alice.adds_note("The price is 4 EUR", supersedes="n1")

    old, new = await alice.reads_notes()

    assert old["superseded_by"] == "n2"
    assert new["supersedes"] == "n1"
    assert "superseded_by" not in new


async def test_the_same_tag_twice_counts_once(alice: Agent) -> None:
    await alice.adds_note("x", tags=["price", "price"])

    assert (await alice.reads_notes(tag="price"))[0]["tags"] == ["price"]


async def test_notes_are_found_by_tag_by_any_of_several_and_by_author(alice: Agent, bob: Agent) -> None:
    await alice.adds_note("one", tags=["a"])
    await alice.adds_note("two", tags=["b"])
    await bob.adds_note("three", tags=["b", "c"])
    await bob.adds_note("four")

    async def ids(**arguments: object) -> list[str]:
        return [note["id"] for note in await alice.reads_notes(**arguments)]

    assert await ids(tag="b") == ["n2", "n3"]
    assert await ids(tags=["a", "c"]) == ["n1", "n3"]
    assert await ids(tags=["a"], tag="c") == ["n1", "n3"]
    assert await ids(author="bob") == ["n3", "n4"]
    assert await ids(author="bob", tag="b") == ["n3"]
    assert await ids(tag="B") == []


async def test_pages_go_on_where_the_last_one_ended_while_others_add(alice: Agent, bob: Agent) -> None:
    for n in range(1, 8):
        await alice.adds_note(f"note {n}")
    first = await alice.calls("read_notes", limit=3, order="oldest")
    await bob.adds_note("in between")

    second = await alice.calls("read_notes", limit=3, cursor=first["next_cursor"])
    third = await alice.calls("read_notes", limit=3, cursor=second["next_cursor"])

    assert [note["id"] for page in (first, second, third) for note in page["notes"]] == [f"n{n}" for n in range(1, 9)]
    assert (first["count"], first["total"], second["total"]) == (3, 7, 8)
    assert third["next_cursor"] is None


async def test_ranked_pages_show_every_hit_once_while_others_add(alice: Agent, bob: Agent) -> None:
    for n in range(7):
        await alice.adds_note(f"coffee {'coffee ' * n}")
    first = await alice.calls("read_notes", query="coffee", limit=4)
    await bob.adds_note("coffee coffee coffee coffee coffee coffee coffee coffee coffee")

    second = await alice.calls("read_notes", query="coffee", limit=4, cursor=first["next_cursor"])

    shown = [note["id"] for page in (first, second) for note in page["notes"]]
    assert sorted(shown) == [f"n{n}" for n in range(1, 8)]
    assert second["next_cursor"] is None


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("prices", ["n1"]),
        ("PRICE", ["n1"]),
        ("cafe", ["n2"]),
        ("Café", ["n2"]),
        ("foo_bar", ["n3"]),
        ("ERR-42", ["n3"]),
        ("src/main.py", ["n3"]),
        ('"main py"', ["n3"]),
        ('"py main"', []),
        ("muse", ["n2"]),
        ("price museum", ["n1", "n2"]),
        ("price coffee", ["n1"]),
        ('"unclosed price', ["n1"]),
        ("NEAR( AND OR NOT price *", ["n1"]),
        ("* ( ) : ^", []),
        ("'; DROP TABLE notes; --", []),
        ("nowhere", []),
    ],
)
async def test_words_are_found_by_stem_as_written_or_as_a_phrase(alice: Agent, query: str, found: list[str]) -> None:
    await alice.adds_note("The price of coffee is 3 EUR")
    await alice.adds_note("A café beside the museum")
    await alice.adds_note("foo_bar fails with ERR-42 in src/main.py")

    notes = await alice.reads_notes(query=query)

    assert sorted(note["id"] for note in notes) == found
    assert all(note["score"] > 0 for note in notes)


async def test_the_better_match_comes_first(alice: Agent) -> None:
    await alice.adds_note("Coffee is mentioned once in this rather long note about tea, cakes and the weather in May")
    await alice.adds_note("coffee, coffee and coffee")

    assert [note["id"] for note in await alice.reads_notes(query="coffee")] == ["n2", "n1"]


async def test_a_query_joins_with_tag_and_author(alice: Agent, bob: Agent) -> None:
    await alice.adds_note("coffee one", tags=["drink"])
    await bob.adds_note("coffee two", tags=["drink"])
    await bob.adds_note("coffee three")

    assert [note["id"] for note in await alice.reads_notes(query="coffee", tag="drink", author="bob")] == ["n2"]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 501}, "limit"),
        ({"limit": "10"}, "limit"),
        ({"limit": True}, "limit"),
        ({"mode": "psychic"}, "mode"),
        ({"cursor": "rubbish"}, "cursor"),
        ({"cursor": "WyJ4Il0"}, "cursor"),
        ({"tags": "a"}, "tags"),
        ({"tag": ["a"]}, "tag"),
        ({"offset": 3}, "offset"),
    ],
)
async def test_a_bad_way_to_read_is_refused_by_the_name_of_its_field(
    alice: Agent, arguments: dict[str, object], field: str
) -> None:
    envelope = await alice.tries("read_notes", **arguments)

    assert envelope["ok"] is False
    assert envelope["error"]["code"] == "INVALID_ARGUMENT"
    assert envelope["error"]["details"]["errors"][0]["path"] == field


async def test_a_query_of_more_than_2000_characters_is_too_large(alice: Agent) -> None:
    assert await alice.reads_notes(query="x" * 2000) == []
    with pytest.raises(Refused, match="PAYLOAD_TOO_LARGE"):
        await alice.calls("read_notes", query="x" * 2001)


async def test_text_comes_back_exactly_as_it_was_given(alice: Agent) -> None:
    text = " \t<script>alert('x')</script> ünï \U0001f600 \u202e \x7f line\r\nend "

    await alice.adds_note(text, tags=[text[:64]], source=text)

    note = (await alice.reads_notes())[0]
    assert (note["content"], note["tags"], note["source"]) == (text, [text[:64]], text)


async def test_a_workspace_may_show_more_notes_than_one_page_of_them(alice: Agent) -> None:
    await alice.adds_note("oak")

    seen = await alice.client.get("/sessions/sess_one/workspace?limit=10000")

    assert [note["content"] for note in seen.json()["notes"]] == ["oak"]
