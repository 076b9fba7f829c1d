"""The diff of two texts: right for all of them, and never slow."""

import random
import re
import time
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longtable.draft.diff import unified_diff

on_a_busy_machine = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

pytestmark = pytest.mark.slow

MIB = 1_048_576
TEXTS = st.text("ab\n", max_size=60) | st.lists(st.sampled_from(["x\n", "y\n", "z\n", "x\r\n"])).map("".join)
MARK = "\n\\ No newline at end of file\n"


def applied(old: str, diff: str) -> str:
    """What `patch` makes of the old text."""
    source = re.findall(r"[^\n]*\n|[^\n]+", old)
    made: list[str] = []
    taken = 0
    body = re.sub(r"\A--- .*\n\+\+\+ .*\n", "", diff).replace(MARK, "\0")
    for line in re.findall(r"[^\n\0]*[\n\0]", body):
        text = line[1:].replace("\0", "")
        if line.startswith("@@"):
            start, _, length = re.match(r"@@ -(\d+)(,(\d+))?", line).groups()  # type: ignore[union-attr]  # or it fails
            before = int(start) - (length != "0")
            made += source[taken:before]
            taken = before
            continue
        if line[0] in " -":
            assert source[taken] == text
            taken += 1
        if line[0] in " +":
            made.append(text)
    return "".join(made + source[taken:])


@on_a_busy_machine
@given(TEXTS, TEXTS)
def test_a_diff_turns_the_old_text_into_the_new_one(old: str, new: str) -> None:
    diff = unified_diff(old, new, "old", "new")

    assert applied(old, diff) == new
    assert (diff == "") == (old == new)


def test_a_diff_names_both_sides_and_shows_three_lines_around_a_change() -> None:
    old = "".join(f"line {n}\n" for n in range(1, 21))

    diff = unified_diff(old, old.replace("line 10\n", "line ten\n"), "intro version 1", "intro version 2")

    assert diff.splitlines() == [
        "--- intro version 1",
        "+++ intro version 2",
        "@@ -7,7 +7,7 @@",
        *(f" line {n}" for n in (7, 8, 9)),
        "-line 10",
        "+line ten",
        *(f" line {n}" for n in (11, 12, 13)),
    ]


def test_a_missing_end_of_the_last_line_is_told() -> None:
    assert unified_diff("a\n", "a", "1", "2").splitlines()[2:] == [
        "@@ -1 +1 @@",
        "-a",
        "+a",
        "\\ No newline at end of file",
    ]


def test_only_a_line_feed_ends_a_line() -> None:
    diff = unified_diff("a\u2028b\x0bc\n", "a\u2028b\x0bd\n", "1", "2")

    assert diff.count("\n") == 5


def test_a_small_change_in_repeated_lines_stays_small() -> None:
    old = "}\n\n" * 50
    new = "}\n\n" * 20 + "x\n" + "}\n\n" * 30

    assert [line for line in unified_diff(old, new, "1", "2").splitlines()[2:] if line[0] in "+-"] == ["+x"]


def of_lines(count: int, kinds: int, seed: int) -> str:
    chosen = random.Random(seed)
    return "".join(f"{chosen.randrange(kinds)}\n" for _ in range(count))


@pytest.mark.parametrize(
    "texts",
    [
        lambda: ("\n" * MIB, "x\n" * (MIB // 2)),
        lambda: ("x" * MIB, "y" * MIB),
        lambda: (of_lines(150_000, MIB, 1), of_lines(150_000, MIB, 2)),
        lambda: (of_lines(9_999, 2, 1), of_lines(9_999, 2, 2)),
        lambda: (of_lines(9_999, 60, 1), of_lines(9_999, 60, 2)),
        lambda: (of_lines(9_999, 5_000, 1), of_lines(9_999, 5_000, 2)),
        lambda: ("".join(f"{n}\n" for n in range(9_999)), "".join(f"{n}{'!' * (n % 2)}\n" for n in range(9_999))),
        lambda: ("".join(f"{n}\n" for n in range(9_999)), "".join(f"{n}\n" for n in reversed(range(9_999)))),
    ],
    ids=["empty lines", "one line", "many lines", "two kinds", "60 kinds", "5000 kinds", "every other", "backwards"],
)
def test_no_two_texts_take_more_than_a_second(texts: Callable[[], tuple[str, str]]) -> None:
    old, new = texts()
    started = time.process_time()

    diff = unified_diff(old, new, "1", "2")

    assert diff
    assert time.process_time() - started < 5, "a second, with slack for a busy machine"
