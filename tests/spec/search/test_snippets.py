"""Snippets: at most 240 characters of a text, whole words, around what was looked for."""

import pytest

from longtable.fulltext.snippet import MAX_SNIPPET, snippet, snippet_of_part
from longtable.fulltext.words import parse_query

pytestmark = pytest.mark.slow

FILLER = "some words that nobody looks for and that fill the page "


def shown(text: str, query: str) -> str:
    return snippet(text, parse_query(query))


def test_a_short_text_is_shown_whole() -> None:
    assert shown("Tea,\n  twice.", "tea") == "Tea,\n  twice."


@pytest.mark.parametrize("before", [0, 1, 7, 300, 5000])
@pytest.mark.parametrize("after", [0, 1, 300])
def test_a_long_text_is_cut_between_words_around_the_match(before: int, after: int) -> None:
    text = f"{FILLER * before}Marmalade{' ' + FILLER * after}".strip() + " end" * 60

    part = shown(text, "marmalade")

    words = set(FILLER.split()) | {"Marmalade", "end"}
    assert "Marmalade" in part
    assert len(part) <= MAX_SNIPPET
    assert {word for word in part.strip("…").split() if word not in words} == set()


def test_where_most_of_the_query_is_close_together_is_shown() -> None:
    text = f"tea {FILLER * 20} biscuits {FILLER * 20} tea with biscuits and jam {FILLER * 20}"

    assert "tea with biscuits and jam" in shown(text, "tea biscuits jam")


@pytest.mark.parametrize("query", ["resume", "RÉSUMÉ", "résumé"])
def test_accents_and_capitals_do_not_matter(query: str) -> None:
    assert "Résumé" in shown(f"{FILLER * 30}Résumé{FILLER * 30}", query)


@pytest.mark.parametrize(
    ("word", "query"),
    [
        ("Straße", "straße"),
        ("Straße", "STRASSE"),
        ("re\u0301sume\u0301", "résumé"),
        ("한국어", "한국어"),
        ("ﬁnal", "final"),
        ("ﾊﾞｯｸｱｯﾌﾟ", "バックアップ"),
        ("か\u3099っこう", "がっこう"),
    ],
)
def test_letters_that_are_two_to_the_index_are_seen_in_their_place(word: str, query: str) -> None:
    assert word in shown(f"{'ß한' * 400} {FILLER * 30}{word} {FILLER * 30}", query)


def test_a_word_without_end_is_cut() -> None:
    part = shown("x" * 10_000, "tea")

    assert len(part) <= MAX_SNIPPET
    assert part.startswith("x")


def test_a_part_is_shown_from_its_beginning_if_it_holds_nothing_of_the_query() -> None:
    text = f"{FILLER * 30}Here it begins. {FILLER * 30}"
    first = text.index("Here")

    part = snippet_of_part(text, first, first + 500, parse_query("unrelated"))

    assert part.startswith("…Here it begins.")
    assert len(part) <= MAX_SNIPPET


@pytest.mark.parametrize("length", range(235, 250))
def test_no_length_of_text_makes_a_snippet_too_long(length: int) -> None:
    text = (FILLER * 10)[:length]

    assert len(shown(text, "page")) <= MAX_SNIPPET
    assert len(snippet_of_part(text, length // 2, length, parse_query("page"))) <= MAX_SNIPPET
