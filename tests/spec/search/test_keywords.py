"""Search by words: names as they are written, words while they are typed, phrases, and no query that fails."""

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.spec.search.reading import ids
from tests.table import Agent

pytestmark = pytest.mark.slow

NOTES = (
    "foo_bar fails with ERR-42 in src/app/main.py",
    "foo bar fails with ERR-421 in src/app/main_test.py",
    "longtable.search.finder raises VersionConflict(4)",
    "The price of a ticket is 12.50 EUR, see https://example.org/prices?year=2026",
    "kubectl rollout undo deployment/web --to-revision=3",
    "Müller wrote about naïve résumés in São Paulo",
    "An organization for running relational performances happily",
    "she said connection reset by peer, twice",
    "keyboards and payments, gates and games, used in use",
)


@pytest.fixture
async def notes(alice: Agent) -> Agent:
    for text in NOTES:
        await alice.adds_note(text)
    return alice


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("foo_bar", "n1"),
        ('"foo bar"', "n2"),
        ("ERR-42", "n1"),
        ("err-421", "n2"),
        ("src/app/main.py", "n1"),
        ("main_test.py", "n2"),
        ("longtable.search.finder", "n3"),
        ("VersionConflict", "n3"),
        ("versionconflict(4)", "n3"),
        ("12.50", "n4"),
        ("https://example.org/prices?year=2026", "n4"),
        ("--to-revision=3", "n5"),
        ("deployment/web", "n5"),
        ("muller", "n6"),
        ("resume", "n6"),
        ("SÃO PAULO", "n6"),
        ('"connection reset by peer"', "n8"),
        ("'connection reset by peer'", "n8"),
        ("using", "n9"),
        ('"connections reset"', "n8"),
        ("organizational", "n7"),
    ],
)
async def test_what_is_written_is_found_first(notes: Agent, query: str, first: str) -> None:
    assert (await ids(notes, query))[0] == first


async def test_words_of_a_phrase_in_another_order_do_not_match(notes: Agent) -> None:
    assert await ids(notes, '"peer by reset connection"') == []


@pytest.mark.parametrize(
    ("word", "note"),
    [
        ("organization", "n7"),
        ("running", "n7"),
        ("relational", "n7"),
        ("performances", "n7"),
        ("happily", "n7"),
        ("deployment", "n5"),
        ("keyboards", "n9"),
        ("payments", "n9"),
        ("longtable.search.finder", "n3"),
        ("src/app/main.py", "n1"),
        ("ERR-421", "n2"),
    ],
)
async def test_a_word_is_found_at_every_letter_while_it_is_typed(notes: Agent, word: str, note: str) -> None:
    lost = [word[:length] for length in range(2, len(word) + 1) if note not in await ids(notes, word[:length])]

    assert lost == []


async def test_texts_that_hold_all_words_are_the_only_hits_if_there_are_any(notes: Agent) -> None:
    assert await ids(notes, "price ticket") == ["n4"]
    assert sorted(await ids(notes, "price peer")) == ["n4", "n8"]


async def test_a_short_word_does_not_find_what_only_begins_like_its_stem(notes: Agent) -> None:
    assert await ids(notes, "gas") == []


async def test_little_words_do_not_make_a_hit(notes: Agent) -> None:
    assert await ids(notes, "what is the price of an elephant") == ["n4"]


async def test_of_equal_texts_the_older_comes_first_every_time(alice: Agent) -> None:
    for _ in range(5):
        await alice.adds_note("tea and biscuits")

    assert [await ids(alice, "tea") for _ in range(3)] == [["n1", "n2", "n3", "n4", "n5"]] * 3


async def test_a_score_does_not_depend_on_texts_that_the_caller_cannot_see(alice: Agent, bob: Agent) -> None:
    await alice.adds_note("tea and biscuits")
    await alice.adds_note("tea")
    before = await alice.calls("search_context", query="tea biscuits", mode="keyword")

    for _ in range(5):
        await bob.calls("add_message", content="biscuits, biscuits", visibility="private")
    after = await alice.calls("search_context", query="tea biscuits", mode="keyword")

    assert after["results"] == before["results"]


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
async def test_the_longest_query_of_the_most_words_is_no_error(notes: Agent, mode: str) -> None:
    queries = ["a " * 1000, " ".join(f"w{number}" for number in range(350)), '"' * 2000, "(" * 2000, "x_" * 1000]

    for query in queries:
        await notes.calls("search_context", query=query[:2000], mode=mode)


@pytest.mark.parametrize("query", ['"a b"', "a_b", "aaaa picture", "a" * 2000])
async def test_a_word_as_long_as_a_file_takes_no_longer_than_other_text(alice: Agent, query: str) -> None:
    await alice.adds_note("a" * 60_000 + " c b, a b: a picture of aaaa")

    async with asyncio.timeout(40):
        await ids(alice, query)


async def test_a_phrase_of_many_words_takes_no_longer_than_other_text(alice: Agent) -> None:
    await alice.adds_note("a " * 30_000)

    async with asyncio.timeout(40):
        assert await ids(alice, '"' + "a " * 990 + '"') == ["n1"]


_PIECES = st.sampled_from(
    ["price", "NEAR(", "AND", "NOT", '"', "*", "^", ":", "-", "|", "&", "!", "<->", "\\", "'", "%"]
)
_RUBBISH = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=60),
    st.lists(_PIECES, min_size=1, max_size=12).map(" ".join),
    st.lists(_PIECES, min_size=1, max_size=12).map("".join),
)


async def test_no_query_is_an_error(notes: Agent) -> None:
    queries: list[str] = []

    @settings(max_examples=150, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(_RUBBISH)
    def collect(query: str) -> None:
        queries.append(query)

    collect()
    for query in queries:
        found = await notes.calls("search_context", query=query, mode="keyword")
        assert all(0 < hit["score"] <= 1 for hit in found["results"]), query
