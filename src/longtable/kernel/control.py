"""What a person asks of one agent: to pause, to go on or to stop."""

from typing import Literal

from longtable.kernel.result import Result, Value, omitted_if_none

ControlAction = Literal["pause", "resume", "stop"]


class Control(Value):
    """`message_id` is the message that says so."""

    action: ControlAction
    by: str
    message_id: int
    at: str
    reason: str | None = omitted_if_none()

    @property
    def holds_back(self) -> bool:
        return self.action != "resume"


class ControlAcknowledged(Result):
    """What the agent is to do; None where nothing is asked of it."""

    control: Control | None
