"""Names of agents: which may be used, when two are the same, and which pass for a person's."""

import re
import unicodedata
from functools import lru_cache

HUMAN_PREFIX = "human:"
MAX_NAME = 100

_LOOKALIKES = {
    "h": (
        "\u0126\u0127\u0266\u029c\u0397\u040b\u041d\u043d\u045b\u04a2\u04a3\u04ba\u04bb\u04c7\u04c8\u04c9"
        "\u04ca\u0540\u0570\u13bb\u13c2\u13f2\u13fa\u157c\u2c67\u2c68\u2c8e\u2c8f\ua4e7\ua694\ua695\ua7aa"
        "\uab8b\uab92\U000102cf\U0001ccdd"
    ),
    "u": (
        "\u01b2\u0244\u0289\u028b\u03a5\u03c5\u040f\u045f\u054d\u057d\u1200\u13cc\u144c\u1d1c\u1d7e\u222a"
        "\u22c3\ua4f4\ua79e\ua79f\uab4e\uab52\uab9c\U000104ce\U000104f6\U000118b8\U000118d8\U00016f42"
        "\U0001ccea"
    ),
    "m": (
        "\u0271\u028d\u039c\u03bc\u03fa\u03fb\u041c\u043c\u04cd\u04ce\u13b7\u15f0\u16d6\u1d0d\u1d6f\u20a5"
        "\u2c6e\u2c98\u2c99\ua4df\uab87\U000102b0\U00010311\U00011700\U000118e3\U0001cce2"
    ),
    "a": (
        "\u0251\u0391\u03b1\u0410\u0430\u13aa\u15c5\u1d00\u2376\u237a\u2c6d\ua4ee\uab7a\U000102a0\U00016f40\U0001ccd6"
    ),
    "n": (
        "\u014a\u014b\u019d\u019e\u0220\u0272\u0273\u0274\u039d\u03b7\u03bd\u0542\u0548\u054c\u0572\u0578"
        "\u057c\u1d70\u2c9a\u2c9b\ua4e0\U0001018e\U00010513\U0001cce3"
    ),
    ":": ("\u02d0\u02f8\u0589\u05c3\u0703\u0704\u0903\u0a83\u16ec\u1803\u1809\u205a\u2236\ua4fd\ua789\ufe30\U00011dd9"),
    "r": (
        "\u01a6\u024c\u024d\u027c\u027d\u0280\u0413\u0433\u0492\u0493\u13a1\u13b1\u13d2\u1587\u1d26\u1d72"
        "\u2c64\u2c84\u2c85\ua4e3\uab47\uab48\uab71\uab81\uaba2\U000104b4\U000104dc\U00016f35\U0001cce7"
        "\U0001d216"
    ),
}
"""Characters that read as a letter of `human:`, besides those that NFKD and case folding make equal to it. Unicode
Security Mechanisms (UTS 39), confusables.txt 17.0.0: the classes of both cases, also with a mark added, and small
capitals. There, `m` is `rn`."""

_READS_AS = {ord(character): letter for letter, alike in _LOOKALIKES.items() for character in alike}
# Letters in dark circles and squares, and those that flags are made of, have no decomposition.
_READS_AS |= {start + place: chr(ord("a") + place) for start in (0x1F150, 0x1F170, 0x1F1E6) for place in range(26)}
_PERSON = re.compile("hu(?:m|rn)an:")
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Shown as nothing, though they are letters, marks or symbols."""


@lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """What names are compared by: NFKC and case folding make the spellings of one name equal."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


@lru_cache(maxsize=4096)
def poses_as_person(name: str) -> bool:
    """Whether the beginning of `name` reads `human:`, in whatever alphabet and with whatever is invisible in it."""
    if name.isascii():
        return _PERSON.match("".join(filter(str.isprintable, name)).replace(" ", "").lower()) is not None
    return _PERSON.match(_reading(name)) is not None


def name_problem(name: str) -> str | None:
    """Why `name` cannot be an agent's name or type, or None when it can."""
    if not 1 <= len(name) <= MAX_NAME:
        return f"must have 1 to {MAX_NAME} characters"
    if name.isascii():
        return None if name.isprintable() else "must not hold control characters"
    if unicodedata.normalize("NFC", name) != name:
        return "must be in Unicode normal form C"
    kinds = {unicodedata.category(character) for character in name}
    if kinds & {"Cc", "Cs", "Zl", "Zp"}:
        return "must not hold control characters"
    if "Cf" in kinds or _INVISIBLE.search(name):
        return "must not hold characters that are invisible or change the direction of text"
    return None


def _reading(name: str) -> str:
    letters = []
    for character in unicodedata.normalize("NFKD", name.translate(_READS_AS)).translate(_READS_AS):
        kind = unicodedata.category(character)[0]
        if kind not in "MZC" and not _INVISIBLE.match(character):
            letters.append(character)
    return "".join(letters).casefold()
