"""Redaction over REST: the owner's, and no tool of an agent's."""

from functools import partial
from typing import Annotated, Any

from pydantic import Field

from longtable.kernel.call import Call
from longtable.kernel.caller import Role
from longtable.kernel.content import Text
from longtable.redaction.model import Redacted, RedactedThing, SessionKind
from longtable.redaction.service import Redaction
from longtable.toolkit.tool import Route, Scope, Tool, WriteArguments


class Redact(WriteArguments):
    kind: SessionKind
    id: str = Field(description="Such as n3, 17, or the id of a section.")
    version: Annotated[int, Field(ge=1, le=2**62)] | None = Field(
        default=None, description="Which version of a section."
    )


class RedactCell(WriteArguments):
    scratch_id: Text = Field(description="Id of the scratchpad, in use or in the trash.")
    cell_id: Text = Field(description="Id of the cell.")


class RedactionTools:
    def __init__(self, redaction: Redaction) -> None:
        self._redaction = redaction

    async def redact(self, call: Call, arguments: Redact) -> Redacted:
        return await self._redaction.redact(
            call, RedactedThing(kind=arguments.kind, id=arguments.id, version=arguments.version)
        )

    async def redact_cell(self, call: Call, arguments: RedactCell) -> Redacted:
        return await self._redaction.redact_cell(call, arguments.scratch_id, arguments.cell_id)


def redaction_tools(tools: RedactionTools) -> list[Tool[Any]]:
    tool: Any = partial(
        Tool,
        result=Redacted,
        roles=frozenset({Role.OWNER}),
        audited_as="content_redacted",
        writes=True,
        destructive=True,
        repeatable=True,
        over_mcp=False,
    )
    return [
        tool(
            name="redact",
            title="Redact a secret",
            description="Replace a note, a message or a version of a section by a tombstone, everywhere.",
            arguments=Redact,
            run=tools.redact,
            frees=True,
            group="workspace",
            reaches_archive=True,
            routes=(Route("POST", "/sessions/{session_id}/redact"),),
        ),
        tool(
            name="redact_cell",
            title="Redact a cell",
            description="Replace a cell by a tombstone, with its tags, metadata and schema, everywhere.",
            arguments=RedactCell,
            run=tools.redact_cell,
            frees=True,
            group="notebooks",
            scope=Scope.TENANT,
            routes=(Route("POST", "/scratchpads/{scratch_id}/cells/{cell_id}/redact"),),
        ),
    ]
