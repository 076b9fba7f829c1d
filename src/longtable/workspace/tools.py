"""The workspace and the tables over REST, for orchestrators and the console; agents read the parts."""

from typing import Any, Literal

from pydantic import Field

from longtable.identity.model import EVERYONE, OVERSEERS
from longtable.kernel.call import Call
from longtable.toolkit.tool import Arguments, Route, Scope, Tool
from longtable.workspace.model import TableList, TableShown, WorkspaceRead
from longtable.workspace.service import TableOverview, TableQuery


class GetWorkspace(Arguments):
    limit: int = Field(default=500, ge=1, le=10_000, description="How many notes to show.")


class ListTables(Arguments):
    status: Literal["active", "closed", "expired"] | None = None
    limit: int = Field(default=50, ge=1, le=200)
    cursor: str | None = Field(default=None, description="next_cursor of the page before.")


class GetTable(Arguments):
    pass


class WorkspaceTools:
    def __init__(self, workspace: TableOverview) -> None:
        self._workspace = workspace

    async def read(self, call: Call, arguments: GetWorkspace) -> WorkspaceRead:
        return await self._workspace.read(call, arguments.limit)

    async def tables(self, call: Call, arguments: ListTables) -> TableList:
        return await self._workspace.tables(call, TableQuery(arguments.status, arguments.limit, arguments.cursor))

    async def table(self, call: Call, arguments: GetTable) -> TableShown:
        return await self._workspace.table(call)


def workspace_tools(tools: WorkspaceTools) -> list[Tool[Any]]:
    return [
        Tool(
            name="get_workspace",
            title="Look at the whole workspace",
            description="Show a session's notes, draft, plan and questions in one answer.",
            arguments=GetWorkspace,
            result=WorkspaceRead,
            run=tools.read,
            group="workspace",
            roles=EVERYONE,
            audited_as="workspace_read",
            over_mcp=False,
            routes=(Route("GET", "/sessions/{session_id}/workspace"),),
        ),
        *_from_afar(tools),
    ]


def _from_afar(tools: WorkspaceTools) -> list[Tool[Any]]:
    return [
        Tool(
            name="list_tables",
            title="See all tables",
            description="List sessions with who is in them and how far they have got, the most recently active first.",
            arguments=ListTables,
            result=TableList,
            run=tools.tables,
            group="workspace",
            roles=OVERSEERS,
            audited_as="tables_listed",
            scope=Scope.TENANT,
            over_mcp=False,
            routes=(Route("GET", "/overview"),),
        ),
        Tool(
            name="get_table",
            title="See one table",
            description="Show a session with who is in it and how far it has got, and where its stream begins.",
            arguments=GetTable,
            result=TableShown,
            run=tools.table,
            group="workspace",
            roles=OVERSEERS,
            audited_as="table_read",
            over_mcp=False,
            routes=(Route("GET", "/sessions/{session_id}/overview"),),
        ),
    ]
