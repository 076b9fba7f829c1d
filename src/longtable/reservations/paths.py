"""Which files a reservation means: patterns as git has them, and whether two of them can mean the same file. It loads
next to nothing: the guard of a commit uses it, too."""

import fnmatch
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

MAX_PATH = 240
MAX_PARTS = 30

_DEEP = "**"
_WILD = re.compile(r"[*?\[]")
_SPECIAL = re.compile(r"[*?\[\]]")
_PROBLEMS = {
    re.compile(r"[\x00-\x1f\x7f]"): "must not hold control characters",
    re.compile(r"\\"): "must have / between folders, and no \\",
    re.compile(r"^(?:/|~|[A-Za-z]:)"): "must begin at the root of the repository, such as src/app.py",
    re.compile(r"^[:!]"): "must say what is reserved: exclusions and pathspec magic are not known",
    re.compile(r"\{[^{}/]*,[^{}/]*\}"): "must be one pattern: give each choice of {a,b} as a path of its own",
    re.compile(r"(?:^|/)\.\.(?:/|$)"): "must not hold ..",
    re.compile(r"[^/]\*\*|\*\*[^/]"): "must have ** alone between slashes, such as src/**/*.py",
}
_FILE = re.compile(
    r"""[^/]*\.(?:[ch]|cc|cpp|hpp|cs|go|rs|py|pyi|ipynb|rb|php|java|kt|kts|scala|swift|lua|pl|r|jl|ex|exs|erl|hs|dart
    |[cm]?js|[cm]?ts|jsx|tsx|vue|svelte|html?|css|scss|sass|less|json|jsonl|ya?ml|toml|ini|cfg|xml|csv|sql|graphql|proto
    |md|mdx|rst|adoc|txt|tex|sh|bash|zsh|fish|ps1|bat|lock|png|jpe?g|gif|svg|webp|pdf)""",
    re.VERBOSE,
)
"""A name that ends so is a file's. Any other may be a folder's, which means all that is in it."""


class PathPattern(NamedTuple):
    """A pattern, folder by folder; `**` stands for any number of them. Two that mean the same are equal in `parts`."""

    text: str
    parts: tuple[str, ...]


def normalised(path: str) -> str:
    """The pattern as it is stored and shown. Raises ValueError with what is wrong about it."""
    text = unicodedata.normalize("NFC", path)
    for found, problem in _PROBLEMS.items():
        if found.search(text):
            raise ValueError(problem)
    parts = _without_repeats(part for part in text.split("/") if part not in ("", "."))
    if len(parts) > MAX_PARTS:
        raise ValueError(f"must have at most {MAX_PARTS} folders")
    if parts and text.endswith("/") and _FILE.fullmatch(parts[-1].casefold()):
        parts.append(_DEEP)
    return "/".join(parts) or _DEEP


def _without_repeats(parts: Iterable[str]) -> list[str]:
    """Two `**` in a row mean what one does."""
    kept: list[str] = []
    for part in parts:
        if part != _DEEP or kept[-1:] != [_DEEP]:
            kept.append(part)
    return kept


@lru_cache(maxsize=4096)
def pattern(text: str) -> PathPattern:
    """The pattern of a normalised text. Case is ignored, as some file systems ignore it."""
    parts = _folded(text).split("/")
    if parts[-1] != _DEEP and not _FILE.fullmatch(parts[-1]):
        parts.append(_DEEP)
    return PathPattern(text, tuple(parts))


def means(reserved: PathPattern, file: str) -> bool:
    """Whether the pattern matches a file, given by its path in the repository."""
    return _follows(_folded(file).split("/"), reserved.parts, _has_name)


def overlap(one: PathPattern, other: PathPattern) -> bool:
    """False only where no file can be of both. Two patterns with `**` are compared at their ends alone."""
    if _DEEP not in one.parts:
        return _follows(one.parts, other.parts, _share_a_name)
    if _DEEP not in other.parts:
        return _follows(other.parts, one.parts, _share_a_name)
    first, last = _until_deep(one.parts), _until_deep(one.parts[::-1])
    starts = zip(first, _until_deep(other.parts), strict=False)
    ends = zip(last, _until_deep(other.parts[::-1]), strict=False)
    return all(_share_a_name(*pair) for pair in starts) and all(_share_a_name(*pair) for pair in ends)


def _until_deep(parts: Sequence[str]) -> Sequence[str]:
    return parts[: parts.index(_DEEP)]


def _follows(names: Sequence[str], parts: Sequence[str], fits: Callable[[str, str], bool]) -> bool:
    """Whether the parts match the names, one by one, from the first to the last."""
    name = part = resumed = 0
    deep = -1
    while name < len(names):
        if part < len(parts) and parts[part] == _DEEP:
            deep, resumed = part, name
            part += 1
        elif part < len(parts) and fits(parts[part], names[name]):
            part, name = part + 1, name + 1
        elif deep >= 0:
            resumed += 1
            part, name = deep + 1, resumed
        else:
            return False
    return all(rest == _DEEP for rest in parts[part:])


def _has_name(part: str, name: str) -> bool:
    # As git does: a name with brackets in it is also meant as it is written.
    return part == name or (_WILD.search(part) is not None and _expression(part).match(name) is not None)


def _share_a_name(one: str, other: str) -> bool:
    """Whether one name can match both. Where both have wildcards, only their beginnings and ends are compared."""
    if one == other or not _WILD.search(other):
        return _has_name(one, other)
    if not _WILD.search(one):
        return _has_name(other, one)
    heads, tails = (_head(one), _head(other)), (_tail(one), _tail(other))
    return _one_begins(*heads) and _one_begins(*(tail[::-1] for tail in tails))


def _one_begins(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _head(part: str) -> str:
    return _WILD.split(part, maxsplit=1)[0]


def _tail(part: str) -> str:
    return _SPECIAL.split(part)[-1]


@lru_cache(maxsize=4096)
def _expression(part: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(part.replace("[^", "[!")))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())
