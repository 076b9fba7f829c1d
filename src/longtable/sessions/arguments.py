"""What the session tools take, and the session that other tools may name."""

from typing import Annotated

from pydantic import AfterValidator, Field

from longtable.identity.resolve import check_session_id
from longtable.kernel.clock import SECOND
from longtable.kernel.content import Text
from longtable.kernel.names import name_problem
from longtable.sessions.model import MAX_TTL, Status
from longtable.toolkit.answer_size import MaxChars
from longtable.toolkit.durations import FORMS, Seconds
from longtable.toolkit.json_objects import JsonObject
from longtable.toolkit.tool import Arguments, WriteArguments


def _agent_name(name: str) -> str:
    problem = name_problem(name)
    if problem is not None:
        raise ValueError(problem)
    return name


AgentName = Annotated[Text, AfterValidator(_agent_name)]
SessionId = Annotated[str, AfterValidator(check_session_id), Field(description="Default: yours.")]
Ttl = Annotated[int, Seconds(1, MAX_TTL // SECOND), Field(description=f"In {FORMS}.")]


class CreateSession(WriteArguments):
    purpose: Text = Field(default="", description="What it is for.")
    metadata: JsonObject | None = Field(default=None, description="A JSON object, at most 10 KB.")
    session_id: SessionId | None = Field(default=None, description="Default: a new one.")
    ttl: Ttl | None = Field(default=None, description=f"In {FORMS}.")


class GetSession(MaxChars):
    session_id: SessionId | None = None


class ListSessions(MaxChars):
    status: Status | None = Field(default=None, description="Only these.")
    limit: int = Field(default=50, ge=1, le=500, description="Most sessions.")
    cursor: str | None = Field(default=None, description="From next_cursor.")


class CloseSession(WriteArguments):
    session_id: SessionId | None = None


class JoinSession(Arguments):
    session_id: SessionId


class ExtendSession(WriteArguments):
    session_id: SessionId | None = None
    ttl: Ttl
