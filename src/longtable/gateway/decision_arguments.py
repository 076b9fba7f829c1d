"""Arguments of the tools about decisions."""

from typing import Annotated, Literal

from pydantic import Field

from longtable.holds.arguments import HoldSeconds
from longtable.kernel.content import Text
from longtable.toolkit.durations import BRIEF_FORMS, Seconds
from longtable.toolkit.tool import Arguments, WriteArguments

MAX_WAIT = 50

Id = Annotated[Text, Field(description="Id of the decision, such as d7.")]


class ListDecisions(Arguments):
    status: Literal["waiting", "approved", "denied", "expired", "used"] | None = None
    limit: int = Field(default=50, ge=1, le=500)
    cursor: str | None = None


class ReadDecision(Arguments):
    decision_id: Id


class Approve(WriteArguments):
    decision_id: Id
    reason: Text | None = None
    for_10_minutes: bool = Field(default=False, description="The same call by this agent may be repeated meanwhile.")
    hold_seconds: HoldSeconds = 0


class Deny(WriteArguments):
    decision_id: Id
    reason: Text | None = Field(default=None, description="Told to the agent.")
    hold_seconds: HoldSeconds = 0


class WaitForDecision(Arguments):
    confirmation_id: Text = Field(description="confirmation_id or confirm_token of the call.")
    wait_seconds: Annotated[float, Seconds(0, MAX_WAIT, parts=True)] = Field(
        default=30, description=f"How long to wait for a person: {BRIEF_FORMS}; at most {MAX_WAIT}."
    )
