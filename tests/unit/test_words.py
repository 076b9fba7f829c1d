"""Which words a text has."""

import pytest

from longtable.fulltext.words import fold, words_of


@pytest.mark.parametrize("letter", [chr(code) for code in range(128)])
def test_a_text_in_ascii_has_the_same_words_as_beside_another_letter(letter: str) -> None:
    text = f"One{letter}two{letter} {letter}3_4"

    assert words_of(text) == words_of(f"{text} é")[:-1]


def test_words_are_separated_by_blanks_and_in_lower_case() -> None:
    assert fold("The importer's\tsrc/app.py, v2:\n(ERR-42)") == "the importer s src app py v2 err 42"
