"""The cell tools: their arguments, their words for the model, their routes."""

from functools import partial
from typing import Any

from pydantic import Field

from longtable.identity.model import WORKERS
from longtable.kernel.call import Call
from longtable.notebooks.answers import ScratchpadChanged
from longtable.notebooks.arguments import CellId, CellInput, ScratchId, Version
from longtable.notebooks.cells import Cells, Replacement
from longtable.toolkit.tool import Route, Scope, Tool, WriteArguments

_CELLS = "/scratchpads/{scratch_id}/cells"
_ONE = f"{_CELLS}/{{cell_id}}"


class AppendCell(WriteArguments):
    scratch_id: ScratchId
    cell: CellInput


class ReplaceCell(WriteArguments):
    scratch_id: ScratchId
    cell_id: CellId
    cell: CellInput
    new_index: int | None = Field(default=None, description="Move it to this place as well, from 0.")
    expected_version: Version | None = Field(default=None, description="Refuse if the cell is not at this version.")


class MoveCell(WriteArguments):
    scratch_id: ScratchId
    cell_id: CellId
    new_index: int = Field(description="Its new place, from 0.")


class DeleteCell(WriteArguments):
    scratch_id: ScratchId
    cell_id: CellId


class CellTools:
    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    async def append(self, call: Call, arguments: AppendCell) -> ScratchpadChanged:
        return await self._cells.append(call, arguments.scratch_id, arguments.cell.as_cell())

    async def replace(self, call: Call, arguments: ReplaceCell) -> ScratchpadChanged:
        wanted = Replacement(
            arguments.cell_id, arguments.cell.as_cell(), arguments.new_index, arguments.expected_version
        )
        return await self._cells.replace(call, arguments.scratch_id, wanted)

    async def move(self, call: Call, arguments: MoveCell) -> ScratchpadChanged:
        return await self._cells.move(call, arguments.scratch_id, arguments.cell_id, arguments.new_index)

    async def delete(self, call: Call, arguments: DeleteCell) -> ScratchpadChanged:
        return await self._cells.delete(call, arguments.scratch_id, arguments.cell_id)


def cell_tools(tools: CellTools) -> list[Tool[Any]]:
    tool: Any = partial(
        Tool, group="notebooks", scope=Scope.TENANT, roles=WORKERS, writes=True, result=ScratchpadChanged
    )
    return [*_writing(tool, tools), *_arranging(tool, tools)]


def _writing(tool: Any, tools: CellTools) -> list[Tool[Any]]:
    return [
        tool(
            name="scratch_append_cell",
            title="Append a cell",
            description="Add a cell at the end of a scratchpad; the answer shows its place and not its content.",
            arguments=AppendCell,
            run=tools.append,
            audited_as="cell_appended",
            routes=(Route("POST", _CELLS, 201),),
        ),
        tool(
            name="scratch_replace_cell",
            title="Replace a cell",
            description="Write a cell anew, and move it if you name another place; the answer has no content.",
            arguments=ReplaceCell,
            run=tools.replace,
            audited_as="cell_replaced",
            destructive=True,
            routes=(Route("PUT", _ONE),),
        ),
    ]


def _arranging(tool: Any, tools: CellTools) -> list[Tool[Any]]:
    return [
        tool(
            name="scratch_move_cell",
            title="Move a cell",
            description="Move a cell to another place in its scratchpad; the others make room.",
            arguments=MoveCell,
            run=tools.move,
            audited_as="cell_moved",
            repeatable=True,
            routes=(Route("POST", f"{_ONE}/move"),),
        ),
        tool(
            name="scratch_delete_cell",
            title="Delete a cell",
            description="Take a cell out of its scratchpad; those behind it move up.",
            arguments=DeleteCell,
            run=tools.delete,
            frees=True,
            audited_as="cell_deleted",
            destructive=True,
            routes=(Route("DELETE", _ONE),),
        ),
    ]
