"""What dispatching a call needs from the layers above it."""

from typing import Any, Protocol

from longtable.kernel.call import Seat
from longtable.kernel.caller import Caller
from longtable.kernel.result import Fetched
from longtable.toolkit.tool import Tool


class SessionGate(Protocol):
    async def place(self, tool: Tool[Any], caller: Caller, named: str | None, seat: Seat) -> Caller:
        """The caller inside the session that this call acts in. Raises MissingSessionId, InvalidSessionId,
        SessionMismatch, SessionNotFound or SessionExpired."""


class Inbox(Protocol):
    async def hint(self, caller: Caller) -> dict[str, int] | None:
        """What waits for this caller, or None when nothing does."""

    def fetched(self, caller: Caller, fetched: Fetched) -> None: ...


class CallMeter(Protocol):
    def called(self, tool: str, outcome: str, seconds: float) -> None: ...
