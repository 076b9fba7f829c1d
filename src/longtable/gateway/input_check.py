"""Checks the inputs of a call against the tool's schema."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from longtable.gateway.call_arguments import check_inputs, is_simple
from longtable.gateway.registry import OfferedTool
from longtable.gateway.schema_faults import faults_by_path
from longtable.kernel.canonical import canonical
from longtable.toolkit.argument_errors import invalid
from longtable.validation.service import CellToCheck, Validation

_REMEMBERED = 10_000


def check_inputs_with(validation: Validation) -> Callable[[OfferedTool, Mapping[str, Any]], Awaitable[None]]:
    """A simple schema is checked in this process, any other in a worker that can be stopped: an upstream may send a
    schema that takes for ever."""
    simple: dict[str, bool] = {}

    async def check(tool: OfferedTool, inputs: Mapping[str, Any]) -> None:
        definition = tool.definition
        if definition.digest not in simple:
            if len(simple) >= _REMEMBERED:
                simple.clear()
            simple[definition.digest] = is_simple(definition.input_schema)
        if simple[definition.digest]:
            check_inputs(definition, inputs)
            return
        cell = CellToCheck(0, "inputs", "json", canonical(dict(inputs)), dict(definition.input_schema))
        [result] = await validation.check([cell])
        paths = [each.path or "$" for each in result.errors if each.code == "SCHEMA_ERROR"]
        if paths:
            raise invalid(faults_by_path(paths, definition.input_schema))

    return check
