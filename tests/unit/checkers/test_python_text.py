"""What is said about Python, by the newest grammar whatever interpreter runs."""

import time

import pytest

from longtable.checkers.python_text import check

BY_GRAMMAR = [
    ("if x\n  pass", 1),
    ("if x:\npass", 2),
    ("x = (1,\n\ny = 2\n", 1),
    ('x = """\n\n\n', 1),
    ("print 'x'", 1),
    ("x = = 1", 1),
    ("def f():\n\tx\n        y", 3),
    ("x = 1\n  y = 2", 2),
    ("a\n\0b", 2),
    ("%matplotlib inline", 1),
]
BEYOND_GRAMMAR = [
    ("return 1", 1),
    ("class A:\n  return 1", 2),
    ("def f(a, a): pass", 1),
    ("nonlocal x", 1),
    ("break", 1),
    ("await x", 1),
    ("x = 1\nfrom __future__ import annotations", 2),
    ("def f(x):\n  global x", 2),
]
NEWER = [
    'f"{x["a"]}"',
    "type X[T] = list[T]",
    "def f[T](a: T) -> T: ...",
    'x = t"a{b}"',
    "try:\n  pass\nexcept A, B:\n  pass",
]


@pytest.mark.parametrize(("text", "line"), BY_GRAMMAR + BEYOND_GRAMMAR)
def test_a_fault_is_an_error_where_it_starts(text: str, line: int) -> None:
    assert [(error.code, error.line) for error in check(text).errors] == [("SYNTAX_ERROR", line)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\ufeffx = 1",
        "x = 1 is 1",
        "'\\d'",
        "match x:\n  case 1: pass",
        "async def f():\n  return [await x for x in y]",
    ],
)
def test_python_is_accepted_and_its_warnings_are_not_passed_on(text: str) -> None:
    report = check(text)

    assert (report.errors, report.warnings) == ([], [])


@pytest.mark.parametrize("text", NEWER)
def test_syntax_of_versions_to_come_is_accepted(text: str) -> None:
    assert check(text).errors == []


def test_a_fault_beside_newer_syntax_is_the_one_that_is_reported() -> None:
    assert check('f"{x["a"]}"\n\n\nx = = 1').errors[0].line == 4
    assert check('f"{x["a"]}"\nreturn 1').errors[0].line == 2
    assert check('f"{x!z}"\n\n\ny = f"{\n    x\n}"\n').errors[0].line == 1


def test_a_lone_surrogate_in_the_text_is_no_reason_to_fail() -> None:
    assert check("x = '\ud800'").errors == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["(" * 100_000, "(" * 100_000 + ")" * 100_000, "a+" * 300_000 + "a", "-" * 1_000_000 + "1"]
)
def test_deep_nesting_is_survived(text: str) -> None:
    started = time.process_time()

    check(text)

    assert time.process_time() - started < 20
