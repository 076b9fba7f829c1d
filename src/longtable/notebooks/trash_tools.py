"""The trash over REST and in the terminal: people bring things back, not agents."""

from functools import partial
from typing import Any

from pydantic import Field

from longtable.identity.model import OVERSEERS
from longtable.kernel.call import Call
from longtable.kernel.content import Text
from longtable.notebooks.answers import ScratchpadRestored, TrashList
from longtable.notebooks.trash import Trash
from longtable.toolkit.tool import Arguments, Route, Scope, Tool, WriteArguments


class ListTrash(Arguments):
    limit: int = Field(default=100, ge=1, le=1000)
    cursor: str | None = None


class Restore(WriteArguments):
    trash_id: Text = Field(description="Id of the entry, or of a scratchpad for its newest entry.")


class TrashTools:
    def __init__(self, trash: Trash) -> None:
        self._trash = trash

    async def list(self, call: Call, arguments: ListTrash) -> TrashList:
        return await self._trash.list(call, arguments.limit, arguments.cursor)

    async def restore(self, call: Call, arguments: Restore) -> ScratchpadRestored:
        return await self._trash.restore(call, arguments.trash_id)


def trash_tools(tools: TrashTools) -> list[Tool[Any]]:
    tool: Any = partial(Tool, group="notebooks", scope=Scope.TENANT, over_mcp=False, roles=OVERSEERS)
    return [
        tool(
            name="list_trash",
            title="List the trash",
            description="List scratchpads that were deleted, reset or evicted and can be restored, newest first.",
            arguments=ListTrash,
            result=TrashList,
            run=tools.list,
            audited_as="trash_listed",
            routes=(Route("GET", "/trash"),),
        ),
        tool(
            name="restore_scratchpad",
            title="Restore a scratchpad",
            description="Bring a scratchpad back; one that lives under its id now goes to the trash in its place.",
            arguments=Restore,
            result=ScratchpadRestored,
            run=tools.restore,
            audited_as="scratchpad_restored",
            writes=True,
            routes=(Route("POST", "/trash/{trash_id}/restore"),),
        ),
    ]
