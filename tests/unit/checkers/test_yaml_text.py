"""What is said about YAML, read by the core schema of YAML 1.2."""

import time

import pytest

from longtable.checkers.findings import Documents
from longtable.checkers.yaml_text import parse

FAULTS = [
    ("a: [1, 2\nb: 3", 2),
    ('a: "x\n\n\nb: 1', 1),
    ('a: "x\nb: 1\nc: "y"\n', 1),
    ("a: b: c", 1),
    ("- a\nb: 1", 2),
    ("a:\n\t- b", 2),
    ("a: *nowhere", 1),
    ("a: @x", 1),
    ("foo: bar\n  baz: 1", 2),
    ("a: 1\nb 2\nc: 3", 2),
    ("{a: 1}}", 1),
    ("x:\n  {a: 1, b: 2", 2),
    ("a: 'it's'", 1),
    ('a: "\\q"', 1),
    ("ok: 1\na: \x01", 2),
    ("-\ta: b", 1),
    ("a: 1\n\t\nb: ]", 3),
    ("a: \ud800", 1),
]


@pytest.mark.parametrize(("text", "line"), FAULTS)
def test_a_fault_is_an_error_where_it_starts(text: str, line: int) -> None:
    errors = parse(text).report.errors

    assert [(error.code, error.line) for error in errors] == [("SYNTAX_ERROR", line)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# nothing", None),
        ("---", None),
        ("\ufeffa: 1", {"a": 1}),
        ("a: no\nb: 22:22\nc: 2024-01-01", {"a": "no", "b": "22:22", "c": "2024-01-01"}),
        ("[010, 0o10, 0x1F, 1_000, 1e3, .5, ~, True]", [10, 8, 31, "1_000", 1000.0, 0.5, None, True]),
        ("[.inf, -.Inf]", [float("inf"), float("-inf")]),
        ("a: !mine 5\nb: !!str 5\nc: !!int '5'\nd: !!set {x}", {"a": "5", "b": "5", "c": 5, "d": {"x": None}}),
        ("1: a\n'1': b\n~: c", {"1": "b", "null": "c"}),
        ("? [a, b]\n: c", {"[a, b]": "c"}),
        ("x: &a {k: 1, z: 2}\ny:\n  <<: *a\n  k: 3", {"x": {"k": 1, "z": 2}, "y": {"k": 3, "z": 2}}),
        ("y:\n  <<: [{a: 1}, {a: 2, b: 3}]", {"y": {"a": 1, "b": 3}}),
        ("<<: just text", {"<<": "just text"}),
        ("%YAML 1.2\n---\na: [\n\tb\n]", {"a": ["b"]}),
        ("a: |\n  no\n", {"a": "no\n"}),
        ("a:\n  -\tb\n  -\t[c]\n\t\nd: 1", {"a": ["b", ["c"]], "d": 1}),
        ("a: [1]\nb: |\n  \tc\n  d\n", {"a": [1], "b": "\tc\nd\n"}),
        ("only: [:create, :update]", {"only": [":create", ":update"]}),
    ],
)
def test_yaml_is_read_as_version_1_2_reads_it(text: str, value: object) -> None:
    parsed = parse(text)

    assert (parsed.report.errors, parsed.value) == ([], value)


def test_a_bare_yes_or_no_is_a_warning_unless_it_is_a_key() -> None:
    report = parse("on: push\na: yes\nb: 'no'\nc: [Off]").report

    assert [(each.code, each.line, each.column) for each in report.warnings] == [("STYLE", 2, 4), ("STYLE", 4, 5)]


def test_a_key_that_stands_twice_is_an_error_at_its_second_place() -> None:
    report = parse("a: 1\nb:\n  c: 1\n  c: 2\na: 3").report

    assert [(each.code, each.line, each.column) for each in report.errors] == [
        ("DUPLICATE_KEY", 4, 3),
        ("DUPLICATE_KEY", 5, 1),
    ]


def test_several_documents_are_several_values() -> None:
    parsed = parse("a: 1\n---\na: 2\n...\n---\n- b")

    assert parsed.value == Documents([{"a": 1}, {"a": 2}, ["b"]])
    assert parsed.locate([1, "a"]) == (3, 4)


def test_a_document_without_a_marker_may_follow_the_end_of_another() -> None:
    assert parse("a: 1\n...\nb: 2").report.errors == []


def test_the_place_of_any_value_is_known() -> None:
    parsed = parse("base: &b\n  x: 1\nuse: *b\nlist:\n  - a\n  - {k: v}\n")

    assert parsed.locate(["base", "x"]) == (2, 6)
    assert parsed.locate(["use"]) == (3, 6)
    assert parsed.locate(["use", "x"]) == (2, 6)
    assert parsed.locate(["list", 1, "k"]) == (6, 9)
    assert parsed.locate(["list", 7]) == (5, 3)


def _nested_aliases(levels: int) -> str:
    rows = ["l0: &l0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]" for i in range(1, levels)]
    return "\n".join(rows)


def _nested_merges(levels: int) -> str:
    rows = ["l0: &l0 {k: 1}"]
    rows += [f"l{i}: &l{i} {{<<: [{', '.join([f'*l{i - 1}'] * 9)}], k{i}: 1}}" for i in range(1, levels)]
    return "\n".join(rows)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (_nested_aliases(12), "stand for more than"),
        (_nested_merges(20), "stand for more than"),
        ("a: &a [*a]", "stands inside of what it refers to"),
        ("a: &a {b: [*a]}", "stands inside of what it refers to"),
        ("[" * 100_000, "levels deep"),
        ('{"a":' * 100_000, "levels deep"),
        ("- " * 50_000, "levels deep"),
        ("? " * 50_000, "levels deep"),
    ],
)
def test_bombs_are_refused_at_once(text: str, words: str) -> None:
    started = time.process_time()

    errors = parse(text).report.errors

    assert words in errors[0].message
    assert time.process_time() - started < 7.5


def test_no_more_findings_are_looked_for_than_tell_that_there_are_too_many() -> None:
    assert len(parse("- no\n" * 500).report.warnings) == 101
    assert len(parse("a: 1\n" * 500).report.errors) == 101


@pytest.mark.slow
def test_a_million_characters_are_answered_soon() -> None:
    text = "".join(f'- id: {i}\n  name: "item {i}"\n  tags: [a, b, c]\n' for i in range(22_000))
    started = time.process_time()

    assert parse(text).report.errors == []

    assert time.process_time() - started < 7.5


@pytest.mark.parametrize("text", ["a: {{ b }}\n", "- {{ b }}\n", "c:\n  - d: {{ b }}\n"])
def test_a_template_that_is_read_as_a_mapping_is_warned_of(text: str) -> None:
    report = parse(text).report

    assert (report.errors, [warning.code for warning in report.warnings]) == ([], ["STYLE"])


@pytest.mark.parametrize("text", ['a: "{{ b }}"\n', "a: x {{ b }}\n", "a: |\n  b {{ c }}\n"])
def test_a_template_in_quotes_or_text_is_fine(text: str) -> None:
    assert parse(text).report.warnings == []
