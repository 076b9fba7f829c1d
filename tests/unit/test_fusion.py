"""Hybrid order: neither words nor meaning lose their best hit to the other."""

import pytest

from longtable.fulltext.words import parse_query
from longtable.search.fusion import Evidence, fuse, in_fused_order

WORDS = {number: Evidence(0.9, 0.05) for number in range(30)}
"""Texts that hold the words and mean something else."""


def order(query: str, evidence: dict[int, Evidence]) -> list[int]:
    return [number for number, _ in in_fused_order(fuse(parse_query(query), evidence), evidence)]


def test_the_nearest_text_is_a_hit_however_far_it_is() -> None:
    found = order("accessibility for blind people", {1: Evidence(0.0, 0.174), 2: Evidence(0.1, -0.02)})

    assert found == [1, 2]


@pytest.mark.parametrize("query", ["ERR-42", "foo_bar in src/app.py", "why is it slow"])
def test_the_best_by_meaning_is_among_the_first_whatever_holds_the_words(query: str) -> None:
    assert 99 in order(query, WORDS | {99: Evidence(0.0, 0.3)})[:10]


def test_the_best_by_words_is_among_the_first_whatever_is_near() -> None:
    near = {number: Evidence(0.2, 0.7) for number in range(30)}

    assert 99 in order("why is it slow", near | {99: Evidence(0.4, 0.0)})[:10]


def test_what_is_far_from_the_nearest_and_shares_no_word_is_no_hit() -> None:
    assert order("why is it slow", {1: Evidence(0.0, 0.6), 2: Evidence(0.0, 0.1), 3: Evidence(0.0, -0.1)}) == [1]


def test_scores_fall_along_the_order() -> None:
    evidence = WORDS | {99: Evidence(0.0, 0.3)}
    scores = [score for _, score in in_fused_order(fuse(parse_query("ERR-42"), evidence), evidence)]

    assert scores == sorted(scores, reverse=True)
