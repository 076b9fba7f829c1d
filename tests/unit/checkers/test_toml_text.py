"""What is said about TOML."""

import time

import pytest

from longtable.checkers.toml_text import check

FAULTS = [
    ("a = 1\nb =", 2),
    ("a = 1\na = 2", 2),
    ("[t]\n[t]", 2),
    ('a = "x\nb = 1', 1),
    ('ok = 1\na = """x\n\n\nb = 1', 2),
    ("a = '''\nx\n\n", 1),
    ("a = [1, 2", 1),
    ("a = {x = 1,}", 1),
    ("a = 01", 1),
    ("a = 1 b = 2", 1),
    ("a = True", 1),
    ("[t\na = 1", 1),
    ('a = "\\q"', 1),
]


@pytest.mark.parametrize(("text", "line"), FAULTS)
def test_a_fault_is_an_error_where_it_starts(text: str, line: int) -> None:
    report = check(text)

    assert [(error.code, error.line) for error in report.errors] == [("SYNTAX_ERROR", line)]
    assert "(at " not in report.errors[0].message


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\ufeffa = 1",
        "a.b.c = 1\r\n[d]\n[[e]]\nf = nan",
        'a = """\n"x"\n"""',
        "d = 1979-05-27T07:32:00Z",
        "a = 'it # is'",
    ],
)
def test_toml_is_accepted(text: str) -> None:
    report = check(text)

    assert (report.errors, report.checker) == ([], "tomllib")


@pytest.mark.parametrize(
    "text", [".".join(["a"] * 100_000) + " = 1", "[" + ".".join(["a"] * 100_000) + "]", "a = " + "[" * 5000]
)
def test_what_the_parser_cannot_bear_is_left_unchecked_and_the_reason_told(text: str) -> None:
    report = check(text)

    assert (report.errors, report.checker) == ([], None)
    assert report.reason


@pytest.mark.slow
@pytest.mark.parametrize("text", ['a = "' + "a" * 1_000_000, "a" * 1_000_000, '"a.' * 300_000, "#" * 1_000_000])
def test_a_million_characters_are_answered_soon(text: str) -> None:
    started = time.process_time()

    check(text)

    assert time.process_time() - started < 7.5
