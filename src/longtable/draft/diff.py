"""A unified diff with a bounded cost: where an exact one would take long, it shows one block replaced."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from difflib import Match, SequenceMatcher

_CONTEXT = 3
_MOST_LINES = 20_000
_MOST_STEPS = 10_000_000
"""About a third of a second, for any texts."""

Lines = Sequence[str]
Search = Callable[[Lines, Lines], Iterable[Match]]


def unified_diff(old: str, new: str, old_name: str, new_name: str) -> str:
    """Turns `old` into `new` when it is applied; empty when they are the same. Not for an event loop: up to a
    second for a mebibyte."""
    before, after = _lines(old), _lines(new)
    hunks = [
        _hunk(before, after, group)
        for group in _Blocks(_Alignment().blocks(before, after)).get_grouped_opcodes(_CONTEXT)
    ]
    return "".join([f"--- {old_name}\n+++ {new_name}\n", *hunks]) if hunks else ""


def _lines(text: str) -> list[str]:
    """Lines with their ends. Only a line feed ends one; `splitlines` splits at a dozen other characters."""
    *whole, rest = text.split("\n")
    lines = [f"{line}\n" for line in whole]
    return [*lines, rest] if rest else lines


def _hunk(before: Lines, after: Lines, group: Sequence[tuple[str, int, int, int, int]]) -> str:
    (_, i1, _, j1, _), (_, _, i2, _, j2) = group[0], group[-1]
    parts = [f"@@ -{_range(i1, i2)} +{_range(j1, j2)} @@\n"]
    for tag, i1, i2, j1, j2 in group:
        if tag == "equal":
            parts += [_marked(" ", line) for line in before[i1:i2]]
        else:
            parts += [_marked("-", line) for line in before[i1:i2]]
            parts += [_marked("+", line) for line in after[j1:j2]]
    return "".join(parts)


def _range(start: int, stop: int) -> str:
    length = stop - start
    first = start + 1 if length else start
    return str(first) if length == 1 else f"{first},{length}"


def _marked(mark: str, line: str) -> str:
    return f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"


class _Blocks(SequenceMatcher[str]):
    """Uses how difflib groups changes, not how it searches, which takes minutes for some texts."""

    def __init__(self, blocks: list[Match]) -> None:
        super().__init__()
        self._blocks = blocks

    def get_matching_blocks(self) -> list[Match]:
        return self._blocks


class _Alignment:
    """Which lines stayed: at both ends, lines that are unique on both sides, and between these what an exact search
    finds within its budget of steps."""

    def __init__(self) -> None:
        self._steps_left = _MOST_STEPS

    def blocks(self, a: Lines, b: Lines) -> list[Match]:
        """In difflib's form: in order, none touching the next, an empty one at the end."""
        joined: list[Match] = []
        for match in self._trimmed(a, b, self._by_unique_lines):
            last = joined[-1] if joined else Match(0, 0, 0)
            if (last.a + last.size, last.b + last.size) == (match.a, match.b):
                joined[-1:] = [Match(last.a, last.b, last.size + match.size)]
            elif match.size:
                joined.append(match)
        return [*(match for match in joined if match.size), Match(len(a), len(b), 0)]

    def _trimmed(self, a: Lines, b: Lines, search: Search) -> list[Match]:
        head = _common(a, b)
        tail = _common(a[head:][::-1], b[head:][::-1])
        inside = search(a[head : len(a) - tail], b[head : len(b) - tail])
        return [Match(0, 0, head), *_moved(inside, head, head), Match(len(a) - tail, len(b) - tail, tail)]

    def _by_unique_lines(self, a: Lines, b: Lines) -> list[Match]:
        if len(a) + len(b) > _MOST_LINES:
            return []
        found: list[Match] = []
        i = j = 0
        for x, y in [*_anchors(a, b), (len(a), len(b))]:
            if i < x and j < y:
                found += _moved(self._trimmed(a[i:x], b[j:y], self._exactly), i, j)
            if x < len(a):
                found.append(Match(x, y, 1))
            i, j = x + 1, y + 1
        return found

    def _exactly(self, a: Lines, b: Lines) -> list[Match]:
        in_b = Counter(b)
        pairs = sum(times * in_b[line] for line, times in Counter(a).items())
        # The most steps that difflib can take: each search visits every line and pair, and each match splits in two.
        steps = (2 * min(len(a), len(b)) + 1) * (len(a) + pairs)
        if pairs == 0 or steps > self._steps_left:
            return []
        self._steps_left -= steps
        return SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()


def _common(a: Lines, b: Lines) -> int:
    """How many lines both begin with."""
    for number, (ours, theirs) in enumerate(zip(a, b, strict=False)):
        if ours != theirs:
            return number
    return min(len(a), len(b))


def _moved(matches: Iterable[Match], i: int, j: int) -> list[Match]:
    return [Match(match.a + i, match.b + j, match.size) for match in matches]


def _anchors(a: Lines, b: Lines) -> list[tuple[int, int]]:
    """Positions of the lines that each side has once: the longest run in the same order (patience diff)."""
    once = _unique(a) & _unique(b)
    where = {line: j for j, line in enumerate(b) if line in once}
    return _longest_run([(i, where[line]) for i, line in enumerate(a) if line in once])


def _unique(lines: Lines) -> set[str]:
    return {line for line, times in Counter(lines).items() if times == 1}


def _longest_run(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most pairs whose second numbers rise as well as their first."""
    ends: list[int] = []
    last_of: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        before.append(last_of[length - 1] if length else -1)
        ends[length : length + 1] = [j]
        last_of[length : length + 1] = [number]
    run = []
    number = last_of[-1] if last_of else -1
    while number >= 0:
        run.append(pairs[number])
        number = before[number]
    return run[::-1]
