"""Search by words in scripts whose vowels are signs around a letter: they tell words apart."""

import pytest

from tests.spec.search.reading import ids
from tests.table import Agent

pytestmark = pytest.mark.slow

PAIRS = [
    ("दिन में धूप थी", "दीन और दुखी", "दिन"),  # Hindi: day, poor
    ("किताब मेज़ पर है", "कतार में रहो", "किताब"),
    ("हिन्दी में खोज", "हद हो गई", "हिन्दी"),
    ("আমার দিন ভালো", "আমার দান ছিল", "দিন"),  # Bengali
    ("தமிழ் மொழி", "தமை கண்டேன்", "தமிழ்"),  # Tamil
    ("తెలుగు భాష", "తలగ", "తెలుగు"),  # Telugu
    ("ಕನ್ನಡ ಭಾಷೆ", "ಕನಡ", "ಕನ್ನಡ"),  # Kannada
    ("മലയാളം പഠിക്കുക", "മലയള", "മലയാളം"),  # Malayalam
    ("සිංහල භාෂාව", "සහල", "සිංහල"),  # Sinhala
]


@pytest.mark.parametrize(("text", "other", "query"), PAIRS)
async def test_a_vowel_sign_tells_words_apart(alice: Agent, text: str, other: str, query: str) -> None:
    await alice.adds_note(text)
    await alice.adds_note(other)

    assert await ids(alice, query) == ["n1"]
    assert await ids(alice, query[:-1]) == ["n1"], "an unfinished word"


async def test_a_dot_that_many_leave_out_makes_no_other_word(alice: Agent) -> None:
    await alice.adds_note("ज़मीन गीली है")

    assert await ids(alice, "जमीन") == ["n1"]


async def test_the_snippet_shows_the_word_as_it_is_written(alice: Agent) -> None:
    await alice.adds_note("क " * 300 + "हिन्दी में खोज" + " क" * 300)

    found = await alice.calls("search_context", query="हिन्दी", mode="keyword")

    assert "हिन्दी में खोज" in found["results"][0]["snippet"]
