"""SQL for cells: outlines in one table, texts in another."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from longtable.checkers.languages import TYPES
from longtable.notebooks.model import Cell
from longtable.storage.database import Row, Transaction

_SHOWN = "cells.cell_id, position, language, tags, metadata, validate, version"
_OUTLINE = f"{_SHOWN}, preview"
_FULL = f"{_OUTLINE}, content, json_schema"


@dataclass(frozen=True, slots=True)
class CellFilter:
    """`first` and `limit` cut by position; `cell_ids` None stands for all."""

    cell_ids: tuple[str, ...] | None = None
    first: int = 0
    limit: int | None = None


async def insert(tx: Transaction, pad: int, cells: Sequence[Cell], now: int) -> None:
    if not cells:
        return
    await tx.execute_many(
        """INSERT INTO cells (tenant, cell_id, pad, position, language, tags, metadata, validate, has_schema, version,
               preview, created_at, updated_at)
           VALUES (:tenant, :cell_id, :pad, :position, :language, :tags, :metadata, :validate, :has_schema, :version,
               :preview, :now, :now)""",
        [{"pad": pad, "now": now, "position": cell.position, **_outline(cell)} for cell in cells],
    )
    await tx.execute_many(
        """INSERT INTO cell_texts (tenant, cell_id, content, json_schema)
           VALUES (:tenant, :cell_id, :content, :json_schema)""",
        [_text(cell) for cell in cells],
    )


async def replace(tx: Transaction, cell: Cell, now: int) -> None:
    """Everything but its position."""
    await tx.execute(
        """UPDATE cells SET language = :language, tags = :tags, metadata = :metadata, validate = :validate,
               has_schema = :has_schema, version = :version, preview = :preview, updated_at = :now
           WHERE tenant = :tenant AND cell_id = :cell_id""",
        now=now,
        **_outline(cell),
    )
    await tx.execute(
        """UPDATE cell_texts SET content = :content, json_schema = :json_schema
           WHERE tenant = :tenant AND cell_id = :cell_id""",
        **_text(cell),
    )


async def find(tx: Transaction, pad: int, cell_id: str) -> Cell | None:
    """With its text."""
    row = await tx.first(
        f"""SELECT {_FULL} FROM cells JOIN cell_texts
                ON cell_texts.tenant = cells.tenant AND cell_texts.cell_id = cells.cell_id
            WHERE cells.tenant = :tenant AND cells.cell_id = :cell_id AND pad = :pad""",
        pad=pad,
        cell_id=cell_id,
    )
    return _cell(row) if row else None


async def outlines(tx: Transaction, pad: int, query: CellFilter) -> list[Cell]:
    where, parameters = _where(query)
    rows = await tx.all(
        f"SELECT {_OUTLINE} FROM cells WHERE cells.tenant = :tenant AND pad = :pad {where}", pad=pad, **parameters
    )
    return [_cell(row) for row in rows]


async def shown(tx: Transaction, pad: int, query: CellFilter) -> list[dict[str, Any]]:
    """Outlines as they are sent: every write shows up to all cells of its scratchpad."""
    where, parameters = _where(query)
    rows = await tx.tuples(
        f"SELECT {_SHOWN} FROM cells WHERE cells.tenant = :tenant AND pad = :pad {where}", pad=pad, **parameters
    )
    return [
        {
            "cell_id": cell_id,
            "index": position,
            "language": language,
            "type": TYPES[language],
            "tags": list(_tags(tags)),
            "metadata": _metadata(metadata),
            "validate": bool(validate),
            "version": version,
        }
        for cell_id, position, language, tags, metadata, validate, version in rows
    ]


def shown_as_stored(cell: Cell) -> dict[str, Any]:
    """The same of a cell that is being written."""
    return {
        "cell_id": cell.cell_id,
        "index": cell.position,
        "language": cell.language,
        "type": TYPES[cell.language],
        "tags": list(cell.tags),
        "metadata": dict(cell.metadata),
        "validate": cell.validate,
        "version": cell.version,
    }


async def full(tx: Transaction, pad: int, query: CellFilter) -> list[Cell]:
    where, parameters = _where(query)
    rows = await tx.all(
        f"""SELECT {_FULL} FROM cells JOIN cell_texts
                ON cell_texts.tenant = cells.tenant AND cell_texts.cell_id = cells.cell_id
            WHERE cells.tenant = :tenant AND pad = :pad {where}""",
        pad=pad,
        **parameters,
    )
    return [_cell(row) for row in rows]


async def move(tx: Transaction, pad: int, cell_id: str, old: int, new: int) -> None:
    """The cells between the two positions shift by one, so that there is no gap."""
    low, high, step = (old + 1, new, -1) if new > old else (new, old - 1, 1)
    await shift(tx, pad, low, high, step)
    await tx.execute(
        "UPDATE cells SET position = :new WHERE tenant = :tenant AND cell_id = :cell_id", cell_id=cell_id, new=new
    )


async def shift(tx: Transaction, pad: int, low: int, high: int, step: int) -> None:
    await tx.execute(
        """UPDATE cells SET position = position + :step
           WHERE tenant = :tenant AND pad = :pad AND position BETWEEN :low AND :high""",
        pad=pad,
        low=low,
        high=high,
        step=step,
    )


async def delete(tx: Transaction, cell_id: str) -> None:
    for table in ("cell_texts", "cells"):
        await tx.execute(f"DELETE FROM {table} WHERE tenant = :tenant AND cell_id = :cell_id", cell_id=cell_id)


async def delete_all(tx: Transaction, pad: int) -> None:
    await tx.execute(
        """DELETE FROM cell_texts WHERE tenant = :tenant
             AND cell_id IN (SELECT cell_id FROM cells WHERE tenant = :tenant AND pad = :pad)""",
        pad=pad,
    )
    await tx.execute("DELETE FROM cells WHERE tenant = :tenant AND pad = :pad", pad=pad)


def _where(query: CellFilter) -> tuple[str, dict[str, Any]]:
    parameters: dict[str, Any] = {"first": query.first}
    sql = "AND position >= :first"
    if query.cell_ids is not None:
        parameters |= {f"cell_{position}": cell_id for position, cell_id in enumerate(query.cell_ids)}
        names = ", ".join(f":cell_{position}" for position, _ in enumerate(query.cell_ids))
        sql += f" AND cells.cell_id IN ({names})"
    sql += " ORDER BY position"
    if query.limit is not None:
        parameters["limit"] = query.limit
        sql += " LIMIT :limit"
    return sql, parameters


def _outline(cell: Cell) -> dict[str, Any]:
    return {
        "cell_id": cell.cell_id,
        "language": cell.language,
        "tags": json.dumps(cell.tags, ensure_ascii=False),
        "metadata": json.dumps(cell.metadata, ensure_ascii=False),
        "validate": int(cell.validate),
        "has_schema": int(cell.json_schema is not None),
        "version": cell.version,
        "preview": cell.preview,
    }


def _text(cell: Cell) -> dict[str, Any]:
    schema = None if cell.json_schema is None else json.dumps(cell.json_schema, ensure_ascii=False)
    return {"cell_id": cell.cell_id, "content": cell.content or "", "json_schema": schema}


def _cell(row: Row) -> Cell:
    schema = row.get("json_schema")
    return Cell(
        cell_id=row["cell_id"],
        position=row["position"],
        language=row["language"],
        tags=_tags(row["tags"]),
        metadata=_metadata(row["metadata"]),
        validate=bool(row["validate"]),
        version=row["version"],
        preview=row["preview"],
        content=row.get("content"),
        json_schema=None if schema is None else json.loads(schema),
    )


def _metadata(text: str) -> dict[str, Any]:
    return json.loads(text) if text != "{}" else {}


@lru_cache(maxsize=4096)
def _tags(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))
