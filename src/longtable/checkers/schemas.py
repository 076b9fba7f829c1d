"""Checks values against JSON Schemas. References lead only to the shared schemas that are handed in: nothing is
fetched or read."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, unquote
from uuid import UUID

import jsonschema_rs
from jsonschema_rs import FancyRegexOptions, ValidationErrorKind

from longtable.checkers.findings import ENOUGH, Documents, Finding, Position, Step
from longtable.checkers.json_values import ValueTooDeep, fit

PREFIX = "scratchpad://schemas/"
_DRAFTS = frozenset(
    f"http{secure}://json-schema.org/{draft}{ending}"
    for secure in ("", "s")
    for draft in (
        "draft-04/schema",
        "draft-06/schema",
        "draft-07/schema",
        "draft/2019-09/schema",
        "draft/2020-12/schema",
    )
    for ending in ("", "#")
)
_PATTERNS = FancyRegexOptions(backtrack_limit=100_000)
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST_MESSAGE = 300

Locate = Callable[[Sequence[Step]], Position]


@dataclass(frozen=True, slots=True)
class Shared:
    """A schema of the scratchpad's registry."""

    id: str
    name: str
    schema: Any


@dataclass(slots=True)
class SchemaReport:
    checked: bool = False
    passed: bool = False
    schema_id: str | None = None
    missing_ref: str | None = None
    errors: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)


def problem_of(schema: object) -> str | None:
    """Why a value is not a JSON Schema; None when it is one. What its references lead to is not looked at."""
    if not isinstance(schema, dict | bool):
        return "A JSON Schema is an object or a boolean"
    draft = schema.get("$schema") if isinstance(schema, dict) else None
    if draft is not None and draft not in _DRAFTS:
        return f"$schema names no draft that is known here: {_short(str(draft))}"
    registry = _SchemaRegistry([])
    try:
        tidy = _tidy(schema)
        jsonschema_rs.meta.validate(tidy)
        _compiled(tidy, registry.lenient)
    except ValueTooDeep:
        return "The schema is nested too deeply"
    except jsonschema_rs.ValidationError as error:
        return _schema_fault(error, registry)
    except ValueError as error:
        return None if registry.has_foreign_reference else _short(str(error))
    return None


def check_value(value: Any, locate: Locate, schema: Any, shared: Sequence[Shared]) -> SchemaReport:
    registry = _SchemaRegistry(shared)
    report = SchemaReport(schema_id=registry.id_of(schema))
    try:
        validator = _compiled(_tidy(schema), registry.strict)
    except (ValueError, ValueTooDeep) as error:
        _explain(error, registry, report)
        return report
    for finding in _all_findings(value, locate, validator):
        kind = report.errors if finding.code == "SCHEMA_ERROR" else report.warnings
        kind.append(finding)
        if len(report.errors) + len(report.warnings) >= ENOUGH:
            break
    report.checked = bool(report.errors) or not report.warnings
    report.passed = report.checked and not report.errors
    return report


class _SchemaRegistry:
    """Answers what a schema refers to, and remembers the first reference that leads nowhere."""

    def __init__(self, shared: Sequence[Shared]) -> None:
        self._schemas = {_address(known): each for each in shared for known in (each.id, each.name) if known}
        self.missing: str | None = None
        self.has_foreign_reference = False

    def id_of(self, schema: Any) -> str | None:
        reference = _tidy_reference(schema.get("$ref")) if isinstance(schema, dict) else None
        found = self._schemas.get(reference.partition("#")[0]) if reference else None
        return found.id if found else None

    def strict(self, address: str) -> Any:
        found = self._schemas.get(_tidy_reference(address) or address)
        if found is None:
            self.missing = self.missing or address
            raise ValueError(f"{address} is not among the schemas")
        return _tidy(found.schema)

    def lenient(self, address: str) -> Any:
        self.has_foreign_reference = True
        return {}


def _compiled(schema: Any, retriever: Callable[[str], Any]) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(schema, retriever=retriever, pattern_options=_PATTERNS)


def _schema_fault(error: jsonschema_rs.ValidationError, registry: _SchemaRegistry) -> str | None:
    # An empty stand-in answers for each foreign schema, and a pointer into it leads nowhere: no fault of this one.
    if registry.has_foreign_reference and isinstance(error.kind, ValidationErrorKind.Referencing):
        return None
    place = _json_path(error.instance_path)
    return _short(error.message) if place == "$" else f"{_short(error.message)} (at {place})"


