"""What hostile texts do to the tree-sitter checkers: nothing."""

import pytest

from longtable.checkers.treesitter import LANGUAGES, check, grammars

pytestmark = pytest.mark.slow

KILO = 1024


@pytest.mark.parametrize("language", LANGUAGES)
def test_deep_nesting_does_not_recurse(language: str) -> None:
    report = check(language, "(" * 4 * KILO)

    assert len(report.errors) + len(report.warnings) <= 1


@pytest.mark.parametrize("language", ["c", "rs", "java", "php"])
def test_a_well_nested_text_may_be_deep(language: str) -> None:
    deep = "(" * 3_000 + "1" + ")" * 3_000
    text = {"rs": f"fn f() {{ {deep}; }}", "java": f"class A {{ int a = {deep}; }}", "php": f"<?php {deep};"}

    assert check(language, text.get(language, f"int a = {deep};")).errors == []


@pytest.mark.parametrize("language", ["java", "cs", "cpp"])
def test_angle_brackets_without_end_are_given_up_at_once(language: str) -> None:
    report = check(language, "a<" * 512 * KILO)

    assert [(found.code, found.message) for found in report.warnings] == [
        ("CHECKER_FAILED", "too complex to check in time")
    ]
    assert report.errors == []


def test_a_parser_that_takes_too_long_is_stopped_and_works_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(grammars, "PARSE_MICROS", 1)
        slow = check("go", "var a = b(1, 2)\n" * KILO)

    assert [found.code for found in slow.warnings] == ["CHECKER_FAILED"]
    assert check("go", "var a = 1\n").warnings == []


def test_kotlin_is_checked_up_to_a_size() -> None:
    report = check("kt", "val a = 1\n" * 11 * KILO)

    assert report.checker is None
    assert report.reason == "Not checked: kt is checked up to 100000 bytes."


@pytest.mark.parametrize("text", ["", "\n", "\0" * 100, "\ud800", "é" * 1000, "\r\r\r", "\ufeff"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_odd_texts_are_survived(language: str, text: str) -> None:
    check(language, text)


@pytest.mark.parametrize("language", ["rs", "go", "c"])
def test_a_long_text_with_a_mistake_is_still_told_of(language: str) -> None:
    line = {"rs": "fn f() { g(1); }\n", "go": "func f() { g(1) }\n", "c": "int f(void) { return g(1); }\n"}
    good = line[language] * 3 * KILO

    report = check(language, good + ")\n" + good)

    assert [found.line for found in report.errors + report.warnings] == [3 * KILO + 1]


def test_an_objective_c_header_is_not_taken_for_c() -> None:
    report = check("h", "#import <A.h>\n@interface B : C\n@end\n")

    assert report.errors == []
    assert report.reason == "Not checked: this is Objective-C."
