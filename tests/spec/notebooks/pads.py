"""What the tests of notebooks say again and again: cells, scratchpads, and all rows that the store has of them."""

import json
from typing import Any

from longtable.storage.database import SYSTEM, Transaction
from tests.table import Agent, Table

PAD_KEYS = {
    "scratch_id",
    "title",
    "description",
    "summary",
    "namespace",
    "tags",
    "cell_tags",
    "cells",
    "cell_count",
    "metadata",
    "version",
    "created_at",
    "updated_at",
}
OUTLINE_KEYS = {"cell_id", "index", "language", "type", "tags", "metadata", "validate", "version"}
CANONICAL = ("title", "description", "summary", "namespace", "tags", "cell_tags")

_TABLES = {
    "scratchpads": "tenant, pad",
    "cells": "tenant, cell_id",
    "cell_texts": "tenant, cell_id",
    "scratchpad_tags": "tenant, pad, tagged, tag",
    "scratchpad_schemas": "tenant, pad, schema_id",
    "namespaces": "tenant, namespace",
    "search_scopes": "tenant",
    "documents": "tenant, kind, session_id, ref",
    "counters": "tenant, scope, name",
    "events": "tenant, seq",
}


def cell(content: str = "hello", language: str = "txt", **more: Any) -> dict[str, Any]:
    return {"language": language, "content": content, **more}


async def creates(agent: Agent, scratch_id: str, *contents: str, **metadata: Any) -> dict[str, Any]:
    """A scratchpad of text cells; the answer's outline of it."""
    created = await agent.calls(
        "scratch_create", scratch_id=scratch_id, metadata=metadata, cells=[cell(content) for content in contents]
    )
    pad: dict[str, Any] = created["scratchpad"]
    return pad


async def appends(agent: Agent, scratch_id: str, content: str = "hello", **more: Any) -> dict[str, Any]:
    """The outline of the new cell."""
    pad = (await agent.calls("scratch_append_cell", scratch_id=scratch_id, cell=cell(content, **more)))["scratchpad"]
    appended: dict[str, Any] = pad["cells"][-1]
    return appended


async def reads(agent: Agent, scratch_id: str, **arguments: Any) -> dict[str, Any]:
    parameters = {"max_chars": 0, **arguments}
    pad: dict[str, Any] = (await agent.calls("scratch_read", scratch_id=scratch_id, **parameters))["scratchpad"]
    return pad


async def contents(agent: Agent, scratch_id: str, **arguments: Any) -> list[str]:
    """In order; their indices have no gap when nothing was filtered."""
    cells = (await reads(agent, scratch_id, **arguments))["cells"]
    if not arguments:
        assert [cell["index"] for cell in cells] == list(range(len(cells)))
    return [cell["content"] for cell in cells]


async def listed(agent: Agent, **arguments: Any) -> list[str]:
    return [pad["scratch_id"] for pad in (await agent.calls("scratch_list", limit=1000, **arguments))["scratchpads"]]


async def trash(agent: Agent) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = (await agent.client.get("/trash")).json()["trash"]
    return entries


async def restores(agent: Agent, key: str) -> dict[str, Any]:
    answer = await agent.client.post(f"/trash/{key}/restore", json={})
    body: dict[str, Any] = answer.json()
    assert (answer.status_code, body["ok"]) == (200, True), body
    return body


async def rows(table: Table, *tables: str) -> dict[str, list[str]]:
    """Everything that the store has of scratchpads, of all tenants, as text."""

    async def body(tx: Transaction) -> dict[str, list[str]]:
        return {name: await _rows_of(tx, name) for name in tables or _TABLES}

    return await table.app.database.read(SYSTEM, body)


async def _rows_of(tx: Transaction, name: str) -> list[str]:
    # The words of a document are in no column that all stores have.
    columns = "tenant, kind, session_id, ref" if name == "documents" else "*"
    found = await tx.all(f"SELECT {columns} FROM {name} ORDER BY {_TABLES[name]}")
    return [json.dumps(row, sort_keys=True, default=str) for row in found]
