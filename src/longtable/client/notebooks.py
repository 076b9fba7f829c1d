"""The scratchpads of the tenant, which agents of all its sessions share."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from longtable.client.tool_methods import ToolMethods
from longtable.notebooks.answers import (
    CellList,
    NamespaceCreated,
    NamespaceDeleted,
    NamespaceList,
    NamespaceRenamed,
    SchemaDeleted,
    SchemaList,
    SchemaRead,
    SchemaUpserted,
    ScratchpadChanged,
    ScratchpadCreated,
    ScratchpadDeleted,
    ScratchpadList,
    ScratchpadRead,
    TagList,
    Validated,
)

Cell = Mapping[str, Any]
"""`language` and `content`; if you like `validate`, `json_schema`, `filename`, `tags` and `metadata`."""


class NotebookMethods(ToolMethods):
    async def scratch_create(
        self,
        scratch_id: str | None = None,
        *,
        metadata: Mapping[str, Any] | None = None,
        cells: Sequence[Cell] | None = None,
        on_exists: Literal["reset", "fail"] = "reset",
        idempotency_key: str | None = None,
    ) -> ScratchpadCreated:
        return await self._write(
            "scratch_create",
            ScratchpadCreated,
            idempotency_key,
            scratch_id=scratch_id,
            metadata=metadata,
            cells=_list(cells),
            on_exists=on_exists,
        )

    async def scratch_update(
        self,
        scratch_id: str,
        metadata: Mapping[str, Any],
        *,
        expected_version: int | None = None,
        idempotency_key: str | None = None,
    ) -> ScratchpadChanged:
        return await self._write(
            "scratch_update",
            ScratchpadChanged,
            idempotency_key,
            scratch_id=scratch_id,
            metadata=metadata,
            expected_version=expected_version,
        )

    async def scratch_delete(self, scratch_id: str, *, idempotency_key: str | None = None) -> ScratchpadDeleted:
        return await self._write("scratch_delete", ScratchpadDeleted, idempotency_key, scratch_id=scratch_id)

    async def scratch_read(
        self,
        scratch_id: str,
        *,
        cell_ids: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        include_metadata: bool = True,
        namespaces: Sequence[str] | None = None,
    ) -> ScratchpadRead:
        return await self._read(
            "scratch_read",
            ScratchpadRead,
            scratch_id=scratch_id,
            cell_ids=_list(cell_ids),
            tags=_list(tags),
            include_metadata=include_metadata,
            namespaces=_list(namespaces),
        )

    async def scratch_list(
        self,
        *,
        namespaces: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> ScratchpadList:
        return await self._read(
            "scratch_list",
            ScratchpadList,
            namespaces=_list(namespaces),
            tags=_list(tags),
            limit=limit,
            cursor=cursor,
        )

    async def scratch_list_cells(
        self,
        scratch_id: str,
        *,
        cell_ids: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        namespaces: Sequence[str] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> CellList:
        return await self._read(
            "scratch_list_cells",
            CellList,
            scratch_id=scratch_id,
            cell_ids=_list(cell_ids),
            tags=_list(tags),
            namespaces=_list(namespaces),
            limit=limit,
            cursor=cursor,
        )

    async def scratch_validate(
        self, scratch_id: str, *, cell_ids: Sequence[str] | None = None, indices: Sequence[int] | None = None
    ) -> Validated:
        return await self._read(
            "scratch_validate",
            Validated,
            scratch_id=scratch_id,
            cell_ids=_list(cell_ids),
            indices=_list(indices),
        )

    async def scratch_list_tags(self, *, namespaces: Sequence[str] | None = None) -> TagList:
        return await self._read("scratch_list_tags", TagList, namespaces=_list(namespaces))

    async def scratch_append_cell(
        self, scratch_id: str, cell: Cell, *, idempotency_key: str | None = None
    ) -> ScratchpadChanged:
        return await self._write(
            "scratch_append_cell", ScratchpadChanged, idempotency_key, scratch_id=scratch_id, cell=dict(cell)
        )

    async def scratch_replace_cell(
        self,
        scratch_id: str,
        cell_id: str,
        cell: Cell,
        *,
        new_index: int | None = None,
        expected_version: int | None = None,
        idempotency_key: str | None = None,
    ) -> ScratchpadChanged:
        return await self._write(
            "scratch_replace_cell",
            ScratchpadChanged,
            idempotency_key,
            scratch_id=scratch_id,
            cell_id=cell_id,
            cell=dict(cell),
            new_index=new_index,
            expected_version=expected_version,
        )

    async def scratch_move_cell(
        self, scratch_id: str, cell_id: str, new_index: int, *, idempotency_key: str | None = None
    ) -> ScratchpadChanged:
        where = {"scratch_id": scratch_id, "cell_id": cell_id, "new_index": new_index}
        return await self._write("scratch_move_cell", ScratchpadChanged, idempotency_key, **where)

    async def scratch_delete_cell(
        self, scratch_id: str, cell_id: str, *, idempotency_key: str | None = None
    ) -> ScratchpadChanged:
        where = {"scratch_id": scratch_id, "cell_id": cell_id}
        return await self._write("scratch_delete_cell", ScratchpadChanged, idempotency_key, **where)

    async def scratch_list_schemas(self, scratch_id: str) -> SchemaList:
        return await self._read("scratch_list_schemas", SchemaList, scratch_id=scratch_id)

    async def scratch_get_schema(self, scratch_id: str, schema_id: str) -> SchemaRead:
        return await self._read("scratch_get_schema", SchemaRead, scratch_id=scratch_id, schema_id=schema_id)

    async def scratch_upsert_schema(
        self, scratch_id: str, schema: Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> SchemaUpserted:
        """`schema` has `description`, `schema`, and a `name` or an `id`."""
        return await self._write(
            "scratch_upsert_schema", SchemaUpserted, idempotency_key, scratch_id=scratch_id, schema=dict(schema)
        )

    async def scratch_delete_schema(
        self, scratch_id: str, schema_id: str, *, idempotency_key: str | None = None
    ) -> SchemaDeleted:
        return await self._write(
            "scratch_delete_schema", SchemaDeleted, idempotency_key, scratch_id=scratch_id, schema_id=schema_id
        )

    async def scratch_namespace_list(self) -> NamespaceList:
        return await self._read("scratch_namespace_list", NamespaceList)

    async def scratch_namespace_create(self, namespace: str, *, idempotency_key: str | None = None) -> NamespaceCreated:
        return await self._write("scratch_namespace_create", NamespaceCreated, idempotency_key, namespace=namespace)

    async def scratch_namespace_rename(
        self,
        old_namespace: str,
        new_namespace: str,
        *,
        migrate_scratchpads: bool = True,
        idempotency_key: str | None = None,
    ) -> NamespaceRenamed:
        return await self._write(
            "scratch_namespace_rename",
            NamespaceRenamed,
            idempotency_key,
            old_namespace=old_namespace,
            new_namespace=new_namespace,
            migrate_scratchpads=migrate_scratchpads,
        )

    async def scratch_namespace_delete(
        self, namespace: str, *, delete_scratchpads: bool = False, idempotency_key: str | None = None
    ) -> NamespaceDeleted:
        return await self._write(
            "scratch_namespace_delete",
            NamespaceDeleted,
            idempotency_key,
            namespace=namespace,
            delete_scratchpads=delete_scratchpads,
        )


def _list(values: Sequence[Any] | None) -> list[Any] | None:
    return None if values is None else [dict(value) if isinstance(value, Mapping) else value for value in values]
