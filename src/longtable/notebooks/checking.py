"""Has cells checked, before they are written or on request. Faults are reported; only an invalid schema is refused."""

from collections.abc import Mapping, Sequence
from typing import Any

from longtable.checkers import work
from longtable.kernel.errors import ValidationFailed, ValidationTimeout
from longtable.kernel.logs import logger
from longtable.notebooks.model import Cell, Schema, filename_of, schema_of
from longtable.validation.model import ValidationResult, result_of
from longtable.validation.service import CellToCheck, SharedSchema, Validation


class Checks:
    def __init__(self, validation: Validation) -> None:
        self._validation = validation

    async def refuse_bad_schemas(self, schemas: Mapping[str, Any]) -> None:
        """By the field that each stands in. Raises ValidationFailed for the first that is no JSON Schema."""
        for field, schema in schemas.items():
            problem = await self._validation.problem_of_schema(schema)
            if problem is not None:
                raise ValidationFailed(f"{field}: is not a JSON Schema: {problem}", field=field)

    async def refuse_bad_cell_schemas(self, cells: Mapping[str, Cell]) -> None:
        schemas = {f"{field}.json_schema": cell.json_schema for field, cell in cells.items()}
        await self.refuse_bad_schemas(
            {field: schema_of(schema, field) for field, schema in schemas.items() if schema is not None}
        )

    async def check_new(
        self, tenant: str, cells: Sequence[Cell], shared: Sequence[Schema]
    ) -> dict[str, ValidationResult]:
        """By cell id, for cells with `validate`. Never fails: a check that takes too long is a warning."""
        checked = [cell for cell in cells if cell.validate]
        if not checked:
            return {}
        try:
            results = await self.check(tenant, checked, shared)
        except ValidationTimeout as late:
            results = [
                result_of(cell.position, cell.cell_id, cell.language, work.failed(late.message)) for cell in checked
            ]
            _log_invalid(tenant, results)
        return {result.cell_id: result for result in results}

    async def check(self, tenant: str, cells: Sequence[Cell], shared: Sequence[Schema]) -> list[ValidationResult]:
        """The findings about every cell. Raises ValidationTimeout."""
        schemas = [SharedSchema(id=schema.schema_id, name=schema.name, schema=schema.document) for schema in shared]
        results = await self._validation.check([_to_check(cell) for cell in cells], schemas, tenant)
        _log_invalid(tenant, results)
        return results


def _log_invalid(tenant: str, results: Sequence[ValidationResult]) -> None:
    invalid = [result for result in results if not result.valid]
    if invalid:
        languages = sorted({result.language for result in invalid})
        logger.info(
            "cells_invalid",
            code=ValidationFailed.code,
            tenant=tenant,
            checked=len(results),
            invalid=len(invalid),
            languages=languages,
        )


def _to_check(cell: Cell) -> CellToCheck:
    schema = None if cell.json_schema is None else schema_of(cell.json_schema, "json_schema")
    return CellToCheck(
        cell.position, cell.cell_id, cell.language, cell.content or "", schema, filename_of(cell.metadata)
    )
