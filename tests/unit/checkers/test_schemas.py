"""Values against JSON Schemas, whose references never leave the scratchpad."""

import socket
from typing import Any

import pytest

from longtable.checkers import json_text, yaml_text
from longtable.checkers.schemas import SchemaReport, Shared, check_value, problem_of

ADDRESS = Shared(
    "11", "postal address", {"$defs": {"zip": {"type": "string", "pattern": "^[0-9]+$"}}, "required": ["zip"]}
)
PERSON = Shared("22", "person", {"properties": {"address": {"$ref": "scratchpad://schemas/postal%20address"}}})
LOST = Shared("33", "lost", {"properties": {"x": {"$ref": "scratchpad://schemas/nowhere"}}})


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def check(text: str, schema: Any, *shared: Shared) -> SchemaReport:
    parsed = json_text.parse(text)
    return check_value(parsed.value, parsed.locate, schema, shared)


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {}}},
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "prefixItems": [{}]},
        {"$ref": "scratchpad://schemas/not there yet#/$defs/x"},
        {"properties": {"a": {"$ref": "https://example.org/a.json#/b"}}},
        {"$defs": {"n": {"properties": {"next": {"$ref": "#/$defs/n"}}}}, "$ref": "#/$defs/n"},
        {"pattern": "(?=a)b"},
    ],
)
def test_a_json_schema_has_no_problem(schema: object) -> None:
    assert problem_of(schema) is None


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ([], "an object or a boolean"),
        ("{}", "an object or a boolean"),
        ({"type": "int"}, "$.type"),
        ({"properties": {"a": {"minimum": "1"}}}, "$.properties.a.minimum"),
        ({"$schema": "https://example.org/mine"}, "no draft that is known"),
        ({"pattern": "("}, "regex"),
        ({"$ref": "#/$defs/missing"}, "does not exist"),
    ],
)
def test_what_is_not_a_json_schema_is_explained(schema: object, words: str) -> None:
    assert words in (problem_of(schema) or "")


def test_a_schema_nested_beyond_reason_is_a_problem_and_not_a_crash() -> None:
    schema: dict[str, Any] = {}
    for _ in range(20_000):
        schema = {"not": schema}

    assert problem_of(schema)


def test_an_error_has_path_line_and_column() -> None:
    schema = {"properties": {"items": {"items": {"properties": {"full name": {"type": "string"}}}}}}

    report = check('{"items": [\n  {"full name": "a"},\n  {"full name": 2}\n]}', schema)

    assert (report.checked, report.passed) == (True, False)
    [error] = report.errors
    assert (error.code, error.path, error.line, error.column) == ("SCHEMA_ERROR", "$.items[1]['full name']", 3, 17)
    assert error.message == '2 is not of type "string"'


def test_a_member_that_may_not_be_there_is_pointed_at() -> None:
    report = check('{\n "a": 1,\n "b": 2}', {"properties": {"a": {}}, "additionalProperties": False})

    assert [(error.path, error.line) for error in report.errors] == [("$", 3)]


def test_what_fits_passes() -> None:
    report = check('{"a": 1}', {"type": "object"})

    assert (report.checked, report.passed, report.errors, report.warnings) == (True, True, [], [])


@pytest.mark.parametrize("reference", ["postal address", "postal%20address", "11"])
def test_a_shared_schema_is_found_by_name_and_by_id(reference: str) -> None:
    report = check("{}", {"$ref": f"scratchpad://schemas/{reference}"}, ADDRESS)

    assert report.schema_id == "11"
    assert [error.message for error in report.errors] == ['"zip" is a required property']


def test_references_lead_on_from_shared_schemas_and_into_them() -> None:
    through = check('{"address": {}}', {"$ref": "scratchpad://schemas/person"}, ADDRESS, PERSON)
    into = check('"x"', {"$ref": "scratchpad://schemas/11#/$defs/zip"}, ADDRESS)

    assert [error.path for error in through.errors] == ["$.address"]
    assert [error.message for error in into.errors] == ['"x" does not match "^[0-9]+$"']


