"""What the audit tools take."""

from pydantic import Field

from longtable.kernel.content import MomentOrAge, Text
from longtable.toolkit.answer_size import MaxChars
from longtable.toolkit.tool import Arguments


class GetAuditLog(MaxChars):
    unlisted = frozenset({"session_id", "outcome", "until", "from_seq"})

    event_type: Text | None = Field(default=None, description="Such as note_added.")
    agent_id: Text | None = Field(default=None, description="Of this agent.")
    session_id: Text | None = Field(default=None, description="In this session.")
    outcome: Text | None = Field(default=None, description="SUCCESS or an error code.")
    since: MomentOrAge | None = Field(default=None, description="ISO 8601 time, or 24h.")
    until: MomentOrAge | None = Field(default=None, description="ISO 8601 time, or 24h.")
    from_seq: int | None = Field(default=None, ge=1, le=2**62, description="This record and those before it.")
    limit: int = Field(default=100, ge=1, le=1000, description="Most records.")
    cursor: str | None = Field(default=None, description="From next_cursor.")


class VerifyAudit(Arguments):
    pass
