"""What a worker answers, without the process around it."""

from typing import Any

import pytest

from longtable.checkers import by_language, work
from longtable.checkers.findings import Finding, Parsed, Report
from longtable.checkers.languages import LANGUAGES


def answer(language: str, content: str, **more: Any) -> dict[str, Any]:
    return work.run({"kind": "cell", "language": language, "content": content, **more})


def test_a_checker_that_fails_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(language: str, text: str) -> Parsed:
        raise RecursionError(language, text)

    monkeypatch.setattr(by_language, "parse", fail)

    found = answer("json", "1")

    assert found["errors"] == []
    assert [warning["code"] for warning in found["warnings"]] == ["CHECKER_FAILED"]
    assert found["syntax"] == {"checked": False, "passed": None, "checker": None}
    assert work.has_failed(found)


def test_errors_are_told_before_warnings_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [Finding(str(number), line=number) for number in range(1, 81)]
    monkeypatch.setattr(
        by_language, "parse", lambda language, text, filename: Parsed(Report("x", list(many), list(many)))
    )

    found = answer("json", "1")

    assert (len(found["errors"]), len(found["warnings"])) == (80, 20)
    assert found["warnings"][-1] == {"message": "More are left out.", "code": "TRUNCATED", "line": 20, "column": 1}


def test_a_message_that_repeats_the_text_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    long = Finding("m" * 10_000, path="p" * 10_000)
    monkeypatch.setattr(by_language, "parse", lambda language, text, filename: Parsed(Report("x", [long])))

    [error] = answer("json", "1")["errors"]

    assert (len(error["message"]), len(error["path"])) == (500, 500)


def test_the_fault_of_a_schema_is_told() -> None:
    assert work.run({"kind": "schema", "schema": {"type": "string"}}) == {"problem": None}
    assert work.run({"kind": "schema", "schema": {"type": "nonsense"}})["problem"]
    assert "cannot be checked" in work.failed_schema("SIGSEGV")["problem"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_its_checker(language: str) -> None:
    report = by_language.check(language, "")

    assert (report.checker is None) == (language == "txt")


CODE = ("c", "rs", "php", "go", "swift", "java", "js", "tsx", "html", "sql", "css", "py", "xml")


@pytest.mark.parametrize("language", CODE)
def test_what_is_left_over_is_called_by_its_name(language: str) -> None:
    begin = "<?php\n" if language == "php" else "\n"

    conflict = by_language.check(language, begin + "<<<<<<< HEAD\nint a;\n=======\nint b;\n>>>>>>> other\n")
    fence = by_language.check(language, "```\na\n```\n")

    assert [(found.line, found.message) for found in conflict.errors] == [(2, "a marker of a merge conflict")]
    if language != "php":
        assert [(found.line, found.message) for found in fence.errors] == [(1, "a fence of Markdown is no part of it")]


def test_a_text_that_is_right_may_hold_such_signs() -> None:
    assert by_language.check("py", 'a = """\n<<<<<<< HEAD\n"""\n').errors == []
    assert by_language.check("md", "```\na\n```\n").errors == []
