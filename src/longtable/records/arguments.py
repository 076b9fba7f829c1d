"""What the audit tools take."""

from pydantic import Field

from longtable.kernel.content import Moment, Text
from longtable.toolkit.tool import Arguments


class GetAuditLog(Arguments):
    event_type: Text | None = Field(default=None, description="Only records of this type, such as note_added.")
    agent_id: Text | None = Field(default=None, description="Only what this agent did.")
    session_id: Text | None = Field(default=None, description="Only what was done in this session.")
    outcome: Text | None = Field(default=None, description="SUCCESS, or the code of a failure, such as FORBIDDEN.")
    since: Moment | None = None
    until: Moment | None = None
    limit: int = Field(default=100, ge=1, le=1000)
    cursor: str | None = Field(default=None, description="next_cursor of the page before.")


class VerifyAudit(Arguments):
    pass
