"""What the workspace and the overview of tables take."""

from pydantic import Field

from longtable.sessions.model import Status
from longtable.toolkit.tool import Arguments


class GetWorkspace(Arguments):
    limit: int = Field(default=500, ge=1, le=10_000, description="How many notes to show.")


class ListTables(Arguments):
    status: Status | None = None
    limit: int = Field(default=50, ge=1, le=200)
    cursor: str | None = Field(default=None, description="From next_cursor.")


class GetTable(Arguments):
    pass
