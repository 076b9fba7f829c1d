"""The workspace over REST, for orchestrators and the console; agents read its parts."""

from typing import Any

from pydantic import Field

from longtable.identity.model import EVERYONE
from longtable.kernel.call import Call
from longtable.toolkit.tool import Arguments, Route, Tool
from longtable.workspace.model import WorkspaceRead
from longtable.workspace.service import Workspace


class GetWorkspace(Arguments):
    limit: int = Field(default=500, ge=1, le=10_000, description="How many notes to show.")


class WorkspaceTools:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def read(self, call: Call, arguments: GetWorkspace) -> WorkspaceRead:
        return await self._workspace.read(call, arguments.limit)


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
        )
    ]
