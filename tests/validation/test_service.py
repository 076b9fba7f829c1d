"""What validation says about cells: one result each, in order, the same again from memory, and quick."""

import time

import pytest

from longtable.kernel.clock import SECOND
from longtable.settings.options import Settings
from longtable.validation.service import SharedSchema, Validation, ValidationLimits
from tests.validation.watching import cell, check_text, letting_others_work, workers

PRICE = {"type": "object", "properties": {"price": {"type": "number"}}}


async def test_each_cell_has_its_result_in_the_order_of_the_cells(validation: Validation) -> None:
    cells = [cell("json", "[1,]", index=7), cell("txt", "a", index=2), cell("json", "{}", index=5)]

    results = await validation.check(cells)

    assert [(result.cell_index, result.cell_id, result.valid) for result in results] == [
        (7, "cell-7", False),
        (2, "cell-2", True),
        (5, "cell-5", True),
    ]


async def test_a_result_says_what_was_checked_and_where_the_fault_is(validation: Validation) -> None:
    result = await check_text(validation, "json", '{"price": "high"}', PRICE)

    [error] = result.model_dump(mode="json")["errors"]
    assert {**error, "message": ""} == {
        "message": "",
        "code": "SCHEMA_ERROR",
        "line": 1,
        "column": 11,
        "path": "$.price",
    }
    assert result.model_dump(mode="json")["details"] == {
        "syntax": {"checked": True, "passed": True, "checker": "json"},
        "schema": {"checked": True, "passed": False},
        "analysis": {},
    }


async def test_plain_text_is_valid_and_the_reason_says_that_nothing_was_checked(validation: Validation) -> None:
    result = await check_text(validation, "txt", "[")

    assert result.valid
    assert result.details.syntax.checked is False
    assert result.details.reason == "Nothing is checked in txt."


async def test_a_shared_schema_is_applied_and_named(validation: Validation) -> None:
    shared = (SharedSchema("id-1", "price", PRICE),)

    result = await check_text(validation, "yaml", "price: high", {"$ref": "scratchpad://schemas/price"}, shared)

    assert [(error.code, error.line, error.column) for error in result.errors] == [("SCHEMA_ERROR", 1, 8)]
    assert result.details.schema_.schema_id == "id-1"


async def test_a_missing_shared_schema_is_a_warning(validation: Validation) -> None:
    result = await check_text(validation, "json", "{}", {"$ref": "scratchpad://schemas/price"})

    assert result.valid
    assert [warning.code for warning in result.warnings] == ["SCHEMA_REF_MISSING"]
    assert result.details.schema_.missing_ref == "scratchpad://schemas/price"


async def test_a_schema_is_applied_to_toml(validation: Validation) -> None:
    schema = {"properties": {"day": {"type": "string", "pattern": "^2024"}, "price": {"type": "number"}}}

    result = await check_text(validation, "toml", 'day = 2024-05-06\nprice = "high"\n', schema)

    assert [error.path for error in result.errors] == ["$.price"]


@pytest.mark.parametrize(
    ("language", "content", "reason"),
    [("lua", "a = 1", "it says nothing about lua"), ("json", "[1,]", "the text has errors"), ("txt", "a", "txt")],
)
async def test_a_schema_that_cannot_be_applied_is_mentioned(
    validation: Validation, language: str, content: str, reason: str
) -> None:
    result = await check_text(validation, language, content, PRICE)

    assert result.details.schema_.checked is False
    assert reason in str(result.details.reason)


async def test_a_cell_that_is_too_large_is_never_parsed() -> None:
    validation = Validation(ValidationLimits(max_bytes=10))

    result = await check_text(validation, "json", '["ééééé"')

    assert (result.valid, result.details.syntax.checked) == (True, False)
    assert result.details.reason == "A cell of more than 10 bytes is not checked."
    assert workers() == []