@pytest.mark.parametrize(
    ("schema", "missing"),
    [
        ({"$ref": "scratchpad://schemas/nowhere"}, "scratchpad://schemas/nowhere"),
        ({"$ref": "scratchpad://schemas/lost"}, "scratchpad://schemas/nowhere"),
        ({"properties": {"a": {"$ref": "http://127.0.0.1:9/a.json"}}}, "http://127.0.0.1:9/a.json"),
        ({"$ref": "https://example.org/a.json#/b"}, "https://example.org/a.json"),
        ({"$ref": "file:///etc/hostname"}, "file:///etc/hostname"),
    ],
)
def test_a_reference_that_leads_nowhere_is_a_warning_and_nothing_is_fetched(schema: Any, missing: str) -> None:
    report = check("1", schema, LOST)

    assert (report.checked, report.passed, report.errors, report.missing_ref) == (False, False, [], missing)
    assert [warning.code for warning in report.warnings] == ["SCHEMA_REF_MISSING"]
    assert missing in report.warnings[0].message


def test_a_shared_schema_that_nobody_refers_to_does_no_harm() -> None:
    assert check("1", {"type": "integer"}, LOST).passed


def test_older_drafts_are_known_by_their_name() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "items": [{"type": "string"}],
        "additionalItems": False,
    }

    assert [error.path for error in check("[1, 2]", schema).errors] == ["$[0]", "$"]


def test_yaml_is_checked_by_its_value_and_each_document_for_itself() -> None:
    parsed = yaml_text.parse("a: 1\n---\na: x\n---\n1: y\n")
    schema = {"properties": {"a": {"type": "integer"}}, "propertyNames": {"enum": ["a"]}}

    report = check_value(parsed.value, parsed.locate, schema, [])

    assert [(error.message.split(":")[0], error.line) for error in report.errors] == [
        ("Document 2", 3),
        ("Document 3", 5),
    ]


def test_no_more_errors_are_looked_for_than_tell_that_there_are_too_many() -> None:
    assert len(check("[" + "1," * 500 + "1]", {"items": {"type": "string"}}).errors) == 101


def test_a_message_does_not_repeat_a_long_value() -> None:
    [error] = check('"' + "x" * 100_000 + '"', {"type": "integer"}).errors

    assert len(error.message) < 350
    assert error.message.endswith('is not of type "integer"')


def test_a_pattern_that_is_too_heavy_is_a_warning() -> None:
    report = check('"' + "a" * 5_000 + 'b"', {"pattern": r"^(?:(a|aa)+)\1$"})

    assert (report.checked, report.passed, report.errors) == (False, False, [])
    assert [warning.code for warning in report.warnings] == ["CHECKER_FAILED"]


def test_a_pattern_that_makes_others_hang_is_answered() -> None:
    assert len(check('"' + "a" * 60 + 'b"', {"pattern": "^(a+)+$"}).errors) == 1


@pytest.mark.parametrize("text", ["[" * 5_000 + "]" * 5_000, '{"a":' * 5_000 + "1" + "}" * 5_000])
def test_a_value_nested_beyond_reason_is_not_checked(text: str) -> None:
    report = check(text, {"items": {"$ref": "#"}, "properties": {"a": {"$ref": "#"}}})

    assert (report.checked, report.errors) == (False, [])
    assert [warning.code for warning in report.warnings] == ["CHECKER_FAILED"]


def test_numbers_beyond_all_limits_keep_their_size() -> None:
    huge = "9" * 5_000
    report = check(f"[1e400, -1e400, {huge}, -{huge}]", {"items": {"type": "number", "maximum": 10}})

    assert [error.path for error in report.errors] == ["$[0]", "$[2]"]


def test_half_a_surrogate_pair_does_not_stop_the_check() -> None:
    assert [error.path for error in check('["\\ud800"]', {"items": {"type": "integer"}}).errors] == ["$[0]"]
