"""What is held, and how people see it."""

from typing import Any, NamedTuple

from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.clock import to_iso
from longtable.kernel.result import Result, Value, omitted_if_none

MAX_SECONDS = 300


class Hold(NamedTuple):
    """A call of a person that is made at `until`, unless it is undone before."""

    hold_id: str
    session_id: str | None
    operation: str
    arguments: dict[str, Any]
    role: str
    agent: str
    agent_type: str
    surface: str
    held_at: int
    until: int

    def caller(self, tenant: str) -> Caller:
        return Caller(
            tenant, Role(self.role), self.agent, self.agent_type, Surface(self.surface), self.session_id, bound=True
        )

    def view(self) -> "HoldView":
        return HoldView(
            hold_id=self.hold_id,
            operation=self.operation,
            session_id=self.session_id,
            arguments=self.arguments,
            held_by=self.agent,
            held_at=to_iso(self.held_at),
            until=to_iso(self.until),
        )


class Held(Value):
    """`DELETE /holds/{hold_id}` takes it back until then."""

    hold_id: str
    until: str


class HoldView(Value):
    hold_id: str
    operation: str
    session_id: str | None = omitted_if_none()
    arguments: dict[str, Any]
    held_by: str
    held_at: str
    until: str


class HoldList(Result):
    holds: list[HoldView]
    count: int


class HoldUndone(Result):
    hold: HoldView
