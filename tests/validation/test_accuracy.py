"""How often the syntax checkers are right, measured on a labelled corpus of valid and invalid snippets.

A file is called `valid-<name>` or `invalid-L<line>-<name>`, where the line is the one at which a good compiler
reports the first problem.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from longtable.checkers import work
from longtable.checkers.languages import LANGUAGES

CORPUS = Path(__file__).parent / "corpus"
CHECKED = tuple(language for language in LANGUAGES if language != "txt")

LEAST_OF_EACH_KIND = 10
FOUND_OVERALL = 0.90
FOUND_IN_A_LANGUAGE = 0.75
# These three forgive so much by their own rules that their parsers accept what a person calls a mistake.
FOUND_IN_FORGIVING_LANGUAGES = 0.55
FORGIVING = {"js", "html", "css"}
ON_THE_RIGHT_LINE = 0.90


@dataclass(frozen=True)
class Snippet:
    name: str
    language: str
    content: str
    line: int | None
    """Where the first problem is; None for a valid snippet."""


@dataclass(frozen=True)
class CheckedSnippet:
    snippet: Snippet
    errors: tuple[int, ...]
    warnings: tuple[int, ...]
    checker_failed: bool

    @property
    def found(self) -> bool:
        # In Markdown everything is legal, so a warning counts, but only where the defect is.
        if self.snippet.language == "md":
            return any(self._is_near(line) for line in (*self.errors, *self.warnings))
        return bool(self.errors)

    @property
    def placed(self) -> bool:
        return self.snippet.language == "md" or self._is_near(min(self.errors))

    def _is_near(self, line: int) -> bool:
        return self.snippet.line is not None and abs(line - self.snippet.line) <= 1

    def __str__(self) -> str:
        return f"{self.snippet.name}: errors on {list(self.errors)}, warnings on {list(self.warnings)}"


def _read(path: Path) -> Snippet:
    label = re.match(r"invalid-L(\d+)-", path.name)
    # Bytes, because reading as text would turn CRLF into LF.
    content = path.read_bytes().decode("utf-8")
    return Snippet(path.name, path.parent.name, content, int(label[1]) if label else None)


def _snippets(language: str) -> list[Snippet]:
    return [_read(path) for path in sorted((CORPUS / language).iterdir())]


def _check(snippet: Snippet) -> CheckedSnippet:
    job: dict[str, object] = {
        "kind": "cell",
        "language": snippet.language,
        "content": snippet.content,
        "schema": None,
        "shared": [],
    }
    answer = work.run(job)
    return CheckedSnippet(
        snippet,
        tuple(finding["line"] for finding in answer["errors"]),
        tuple(finding["line"] for finding in answer["warnings"]),
        any(finding["code"] == "CHECKER_FAILED" for finding in answer["warnings"]),
    )


@cache
def _outcomes(language: str) -> tuple[CheckedSnippet, ...]:
    return tuple(_check(snippet) for snippet in _snippets(language))


def _invalid(languages: Iterable[str]) -> list[CheckedSnippet]:
    return [outcome for language in languages for outcome in _outcomes(language) if outcome.snippet.line is not None]


def _listed(outcomes: Iterable[CheckedSnippet]) -> str:
    return "\n".join(f"  {outcome}" for outcome in outcomes)


@pytest.mark.parametrize("language", CHECKED)
def test_the_corpus_has_enough_of_both_kinds(language: str) -> None:
    snippets = _snippets(language)

    invalid = [snippet for snippet in snippets if snippet.line is not None]

    assert len(invalid) >= LEAST_OF_EACH_KIND
    assert len(snippets) - len(invalid) >= LEAST_OF_EACH_KIND


@pytest.mark.parametrize("language", CHECKED)
def test_every_file_of_the_corpus_is_named_by_its_rule_and_points_into_itself(language: str) -> None:
    name = re.compile(rf"(valid|invalid-L[1-9]\d*)-[a-z0-9]+(-[a-z0-9]+)*\.{language}")

    misnamed = [snippet.name for snippet in _snippets(language) if not name.fullmatch(snippet.name)]
    outside = [s.name for s in _snippets(language) if s.line is not None and s.line > len(s.content.splitlines())]

    assert misnamed == []
    assert outside == []


@pytest.mark.slow
@pytest.mark.parametrize("language", CHECKED)
def test_every_snippet_is_looked_at_without_its_checker_failing(language: str) -> None:
    outcomes = _outcomes(language)

    unchecked = [outcome for outcome in outcomes if outcome.checker_failed]

    assert not unchecked, f"the checker failed on:\n{_listed(unchecked)}"


@pytest.mark.slow
@pytest.mark.parametrize("language", CHECKED)
def test_no_valid_snippet_is_called_wrong(language: str) -> None:
    outcomes = _outcomes(language)

    accused = [outcome for outcome in outcomes if outcome.snippet.line is None and outcome.errors]

    assert not accused, f"valid snippets with errors:\n{_listed(accused)}"


@pytest.mark.slow
@pytest.mark.parametrize("language", CHECKED)
def test_most_mistakes_of_each_language_are_found(language: str) -> None:
    least = FOUND_IN_FORGIVING_LANGUAGES if language in FORGIVING else FOUND_IN_A_LANGUAGE

    outcomes = _invalid([language])

    missed = [outcome for outcome in outcomes if not outcome.found]
    share = 1 - len(missed) / len(outcomes)
    assert share >= least, f"{share:.0%} found; missed:\n{_listed(missed)}"


@pytest.mark.slow
def test_nine_of_ten_mistakes_are_found_over_all_languages() -> None:
    outcomes = _invalid(CHECKED)

    missed = [outcome for outcome in outcomes if not outcome.found]

    share = 1 - len(missed) / len(outcomes)
    assert share >= FOUND_OVERALL, f"{share:.1%} found; missed:\n{_listed(missed)}"


@pytest.mark.slow
def test_nine_of_ten_findings_point_at_the_right_line() -> None:
    found = [outcome for outcome in _invalid(CHECKED) if outcome.found]

    astray = [outcome for outcome in found if not outcome.placed]

    share = 1 - len(astray) / len(found)
    assert share >= ON_THE_RIGHT_LINE, f"{share:.1%} on the right line; astray:\n{_listed(astray)}"
