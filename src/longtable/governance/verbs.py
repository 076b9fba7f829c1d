"""What the words in a tool's name say about its effect. Whole words count: `checkout` is no `check`."""

import re
import unicodedata
from enum import IntEnum
from functools import lru_cache
from itertools import pairwise

from longtable.governance.words import (
    ACTING,
    INTERNAL,
    JOINING,
    NOUNS_TOO,
    READING,
    READING_AT_THE_END,
    SQL,
)

INTERNAL_PACKS = frozenset({"system"})
FAMILIES = frozenset({"builtin", "default", "langchain", "mcp"})
"""First parts of an id that name the origin of a tool; the next part is its pack."""

_SPLIT = re.compile(r"[^0-9A-Za-z\u0080-\U0010ffff]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")


class NameEffect(IntEnum):
    """Ordered by caution."""

    READS = 1
    UNKNOWN = 2
    ACTS = 3
    INTERNAL = 4


def tokens(text: str) -> tuple[str, ...]:
    """`my-site.DeletePost_v2` → my site delete post v 2. Look-alikes of ASCII letters count as those."""
    plain = unicodedata.normalize("NFKC", text)
    plain = "".join(letter for letter in plain if unicodedata.category(letter) not in ("Cf", "Mn", "Me"))
    parts = [part for chunk in _SPLIT.split(plain) if chunk for part in _CAMEL.split(chunk)]
    return tuple(part.casefold() for part in parts if part)


@lru_cache(maxsize=32_768)
def effect_by_name(pack: str, action: str) -> NameEffect:
    """The effect that the name suggests: it reads if its verb says so and no word says that it acts."""
    if _is_internal(pack, action):
        return NameEffect.INTERNAL
    words = tokens(action)
    if _acts(words):
        return NameEffect.ACTS
    if all(word.isascii() for word in words) and _reads(words):
        return NameEffect.READS
    return NameEffect.UNKNOWN


def _acts(words: tuple[str, ...]) -> bool:
    """Any verb that changes something counts, also one of two words (`checkOut`). A verb that is as often a noun counts
    where a verb is expected: where no reading verb has come yet, and after `and`."""
    if any(first + second in ACTING for first, second in pairwise(words)):
        return True
    expects_verb = True
    for word in words:
        if word in ACTING and word not in NOUNS_TOO:
            return True
        if word in NOUNS_TOO and expects_verb:
            return True
        expects_verb = word in JOINING or (expects_verb and word not in READING)
    return False


def _reads(words: tuple[str, ...]) -> bool:
    """A reading verb anywhere, or a noun such as `status` at the end. What takes a program, such as SQL, may do
    anything, and so may a word after `and` that is no reading verb."""
    if not words or any(word in SQL for word in words) or words[-1] == "query":
        return False
    if any(first in JOINING and second not in READING for first, second in pairwise(words)):
        return False
    return words[-1] in READING_AT_THE_END or any(word in READING for word in words)


def _is_internal(pack: str, action: str) -> bool:
    if any(word in INTERNAL for word in (*tokens(pack), *tokens(action))):
        return True
    parts = [*pack.split("."), *action.split(".")]
    packs = ["".join(tokens(part)) for part in parts]
    # All but the last part name packs; so does the first word after a family, however it is joined.
    behind = next((word for word in tokens(f"{pack}.{action}") if word not in FAMILIES), "")
    return any(name in INTERNAL_PACKS for name in (*packs[:-1], behind))
