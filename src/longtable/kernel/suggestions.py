"""What a caller most likely meant by a name that is not known."""

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from itertools import islice

MOST_NAMES = 500
_LONGEST = 100
_ALIKE = 0.6
_LOOKED_AT = 5


def closest(given: object, known: Iterable[str]) -> str | None:
    """The known name that is most like the given one, if any is much like it. Only names that the caller may see may be
    among them; of a great many the first are looked at."""
    if not isinstance(given, str) or not 0 < len(given) <= _LONGEST:
        return None
    names: dict[str, str] = {}
    for name in islice(known, MOST_NAMES):
        names.setdefault(_plain(name), name)
    sought = _plain(given)
    found = get_close_matches(sought, names, _LOOKED_AT, _ALIKE)
    return next((names[name] for name in found if _differ_little(sought, name)), None)


def did_you_mean(given: object, known: Iterable[str], otherwise: str | None = None) -> str | None:
    """A hint that asks so, followed by the one for all other cases."""
    name = closest(given, known)
    question = None if name is None else f"Did you mean {name!r}?"
    return " ".join(filter(None, (question, otherwise))) or None


def _differ_little(one: str, other: str) -> bool:
    """Many names begin with the same long words, which say nothing about how alike they are."""
    words, others = one.split("_"), other.split("_")
    while len(words) > 1 and len(others) > 1 and words[0] == others[0]:
        del words[0], others[0]
    return SequenceMatcher(None, "_".join(words), "_".join(others)).ratio() >= _ALIKE


def _plain(name: str) -> str:
    return name.casefold().replace("-", "_").replace(" ", "_")
