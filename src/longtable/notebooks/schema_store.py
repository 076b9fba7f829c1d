"""SQL for the schemas that the cells of a scratchpad share."""

import json
from typing import Any

from longtable.notebooks.model import Schema
from longtable.storage.database import Row, Transaction

_COLUMNS = "schema_id, name, description, document, created_at"


async def all_of(tx: Transaction, pad: int) -> list[Schema]:
    """By creation, then id."""
    rows = await tx.all(
        f"""SELECT {_COLUMNS} FROM scratchpad_schemas WHERE tenant = :tenant AND pad = :pad
            ORDER BY created_at, schema_id""",
        pad=pad,
    )
    return [_schema(row) for row in rows]


async def find(tx: Transaction, pad: int, key: str) -> Schema | None:
    """By its id, else by its name."""
    row = await tx.first(
        f"""SELECT {_COLUMNS} FROM scratchpad_schemas
            WHERE tenant = :tenant AND pad = :pad AND (schema_id = :key OR name = :key)
            ORDER BY CASE WHEN schema_id = :key THEN 0 ELSE 1 END LIMIT 1""",
        pad=pad,
        key=key,
    )
    return _schema(row) if row else None


async def is_known_to_another(tx: Transaction, pad: int, key: str, schema_id: str) -> bool:
    """Whether a key is the id or the name of another schema than this one."""
    row = await tx.first(
        """SELECT 1 AS found FROM scratchpad_schemas
           WHERE tenant = :tenant AND pad = :pad AND schema_id <> :schema_id AND (schema_id = :key OR name = :key)
           LIMIT 1""",
        pad=pad,
        key=key,
        schema_id=schema_id,
    )
    return row is not None


async def insert(tx: Transaction, pad: int, schema: Schema) -> None:
    await tx.execute(
        """INSERT INTO scratchpad_schemas (tenant, pad, schema_id, name, description, document, created_at, updated_at)
           VALUES (:tenant, :pad, :schema_id, :name, :description, :document, :now, :now)""",
        pad=pad,
        now=schema.created_at,
        **_fields(schema),
    )


async def update(tx: Transaction, pad: int, schema: Schema, now: int) -> None:
    await tx.execute(
        """UPDATE scratchpad_schemas SET name = :name, description = :description, document = :document,
               updated_at = :now
           WHERE tenant = :tenant AND pad = :pad AND schema_id = :schema_id""",
        pad=pad,
        now=now,
        **_fields(schema),
    )


async def delete(tx: Transaction, pad: int, schema_id: str) -> None:
    await tx.execute(
        "DELETE FROM scratchpad_schemas WHERE tenant = :tenant AND pad = :pad AND schema_id = :schema_id",
        pad=pad,
        schema_id=schema_id,
    )


async def delete_all(tx: Transaction, pad: int) -> None:
    await tx.execute("DELETE FROM scratchpad_schemas WHERE tenant = :tenant AND pad = :pad", pad=pad)


def _fields(schema: Schema) -> dict[str, Any]:
    return {
        "schema_id": schema.schema_id,
        "name": schema.name,
        "description": schema.description,
        "document": json.dumps(schema.document, ensure_ascii=False),
    }


def _schema(row: Row) -> Schema:
    return Schema(
        schema_id=row["schema_id"],
        name=row["name"],
        description=row["description"],
        document=json.loads(row["document"]),
        created_at=row["created_at"],
    )