MANY = {
    "md": "https://example.org\n\n" * 150,
    "json": "{" + '"a": 1, ' * 300 + '"b": 2}',
    "yaml": "a: 1\n" * 300,
    "html": "</p-x>\n" * 300,
    "js": "return (;\n" * 300,
    "css": "}\n" * 300,
}


@pytest.mark.parametrize("language", MANY)
async def test_of_very_many_faults_a_hundred_are_told_and_that_there_are_more(
    validation: Validation, language: str
) -> None:
    result = await check_text(validation, language, MANY[language])

    found = [*result.errors, *result.warnings]
    assert len(found) <= 100
    assert [each.code for each in found].count("TRUNCATED") == (1 if len(found) == 100 else 0)


async def test_that_a_value_breaks_its_schema_more_often_than_is_told_is_said(validation: Validation) -> None:
    result = await check_text(validation, "json", "[" + '"x", ' * 300 + "1]", {"items": {"type": "integer"}})

    assert (len(result.errors), [each.code for each in result.warnings]) == (99, ["TRUNCATED"])


async def test_what_was_checked_before_is_answered_from_memory(validation: Validation) -> None:
    first = await check_text(validation, "json", '{"price": "high"}', PRICE)
    for process in workers():
        process.suspend()

    again = await check_text(validation, "json", '{"price": "high"}', PRICE)

    assert again == first


async def test_another_schema_is_another_question(validation: Validation) -> None:
    reference = {"$ref": "scratchpad://schemas/a"}

    first = await check_text(validation, "json", "1", reference, (SharedSchema("1", "a", {"type": "number"}),))
    second = await check_text(validation, "json", "1", reference, (SharedSchema("1", "a", {"type": "string"}),))

    assert (first.valid, second.valid) == (True, False)


async def test_equal_cells_of_a_request_are_checked_once_and_told_apart(validation: Validation) -> None:
    results = await validation.check([cell("json", "[1,]", index=number) for number in range(3)])

    assert [(result.cell_id, len(result.errors)) for result in results] == [("cell-0", 1), ("cell-1", 1), ("cell-2", 1)]


async def test_a_text_that_no_encoding_can_write_is_checked(validation: Validation) -> None:
    result = await check_text(validation, "js", "let a = '\ud800';")

    assert [warning.code for warning in result.warnings if warning.code == "CHECKER_FAILED"] == []


async def test_the_fault_of_a_schema_is_told_in_words(validation: Validation) -> None:
    deep: object = {}
    for _ in range(5_000):
        deep = {"not": deep}

    assert await validation.problem_of_schema(PRICE) is None
    assert await validation.problem_of_schema({"type": "nonsense"}) is not None
    assert await validation.problem_of_schema(deep) == "It is nested too deeply"
    [result] = await validation.check([cell("json", "1", deep)])
    assert [warning.code for warning in result.warnings] == ["CHECKER_FAILED"]


def test_the_bounds_are_those_of_the_settings() -> None:
    settings = Settings(validation_request_timeout=3 * SECOND, validation_workers=5, max_cell_bytes=99)

    bounds = ValidationLimits.of(settings)

    assert (bounds.seconds, bounds.workers, bounds.max_bytes) == (3.0, 5, 99)


@pytest.mark.slow
async def test_a_small_cell_costs_little(validation: Validation) -> None:
    await check_text(validation, "json", "0")
    times = []

    for number in range(50):
        begun = time.perf_counter()
        await check_text(validation, "json", "[" + "1, " * 330 + f"{number}]")
        times.append(time.perf_counter() - begun)

    assert sorted(times)[25] < 0.005 * 5


@pytest.mark.slow
async def test_a_thousand_cells_do_not_hold_up_the_event_loop(validation: Validation) -> None:
    cells = [cell("json", f"[{number}, " + "1, " * 300 + "]", index=number) for number in range(1_000)]

    results = await letting_others_work(lambda: validation.check(cells))

    assert sum(len(result.errors) for result in results) == 1_000
