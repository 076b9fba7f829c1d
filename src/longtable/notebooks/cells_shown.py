"""As much of a scratchpad as an answer may show: its cells one after the other, and where to go on."""

from collections.abc import Sequence
from typing import Any

from longtable.kernel.page import encode_cursor
from longtable.notebooks.model import Cell
from longtable.notebooks.results import FullCell, FullScratchpad, ScratchpadRead, full_cell
from longtable.toolkit.answer_size import part_of, size_of

_SMALLEST = 100
"""Characters that a cell has at least, with its id and the names of its fields."""
_LONG_TEXT = 200
_LONG_METADATA = 1_000


def most_cells(most: int | None) -> int | None:
    """More cells need not be read for one answer."""
    return None if most is None else most // _SMALLEST + 2


def read_within(fields: dict[str, Any], cells: Sequence[Cell], offset: int, most: int | None) -> ScratchpadRead:
    """From character `offset` of the first cell on."""
    if most is None and not offset:
        return ScratchpadRead(scratchpad=FullScratchpad.unchecked(**fields, cells=[full_cell(one) for one in cells]))
    is_light = most is not None and size_of(fields["metadata"]) > most // 4
    if is_light:
        fields = {**fields, "metadata": None}
    left = None if most is None else max(most - size_of(fields), most // 2)
    shown, cursor, end = _cells_within(cells, offset, left)
    return ScratchpadRead(
        scratchpad=FullScratchpad.unchecked(**fields, cells=shown),
        next_cursor=None if cursor is None else encode_cursor(cursor),
        next_offset=end,
        truncated=True if is_light or cursor is not None else None,
    )


def _cells_within(
    cells: Sequence[Cell], offset: int, left: int | None
) -> tuple[list[FullCell], int | None, int | None]:
    """The first cells that fit, at least one, which is cut if need be; then the place of the cell to go on with, and
    the character in it."""
    shown: list[FullCell] = []
    for cell in cells:
        view, end = _part_of(cell, 0 if shown else offset, left)
        size = size_of(view.model_dump(mode="json"))
        if shown and left is not None and (end is not None or size > left):
            return shown, cell.position, None
        shown.append(view)
        if end is not None:
            return shown, cell.position, end
        left = None if left is None else max(0, left - size)
    return shown, None, None


def _part_of(cell: Cell, offset: int, most: int | None) -> tuple[FullCell, int | None]:
    view = full_cell(cell)
    part, end = part_of(view.content, offset, most)
    if part == view.content:
        return view, end
    return view.model_copy(update={"content": part, "truncated": True}), end


def lightened(shown: dict[str, Any], most: int | None) -> dict[str, Any]:
    """The result of a write without the texts, which the model has just sent itself."""
    if most is None:
        return shown
    texts = {name: shown[name] for name in ("description", "summary")}
    cut: dict[str, Any] = {name: text[:_LONG_TEXT] for name, text in texts.items() if text and len(text) > _LONG_TEXT}
    if size_of(shown["metadata"]) > _LONG_METADATA:
        cut["metadata"] = {}
    return {**shown, **cut, "truncated": True} if cut else shown
