"""The result of validating a cell. It is advice: nothing is refused because of it."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from longtable.kernel.result import Value, omitted_if_none


class Diagnostic(Value):
    """`line` and `column` count from 1, columns in characters; `path` is the path of a JSON value."""

    message: str
    code: str
    line: int
    column: int
    end_line: int | None = omitted_if_none()
    end_column: int | None = omitted_if_none()
    path: str | None = omitted_if_none()


class SyntaxOutcome(Value):
    """`passed` is null when nothing was checked; `checker` is the name of the checker."""

    checked: bool
    passed: bool | None
    checker: str | None


class SchemaOutcome(Value):
    checked: bool
    passed: bool | None
    schema_id: str | None = omitted_if_none()
    missing_ref: str | None = omitted_if_none()


class ValidationDetails(Value):
    """`reason` says why something was not checked."""

    syntax: SyntaxOutcome
    schema_: SchemaOutcome = Field(alias="schema")
    analysis: dict[str, Any]
    reason: str | None = omitted_if_none()


class ValidationResult(Value):
    cell_index: int
    cell_id: str
    language: str
    valid: bool
    errors: list[Diagnostic]
    warnings: list[Diagnostic]
    details: ValidationDetails


def result_of(cell_index: int, cell_id: str, language: str, answer: Mapping[str, Any]) -> ValidationResult:
    """From the response of a worker."""
    errors = [_diagnostic(one) for one in answer["errors"]]
    return ValidationResult.unchecked(
        cell_index=cell_index,
        cell_id=cell_id,
        language=language,
        valid=not errors,
        errors=errors,
        warnings=[_diagnostic(one) for one in answer["warnings"]],
        details=ValidationDetails.unchecked(
            syntax=SyntaxOutcome.unchecked(**answer["syntax"]),
            schema_=SchemaOutcome.unchecked(**{name: answer["schema"].get(name) for name in _SCHEMA}),
            analysis=answer["analysis"],
            reason=answer["reason"],
        ),
    )


def _diagnostic(fields: Mapping[str, Any]) -> Diagnostic:
    return Diagnostic.unchecked(**{name: fields.get(name) for name in _DIAGNOSTIC})


_DIAGNOSTIC = ("message", "code", "line", "column", "end_line", "end_column", "path")
_SCHEMA = ("checked", "passed", "schema_id", "missing_ref")