def _explain(error: Exception, registry: _SchemaRegistry, report: SchemaReport) -> None:
    """The schema cannot be used: either a reference of it leads nowhere or it is broken."""
    if isinstance(error, ValueTooDeep):
        report.warnings.append(_failed("The schema is nested too deeply"))
    elif registry.missing is not None:
        report.missing_ref = registry.missing
        message = f"The schema refers to {_short(registry.missing)}, which is not among this scratchpad's schemas"
        report.warnings.append(Finding(message, code="SCHEMA_REF_MISSING"))
    elif isinstance(error, jsonschema_rs.ValidationError) and isinstance(error.kind, ValidationErrorKind.Referencing):
        report.missing_ref = _short(error.message)
        message = f"A reference of the schema leads nowhere: {_short(error.message)}"
        report.warnings.append(Finding(message, code="SCHEMA_REF_MISSING"))
    else:
        detail = error.message if isinstance(error, jsonschema_rs.ValidationError) else str(error)
        report.warnings.append(_failed(f"The schema cannot be used: {_short(detail)}"))


def _all_findings(value: Any, locate: Locate, validator: jsonschema_rs.Validator) -> Iterator[Finding]:
    if not isinstance(value, Documents):
        yield from _findings(value, locate, validator)
        return
    for index, document in enumerate(value.values):
        for finding in _findings(document, _inside(locate, index), validator):
            yield replace(finding, message=f"Document {index + 1}: {finding.message}")


def _inside(locate: Locate, index: int) -> Locate:
    return lambda path: locate((index, *path))


def _findings(value: Any, locate: Locate, validator: jsonschema_rs.Validator) -> Iterator[Finding]:
    try:
        for error in validator.iter_errors(fit(value)):
            yield _finding(error, locate)
    except ValueTooDeep:
        yield _failed("The value is nested too deeply to be checked against a schema")
    except ValueError as error:
        yield _failed(f"The value cannot be checked against the schema: {_short(str(error))}")


def _finding(error: jsonschema_rs.ValidationError, locate: Locate) -> Finding:
    line, column = locate([*error.instance_path, *_closer(error.kind)])
    if isinstance(error.kind, ValidationErrorKind.BacktrackLimitExceeded | ValidationErrorKind.RegexEngineFailure):
        return replace(_failed("A pattern of the schema is too heavy for this value"), line=line, column=column)
    path = _json_path(error.instance_path)
    return Finding(_short(error.message), code="SCHEMA_ERROR", line=line, column=column, path=path)


def _closer(kind: ValidationErrorKind) -> list[Step]:
    """A member that must not be there is a better place to point at than what holds it."""
    if isinstance(kind, ValidationErrorKind.AdditionalProperties | ValidationErrorKind.UnevaluatedProperties):
        return list(kind.unexpected[:1])
    return []


def _failed(message: str) -> Finding:
    return Finding(message, code="CHECKER_FAILED")


def _address(known: str) -> str:
    return PREFIX + quote(known, safe="")


def _tidy(schema: Any) -> Any:
    """The schema as JSON, with the names in its references encoded, however they were written."""
    tidy = fit(schema)
    waiting = [tidy]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            reference = _tidy_reference(node.get("$ref"))
            node.update({"$ref": reference} if reference else {})
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
    return tidy


def _tidy_reference(reference: object) -> str | None:
    if not isinstance(reference, str) or not reference.startswith(PREFIX):
        return None
    name, mark, fragment = reference.removeprefix(PREFIX).partition("#")
    return _address(_key(unquote(name))) + mark + fragment


def _key(name: str) -> str:
    """A UUID in any of its spellings becomes the one that ids have."""
    try:
        return str(UUID(name))
    except ValueError:
        return name


def _json_path(path: Sequence[Step]) -> str:
    return "$" + "".join(_json_step(step) for step in path)


def _json_step(step: Step) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if _PLAIN_KEY.fullmatch(step):
        return f".{step}"
    escaped = step.replace("\\", "\\\\").replace("'", "\\'")
    return f"['{escaped}']"


def _short(message: str) -> str:
    """Messages quote the value, which may be long; both ends are kept, since the reason comes last."""
    return message if len(message) <= _LONGEST_MESSAGE else f"{message[:120]} ... {message[-160:]}"
