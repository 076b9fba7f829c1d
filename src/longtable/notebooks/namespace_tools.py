"""The namespace tools: their arguments, their words for the model, their routes."""

from functools import partial
from typing import Any

from pydantic import Field

from longtable.identity.model import EVERYONE, WORKERS
from longtable.kernel.call import Call
from longtable.notebooks.answers import NamespaceCreated, NamespaceDeleted, NamespaceList, NamespaceRenamed
from longtable.notebooks.arguments import Namespace
from longtable.notebooks.namespaces import Namespaces
from longtable.toolkit.tool import Arguments, Route, Scope, Tool, WriteArguments


class ListNamespaces(Arguments):
    pass


class CreateNamespace(WriteArguments):
    namespace: Namespace = Field(description="1 to 128 characters; case counts.")


class RenameNamespace(WriteArguments):
    old_namespace: Namespace
    new_namespace: Namespace
    migrate_scratchpads: bool = Field(default=True, description="Take its scratchpads along; else it must have none.")


class DeleteNamespace(WriteArguments):
    namespace: Namespace
    delete_scratchpads: bool = Field(default=False, description="Delete its scratchpads too; else it must have none.")


class NamespaceTools:
    def __init__(self, namespaces: Namespaces) -> None:
        self._namespaces = namespaces

    async def list(self, call: Call, arguments: ListNamespaces) -> NamespaceList:
        return await self._namespaces.list(call)

    async def create(self, call: Call, arguments: CreateNamespace) -> NamespaceCreated:
        return await self._namespaces.create(call, arguments.namespace)

    async def rename(self, call: Call, arguments: RenameNamespace) -> NamespaceRenamed:
        return await self._namespaces.rename(
            call, arguments.old_namespace, arguments.new_namespace, arguments.migrate_scratchpads
        )

    async def delete(self, call: Call, arguments: DeleteNamespace) -> NamespaceDeleted:
        return await self._namespaces.delete(call, arguments.namespace, arguments.delete_scratchpads)


def namespace_tools(tools: NamespaceTools) -> list[Tool[Any]]:
    tool: Any = partial(Tool, group="notebooks", scope=Scope.TENANT)
    return [*_keeping(tool, tools), *_changing(tool, tools)]


def _keeping(tool: Any, tools: NamespaceTools) -> list[Tool[Any]]:
    return [
        tool(
            name="scratch_namespace_list",
            title="List namespaces",
            description="List the namespaces and how many scratchpads each has; look here before you make a new one.",
            arguments=ListNamespaces,
            result=NamespaceList,
            run=tools.list,
            roles=EVERYONE,
            audited_as="namespaces_listed",
            routes=(Route("GET", "/namespaces"),),
        ),
        tool(
            name="scratch_namespace_create",
            title="Create a namespace",
            description="Create a namespace for scratchpads; nothing happens if it is there already.",
            arguments=CreateNamespace,
            result=NamespaceCreated,
            run=tools.create,
            roles=WORKERS,
            audited_as="namespace_created",
            writes=True,
            repeatable=True,
            routes=(Route("POST", "/namespaces", 201),),
        ),
    ]


def _changing(tool: Any, tools: NamespaceTools) -> list[Tool[Any]]:
    return [
        tool(
            name="scratch_namespace_rename",
            title="Rename a namespace",
            description="Give a namespace a new name, and take its scratchpads along.",
            arguments=RenameNamespace,
            result=NamespaceRenamed,
            run=tools.rename,
            roles=WORKERS,
            audited_as="namespace_renamed",
            writes=True,
            routes=(Route("POST", "/namespaces/{old_namespace}/rename"),),
        ),
        tool(
            name="scratch_namespace_delete",
            title="Delete a namespace",
            description="Delete a namespace, with its scratchpads only if you say so.",
            arguments=DeleteNamespace,
            result=NamespaceDeleted,
            run=tools.delete,
            roles=WORKERS,
            audited_as="namespace_deleted",
            frees=True,
            writes=True,
            destructive=True,
            repeatable=True,
            routes=(Route("DELETE", "/namespaces/{namespace}"),),
        ),
    ]
