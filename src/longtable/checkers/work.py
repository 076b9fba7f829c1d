"""What a worker does: a job in, an answer out, both plain values that can be written as JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from longtable.checkers import by_language
from longtable.checkers.findings import MOST_FINDINGS, Finding, Parsed, Report

_LONGEST_TEXT = 500
_NO_SCHEMA = {"checked": False, "passed": None}
_FAILED = "The checker failed; nothing is known about this cell."


def run(job: dict[str, Any]) -> dict[str, Any]:
    """`kind` is "schema" (is this a JSON Schema?) or "cell" (what is wrong with this text?)."""
    is_schema = job["kind"] == "schema"
    try:
        return _check_schema(job["schema"]) if is_schema else _check_cell(job)
    except Exception as error:  # noqa: BLE001 - a checker of a hostile text may fail in any way; the cell is kept
        name = type(error).__name__
        return failed_schema(name) if is_schema else failed(name)


def _check_schema(schema: Any) -> dict[str, Any]:
    from longtable.checkers import schemas

    return {"problem": schemas.problem_of(schema)}


def unchecked(reason: str) -> dict[str, Any]:
    """The answer about a cell that nothing looked at."""
    return _answer(Report(reason=reason), dict(_NO_SCHEMA))


def failed_schema(why: str) -> dict[str, Any]:
    return {"problem": f"It cannot be checked ({why})"}


def failed(why: str) -> dict[str, Any]:
    """The answer about a cell whose checker did not come to an end."""
    report = Report(warnings=[Finding(f"{_FAILED} ({why})", "CHECKER_FAILED")], reason=_FAILED)
    return _answer(report, dict(_NO_SCHEMA))


def _check_cell(job: dict[str, Any]) -> dict[str, Any]:
    language, schema = job["language"], job.get("schema")
    parsed = by_language.parse(language, job["content"], job.get("filename"))
    report = parsed.report
    if schema is None:
        return _answer(report, dict(_NO_SCHEMA))
    if (reason := _why_no_schema(language, report)) is not None:
        report.reason = " ".join(filter(None, [report.reason, reason]))
        return _answer(report, dict(_NO_SCHEMA))
    return _with_schema(parsed, schema, job.get("shared", ()))


def _why_no_schema(language: str, report: Report) -> str | None:
    if language not in by_language.WITH_VALUES:
        return f"The schema was not applied: it says nothing about {language}."
    if report.errors:
        return "The schema was not applied: the text has errors."
    return "The schema was not applied." if report.checker is None else None


def _with_schema(parsed: Parsed, schema: Any, shared: Sequence[dict[str, Any]]) -> dict[str, Any]:
    from longtable.checkers import schemas

    known = [schemas.Shared(one["id"], one["name"], one["schema"]) for one in shared]
    found = schemas.check_value(parsed.value, parsed.locate, schema, known)
    report = parsed.report
    syntax_passed = not report.errors
    report.errors += found.errors
    report.warnings += found.warnings
    outcome = {
        "checked": found.checked,
        "passed": found.passed if found.checked else None,
        "schema_id": found.schema_id,
        "missing_ref": found.missing_ref,
    }
    return _answer(report, outcome, syntax_passed)


def _answer(report: Report, schema: dict[str, Any], syntax_passed: bool | None = None) -> dict[str, Any]:
    checked = report.checker is not None
    passed = syntax_passed if syntax_passed is not None else not report.errors
    errors, warnings = _cut(report)
    return {
        "errors": [_plain(finding) for finding in errors],
        "warnings": [_plain(finding) for finding in warnings],
        "syntax": {"checked": checked, "passed": passed if checked else None, "checker": report.checker},
        "schema": schema,
        "analysis": report.analysis,
        "reason": report.reason,
    }


def has_failed(answer: dict[str, Any]) -> bool:
    return any(warning["code"] == "CHECKER_FAILED" for warning in answer.get("warnings", ()))


def _cut(report: Report) -> tuple[Sequence[Finding], Sequence[Finding]]:
    """A hundred at most, errors before warnings; the last of them is a note when there were more."""
    errors, warnings = report.errors, report.warnings
    if len(errors) + len(warnings) <= MOST_FINDINGS:
        return errors, warnings
    shown = MOST_FINDINGS - 1
    first_out = (errors + warnings)[shown]
    note = Finding("More are left out.", "TRUNCATED", first_out.line, first_out.column)
    errors = errors[:shown]
    return errors, [*warnings[: shown - len(errors)], note]


def _plain(finding: Finding) -> dict[str, Any]:
    fields = {name: value for name, value in asdict(finding).items() if value is not None}
    for name in ("message", "path"):
        if len(fields.get(name, "")) > _LONGEST_TEXT:
            fields[name] = fields[name][: _LONGEST_TEXT - 3] + "..."
    return fields
