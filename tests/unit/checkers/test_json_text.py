"""What is said about JSON, strictly by RFC 8259."""

import json
import math
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longtable.checkers.json_reader import NotJson, read
from longtable.checkers.json_text import parse

on_a_busy_machine = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

FAULTS = [
    ("", 1, 1),
    ("  \n", 1, 1),
    ('{"a": 1,}', 1, 8),
    ('{\n  "a": 1,\n}', 2, 9),
    ("[1, 2", 1, 6),
    ("[1 2]", 1, 4),
    ('{"a" 1}', 1, 6),
    ("{a: 1}", 1, 2),
    ("{'a': 1}", 1, 2),
    ('{"a": NaN}', 1, 7),
    ("[1,\n -Infinity]", 2, 2),
    ('{"a": 1} // no', 1, 10),
    ('["a\tb"]', 1, 4),
    ('["\\x"]', 1, 3),
    ('["\\u12"]', 1, 3),
    ('["open\n]', 1, 2),
    ("[01]", 1, 2),
    ("[1.]", 1, 2),
    ("[.5]", 1, 2),
    ("[+1]", 1, 2),
    ("[1]]", 1, 4),
    ("[1,,2]", 1, 4),
    ("[True]", 1, 2),
    ("[undefined]", 1, 2),
    ('{"a": [1, 2}', 1, 12),
]


@pytest.mark.parametrize(("text", "line", "column"), FAULTS)
def test_a_fault_is_an_error_where_it_starts(text: str, line: int, column: int) -> None:
    errors = parse(text).report.errors

    assert [(error.code, error.line, error.column) for error in errors] == [("SYNTAX_ERROR", line, column)]


@pytest.mark.parametrize(
    "text",
    [
        "null",
        "0",
        "-0.5e+10",
        '"\\u00e9\\n"',
        "[]",
        "{}",
        ' {"a": [1, {"b": null}]}\r\n',
        "1E400",
        "[" + "9" * 5000 + "]",
    ],
)
def test_json_is_accepted(text: str) -> None:
    assert parse(text).report.errors == []


def test_a_message_says_what_was_expected_and_what_was_found() -> None:
    assert parse("[1 2]").report.errors[0].message == "Expected ',' or ']', found '2'"
    assert parse("[None]").report.errors[0].message == "JSON spells None as null"
    assert parse('[\n{"a": 1').report.errors[0].message == "The text ends, but '{' of line 2 is not closed"


def test_a_key_that_stands_twice_is_a_warning_at_its_second_place() -> None:
    parsed = parse('{"a": 1,\n "b": 2,\n "a": 3}')

    assert parsed.report.errors == []
    assert [(each.code, each.line, each.column) for each in parsed.report.warnings] == [("DUPLICATE_KEY", 3, 2)]
    assert parsed.value == {"a": 3, "b": 2}


@pytest.mark.parametrize(
    ("text", "count"),
    [('["\\ud800"]', 1), ('["\\udc00x\\ud800"]', 2), ('["\\ud83d\\ude00"]', 0), ('["\\\\ud800"]', 0)],
)
def test_half_a_surrogate_pair_is_a_warning_since_the_grammar_allows_it(text: str, count: int) -> None:
    report = parse(text).report

    assert report.errors == []
    assert [each.code for each in report.warnings] == ["STYLE"] * count


def test_a_byte_order_mark_is_a_warning_and_not_part_of_the_text() -> None:
    parsed = parse('\ufeff{"a": 1}')

    assert (parsed.report.errors, parsed.value) == ([], {"a": 1})
    assert [each.code for each in parsed.report.warnings] == ["STYLE"]
    assert parsed.locate(["a"]) == (1, 7)


def test_the_place_of_any_value_is_known() -> None:
    parsed = parse('{\n  "é": [1,\n    {"b": "x"}],\n  "c": null\n}')

    assert parsed.locate([]) == (1, 1)
    assert parsed.locate(["é", 0]) == (2, 9)
    assert parsed.locate(["é", 1, "b"]) == (3, 11)
    assert parsed.locate(["c"]) == (4, 8)


def test_a_place_that_is_not_there_is_that_of_the_nearest_value_around_it() -> None:
    assert parse('{"a":\n {}}').locate(["a", "missing", 3]) == (2, 2)


@pytest.mark.slow
def test_text_that_is_nested_deeper_than_the_stack_is_still_read() -> None:
    deep = parse("[" * 50_000 + "]" * 50_000)

    assert deep.report.errors == []
    assert deep.locate([0, 0, 0]) == (1, 4)
    assert len(parse('{"a":' * 50_000).report.errors) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ['"' + "a" * 1_000_000, '"' + "\\n" * 500_000, "[" + "," * 1_000_000, "{" + '"a":1,' * 150_000 + '"a":1}']
)
def test_a_million_characters_are_answered_soon(text: str) -> None:
    started = time.process_time()

    parse(text)

    assert time.process_time() - started < 7.5


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.slow
@on_a_busy_machine
@given(VALUES)
def test_the_reader_agrees_with_the_standard_library_on_values(value: object) -> None:
    text = json.dumps(value, indent=1)

    assert read(text).value == json.loads(text)


@on_a_busy_machine
@given(st.text(alphabet='[]{}:,"\\u0019.-+eE tfn \n', max_size=12))
def test_the_reader_agrees_with_the_standard_library_on_faults(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(NotJson):
            read(text)
    else:
        assert read(text).value == expected or math.isinf(expected)
