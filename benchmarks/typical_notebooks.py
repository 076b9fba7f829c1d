"""Scratchpads as they may look after a day of work, and what is called there: every notebook tool."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.measure import Effort
from benchmarks.preload import CONTENT, RARE_WORD, call_in
from benchmarks.serve_longtable import settings_for
from benchmarks.typical import TypicalCall, in_session, together
from longtable.app import App, open_app
from longtable.server.serve import DEFAULT_PROJECT

PADS = 200
SHORT = 64
"""Scratchpads that are appended to in turn, so that each stays short."""

READ, LONG = "read", "long"
READ_CELLS, LONG_CELLS = 50, 1_000
SCHEMAS = 10
NAMESPACES = ("plans", "findings", "drafts", "data")


@dataclass(slots=True)
class SeededNotebooks:
    """What was stored beforehand, as far as a call has to name it."""

    cells: list[str] = field(default_factory=list)
    """Of the scratchpad that is read."""

    replaced: list[str] = field(default_factory=list)
    """The first of each short one."""

    deleted: list[str] = field(default_factory=list)


async def seed_notebooks(data_dir: Path, effort: Effort, supply: int) -> SeededNotebooks:
    """`supply` is how often a tool will be called that uses something up."""
    seeded = SeededNotebooks()
    async with open_app(settings_for(data_dir, effort.embeds), DEFAULT_PROJECT) as app:
        seeded.cells = await _create(app, READ, READ_CELLS)
        await _create(app, LONG, LONG_CELLS)
        seeded.deleted = await _create(app, "thin", supply)
        for number in range(SHORT):
            seeded.replaced += await _create(app, _short(number), 1)
        await together(effort.part_of(PADS - SHORT), lambda number: _create(app, f"pad{number}", 3))
        await together(supply, lambda number: _use_up(app, number))
    return seeded


async def _create(app: App, scratch_id: str, cells: int) -> list[str]:
    schemas = {f"schema{number}": {"type": "object"} for number in range(SCHEMAS)}
    metadata = {
        "title": f"What was found about {scratch_id}",
        "description": "Measured by night, written down by day.",
        "namespace": NAMESPACES[len(scratch_id) % len(NAMESPACES)],
        "tags": ["importer", "speed"],
        **({"schemas": schemas} if scratch_id == READ else {}),
    }
    arguments = {"scratch_id": scratch_id, "metadata": metadata, "cells": [_cell(number) for number in range(cells)]}
    created = await call_in(app, None, "scratch_create", {**arguments, "max_chars": 0})
    return [cell["cell_id"] for cell in created["scratchpad"]["cells"]]


async def _use_up(app: App, number: int) -> None:
    await _create(app, f"gone{number}", 1)
    schema = {"name": "gone", "description": "Soon gone.", "schema": {"type": "object"}}
    await call_in(app, None, "scratch_upsert_schema", {"scratch_id": f"gone{number}", "schema": schema})
    for name in ("renamed", "removed"):
        await call_in(app, None, "scratch_namespace_create", {"namespace": f"{name}{number}"})


def notebook_cases(seeded: SeededNotebooks, supply: int) -> list[TypicalCall]:
    return [*_reading(), *_appending(), *_changing(seeded), *_using_up(seeded, supply)]


def _reading() -> Iterable[TypicalCall]:
    calls: dict[str, dict[str, object]] = {
        "scratch_read": {"scratch_id": READ},
        "scratch_list": {"limit": 100},
        "scratch_list_cells": {"scratch_id": READ},
        "scratch_list_tags": {},
        "scratch_validate": {"scratch_id": READ, "indices": [0]},
        "scratch_list_schemas": {"scratch_id": READ},
        "scratch_get_schema": {"scratch_id": READ, "schema_id": "schema1"},
        "scratch_namespace_list": {},
        "scratch_search": {"query": RARE_WORD, "mode": "keyword"},
    }
    yield from (TypicalCall(tool, in_session(None, [arguments])) for tool, arguments in calls.items())


def _appending() -> Iterable[TypicalCall]:
    """What it costs to append must not depend on what is there."""
    tool = "scratch_append_cell"
    short = [{"scratch_id": _short(number), "cell": _cell(number)} for number in range(SHORT)]
    long = [{"scratch_id": LONG, "cell": _cell(number)} for number in range(SHORT)]
    yield TypicalCall(tool, in_session(None, short), writes=True, name=f"{tool}, few cells")
    yield TypicalCall(tool, in_session(None, long), writes=True, name=f"{tool}, {LONG_CELLS:,} cells")


def _changing(seeded: SeededNotebooks) -> Iterable[TypicalCall]:
    """What can be done again and again."""
    numbers = range(SHORT)
    yield TypicalCall("scratch_create", [(None, {"cells": [_cell(1)], "metadata": {"title": "New"}})], writes=True)
    updates = [{"scratch_id": _short(number), "metadata": {"summary": f"Build {number}"}} for number in numbers]
    yield TypicalCall("scratch_update", in_session(None, updates), writes=True)
    replaced = [
        {"scratch_id": _short(number), "cell_id": cell_id, "cell": _cell(number + 1)}
        for number, cell_id in enumerate(seeded.replaced)
    ]
    yield TypicalCall("scratch_replace_cell", in_session(None, replaced), writes=True)
    places = [READ_CELLS // 2, 0]
    moves = [{"scratch_id": READ, "cell_id": seeded.cells[0], "new_index": place} for place in places]
    yield TypicalCall("scratch_move_cell", in_session(None, moves), writes=True)
    schema = {"name": "shared", "description": "Of a build.", "schema": {"type": "object"}}
    upserts = [{"scratch_id": _short(number), "schema": schema} for number in numbers]
    yield TypicalCall("scratch_upsert_schema", in_session(None, upserts), writes=True)


def _using_up(seeded: SeededNotebooks, supply: int) -> Iterable[TypicalCall]:
    numbers = range(supply)
    calls: dict[str, list[dict[str, object]]] = {
        "scratch_delete_schema": [{"scratch_id": f"gone{number}", "schema_id": "gone"} for number in numbers],
        "scratch_delete": [{"scratch_id": f"gone{number}"} for number in numbers],
        "scratch_delete_cell": [{"scratch_id": "thin", "cell_id": cell_id} for cell_id in seeded.deleted],
        "scratch_namespace_create": [{"namespace": f"new{number}"} for number in numbers],
        "scratch_namespace_rename": [
            {"old_namespace": f"renamed{number}", "new_namespace": f"called{number}"} for number in numbers
        ],
        "scratch_namespace_delete": [{"namespace": f"removed{number}"} for number in numbers],
    }
    for tool, arguments in calls.items():
        yield TypicalCall(tool, in_session(None, arguments), writes=True, once=True)


def _short(number: int) -> str:
    return f"short{number}"


def _cell(number: int) -> dict[str, object]:
    text = CONTENT.format(number=number)
    content = f"{text} {RARE_WORD}" if number % 60 == 1 else text
    return {"language": "md", "content": content, "tags": ["importer"], "metadata": {"build": number}}
