"""What a caller most likely meant by a name that is not known."""

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

MOST_NAMES = 500
_LONGEST = 100
_ALIKE = 0.6


def closest(given: object, known: Iterable[str]) -> str | None:
    """The known name that is most like the given one, if any is much like it. Only names that the caller may see may be
    among them; of a great many the first are looked at."""
    if not isinstance(given, str) or not 0 < len(given) <= _LONGEST:
        return None
    names: dict[str, str] = {}
    for name in islice(known, MOST_NAMES):
        names.setdefault(_plain(name), name)
    found = get_close_matches(_plain(given), names, 1, _ALIKE)
    return names[found[0]] if found else None


def did_you_mean(given: object, known: Iterable[str], otherwise: str | None = None) -> str | None:
    """A hint that asks so, followed by the one for all other cases."""
    name = closest(given, known)
    question = None if name is None else f"Did you mean {name!r}?"
    return " ".join(filter(None, (question, otherwise))) or None


def _plain(name: str) -> str:
    return name.casefold().replace("-", "_").replace(" ", "_")
