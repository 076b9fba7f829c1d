"""What redaction takes."""

from typing import Annotated

from pydantic import Field

from longtable.kernel.content import Text
from longtable.redaction.model import SessionKind
from longtable.toolkit.tool import WriteArguments


class Redact(WriteArguments):
    kind: SessionKind
    id: str | int = Field(description="Such as n3, 17, or the id of a section.")
    version: Annotated[int, Field(ge=1, le=2**62)] | None = Field(
        default=None, description="Which version of a section."
    )


class RedactCell(WriteArguments):
    scratch_id: Text = Field(description="Id of the scratchpad, in use or in the trash.")
    cell_id: Text = Field(description="Id of the cell.")
