"""What redaction takes."""

from typing import Annotated

from pydantic import Field

from longtable.kernel.content import Text
from longtable.memory.arguments import Key
from longtable.redaction.model import SessionKind
from longtable.sessions.arguments import SessionId
from longtable.toolkit.tool import WriteArguments


class Redact(WriteArguments):
    kind: SessionKind
    id: str | int = Field(description="Such as n3, 17, q2, t5, the id of a section or of the session, or a path.")
    version: Annotated[int, Field(ge=1, le=2**62)] | None = Field(
        default=None, description="Which version of a section."
    )
    number: Annotated[int, Field(ge=1, le=2**62)] | None = Field(
        default=None, description="Which note of a task; its first is 1."
    )


class RedactScratchpad(WriteArguments):
    scratch_id: Text = Field(description="Id of the scratchpad, in use or in the trash.")


class RedactMemory(WriteArguments):
    agent: Text = Field(description="Whose memory it is.")
    key: Key = Field(description="Its key, which stays.")
    session_id: SessionId | None = Field(default=None, description="Left out: what is kept across sessions.")


class RedactCell(WriteArguments):
    scratch_id: Text = Field(description="Id of the scratchpad, in use or in the trash.")
    cell_id: Text = Field(description="Id of the cell.")
