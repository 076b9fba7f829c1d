"""Likely spellings of a word that no text has: those from which it may have come by one slip."""

from collections.abc import Iterable
from string import ascii_lowercase
from typing import Final

from longtable.fulltext.words import Term, words_of

_SHORTEST: Final = 4
_LONGEST: Final = 20
_VOWELS: Final = "aeiouy"
_FREQUENT: Final = "etaoinshrdlcumpgb"
"""Letters that are most often missing: every spelling costs a look into the index."""
_KEYS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def _mistaken(letter: str) -> str:
    """The letters that were probably meant, where this one is wrong."""
    keys = next(keys for keys in _KEYS if letter in keys)
    beside = keys[max(0, keys.index(letter) - 1) : keys.index(letter) + 2]
    return "".join(dict.fromkeys(beside + (_VOWELS if letter in _VOWELS else ""))).replace(letter, "")


_MISTAKEN: Final = {letter: _mistaken(letter) for letter in ascii_lowercase}


def may_be_misspelt(term: Term) -> bool:
    """Not what must match as written, and not what is too short to tell."""
    if term.exact or len(term.words) != 1 or term.is_stop_word:
        return False
    word = term.words[0]
    return _SHORTEST <= len(word) <= _LONGEST and word.isascii() and word.isalpha()


def spellings(word: str) -> tuple[str, ...]:
    """Words from which `word` may have come by one slip: two letters that changed places, one too many, one missing, a
    wrong vowel, or a key beside the right one."""
    found: dict[str, None] = {}
    for place, letter in enumerate(word):
        before, after = word[:place], word[place + 1 :]
        found |= dict.fromkeys([before + after, before + after[:1] + letter + after[1:]])
        found |= dict.fromkeys(before + key + after for key in _MISTAKEN[letter])
        found |= dict.fromkeys(before + letter + missing + after for missing in (letter, *_FREQUENT))
    found.pop(word, None)
    return tuple(spelling for spelling in found if len(spelling) >= _SHORTEST)


def likely_spelling(word: str, texts: Iterable[str]) -> str | None:
    """The word of the texts that was probably meant, with or without a longer ending; of several the most common."""
    near = set(spellings(word))
    counts: dict[str, int] = {}
    for text in texts:
        for found in words_of(text):
            if found in near or any(found[:end] in near for end in range(len(word) - 1, len(word) + 2)):
                counts[found] = counts.get(found, 0) + 1
    # Of equal ones the shortest: the others are longer forms of it.
    return min(counts, key=lambda found: (found not in near, -counts[found], len(found), found), default=None)
