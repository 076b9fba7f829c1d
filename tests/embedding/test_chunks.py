"""A long text is cut into overlapping chunks that can each be shown; a short one is one chunk."""

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longtable.embedding.chunks import MAX_CHARACTERS, MAX_CHUNKS, MAX_TOKENS
from longtable.embedding.embedder import Embedder

WORDS = st.sampled_from(
    [
        "table",
        "antidisestablishmentarianism",
        "_",
        "中文",
        "é",
        " ",
        "\n",
        "\t\t",
        "-->",
        "x" * 150,
        "🎉",
        "[SEP]",
        "a\u0301",
    ]
)
LONG = st.tuples(st.lists(st.one_of(WORDS, st.text(max_size=20)), max_size=40), st.integers(1, 120)).map(
    lambda made: "".join(made[0]) * made[1]
)


def test_a_short_text_is_one_chunk(embedder: Embedder) -> None:
    text = "  The build failed.\n"

    (chunk,) = embedder.chunks(text)

    assert (chunk.start, chunk.end) == (0, len(text))


@pytest.mark.parametrize("text", ["", " ", "\n\t \u00a0", "\u200b", " " * 10_000])
def test_a_text_without_words_has_no_chunk(embedder: Embedder, text: str) -> None:
    assert embedder.chunks(text) == []


def test_a_long_text_is_cut_between_words_with_some_of_them_in_both_chunks(embedder: Embedder) -> None:
    text = " ".join(f"word{number}" for number in range(500))

    chunks = embedder.chunks(text)

    assert len(chunks) > 3
    for one, following in pairwise(chunks):
        assert following.start < one.end
        assert text[following.start : following.end].split()[0] in text[one.start : one.end]
        assert text[one.end - 1] == " " or not text[one.end - 1 : one.end + 1].isalpha()


def test_characters_without_blanks_are_cut_too(embedder: Embedder) -> None:
    assert len(embedder.chunks("会议改到星期四上午" * 100)) == 4
    assert [chunk.end for chunk in embedder.chunks("x" * 5_000)][-1] == 5_000


def test_what_exceeds_64_chunks_is_left_out_and_the_last_chunk_shows_where(embedder: Embedder) -> None:
    text = "A sentence of seven words, once more. " * 28_000

    chunks = embedder.chunks(text)

    assert len(chunks) == MAX_CHUNKS
    assert 40_000 < chunks[-1].end < MAX_CHARACTERS < len(text)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LONG)
def test_every_character_of_a_text_is_in_some_chunk_and_the_chunks_are_in_order(embedder: Embedder, text: str) -> None:
    text = text[:20_000]

    chunks = embedder.chunks(text)

    assert len(chunks) <= MAX_CHUNKS
    assert all(len(chunk.ids) <= MAX_TOKENS for chunk in chunks)
    if chunks:
        assert chunks[0].start == 0
        assert chunks[-1].end == len(text) or len(chunks) == MAX_CHUNKS
    for one, following in pairwise(chunks):
        assert one.start < following.start <= one.end < following.end


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LONG)
def test_only_a_text_of_which_nothing_can_be_read_has_no_chunk(embedder: Embedder, text: str) -> None:
    letters = any(character.isalnum() for character in text)

    assert bool(embedder.chunks(text)) or not letters
