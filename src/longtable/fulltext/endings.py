"""Endings of English words, which the stemmer of the index removes: whether two words are equal without them, and the
possible stems of an unfinished word."""

from functools import lru_cache

_LISTED = """
    s es ed ing ings er ers or ors y ies ied ier iest iness ily ly e est i ion ions ional ation ations ational
    ator ators ate ates ated ating ance ances ancy ence ences ency encies ant ants ent ents ment ments able ably
    ible ibly ive ives ively ize izes ized izing izer izers ization ise ity ities al als ally ical ically ism
    isms ist ists ness nesses ful fully fulness less ous ously ousness iveness alism ality alize alized ic ics
    icity ability abilities ibility ibilities ative atives atively ication ications icate icates icated icative
    bility izations
    """
_ENDINGS = frozenset(_LISTED.split())
_BEGINNINGS = frozenset(ending[:length] for ending in _ENDINGS for length in range(1, len(ending) + 1))
_MAX_ENDING = 2 * max(map(len, _ENDINGS))
_SHORTEST_STEM = 3
_SHORTEST_WORD = 5


def possible_stems(word: str) -> tuple[str, ...]:
    """Stems that the index may hold for a word that begins with `word`, if that ends inside an ending: `performa`
    begins performance, which is indexed as `perform`."""
    if len(word) <= _SHORTEST_STEM or not word.isascii() or not word.isalpha():
        return ()
    stems = []
    for cut in range(len(word) - 1, _SHORTEST_STEM - 1, -1):
        stem, rest = word[:cut], word[cut:]
        if _breaks_off(stem, rest, len(word)):
            stems.append(stem)
    return tuple(stems)


def alike(one: str, other: str) -> bool:
    """Whether two words differ in their endings alone, about as the stemmer of the index sees it."""
    # Checked first: a very long word should not be cached.
    return abs(len(one) - len(other)) <= _MAX_ENDING and _alike(one, other)


def root(word: str) -> str:
    """The beginning that all words with this stem share."""
    return next((word[:cut] for cut in range(2, len(word)) if _is_ending(word, cut)), word)


@lru_cache(maxsize=8192)
def _alike(one: str, other: str) -> bool:
    same = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        same += 1
    return any(_is_ending(one, cut) and _is_ending(other, cut) for cut in range(same, 1, -1))


def _breaks_off(stem: str, rest: str, length: int) -> bool:
    if rest[0] == stem[-1] and (len(rest) == 1 or rest[1:] in _BEGINNINGS):
        return True
    return length >= _SHORTEST_WORD and rest in _BEGINNINGS


def _is_ending(word: str, cut: int) -> bool:
    """Whether what `word` has from `cut` on is nothing, an ending, or two of them, perhaps after a doubled letter."""
    if len(word) - cut > _MAX_ENDING:
        return False
    rest = word[cut:]
    if rest[:1] == word[cut - 1 : cut] and len(rest) > 1 and rest[1:] in _ENDINGS:
        return True
    return not rest or rest in _ENDINGS or any({rest[:at], rest[at:]} <= _ENDINGS for at in range(1, len(rest)))
