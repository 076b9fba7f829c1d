"""Redaction over REST: the owner's, and no tool of an agent's."""

from typing import Annotated, Any

from pydantic import Field

from longtable.kernel.call import Call
from longtable.kernel.caller import Role
from longtable.redaction.model import Kind, Redacted, RedactedThing
from longtable.redaction.service import Redaction
from longtable.toolkit.tool import Route, Tool, WriteArguments


class Redact(WriteArguments):
    kind: Kind
    id: str = Field(description="Such as n3, 17, or the id of a section.")
    version: Annotated[int, Field(ge=1, le=2**62)] | None = Field(
        default=None, description="Which version of a section."
    )


class RedactionTools:
    def __init__(self, redaction: Redaction) -> None:
        self._redaction = redaction

    async def redact(self, call: Call, arguments: Redact) -> Redacted:
        return await self._redaction.redact(
            call, RedactedThing(kind=arguments.kind, id=arguments.id, version=arguments.version)
        )


def redaction_tools(tools: RedactionTools) -> list[Tool[Any]]:
    return [
        Tool(
            name="redact",
            title="Redact a secret",
            description="Replace a note, a message or a version of a section by a tombstone, everywhere.",
            arguments=Redact,
            result=Redacted,
            run=tools.redact,
            group="workspace",
            roles=frozenset({Role.OWNER}),
            audited_as="content_redacted",
            writes=True,
            destructive=True,
            repeatable=True,
            reaches_archive=True,
            over_mcp=False,
            routes=(Route("POST", "/sessions/{session_id}/redact"),),
        )
    ]
