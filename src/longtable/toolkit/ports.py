"""What dispatching a call needs from the layers above it."""

from collections.abc import Mapping
from typing import Any, Protocol

from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Caller
from longtable.kernel.result import Fetched
from longtable.toolkit.tool import Tool


class ResolvesSession(Protocol):
    async def resolve(
        self, tool: Tool[Any], caller: Caller, named: str | None, current_session: CurrentSession
    ) -> Caller:
        """The caller inside the session that this call acts in. Raises MissingSessionId, InvalidSessionId,
        SessionMismatch, SessionNotFound or SessionExpired."""


class Inbox(Protocol):
    def confirm(self, caller: Caller) -> None:
        """A call of this caller begins: what earlier answers showed it counts as shown."""

    def offer(self, caller: Caller, fetched: Fetched) -> None:
        """The answer to this caller's call shows all up to `fetched`."""

    async def hint(self, caller: Caller, fetched: Fetched | None) -> dict[str, int] | None:
        """What waits for this caller beyond `fetched`, or None when nothing does."""


class UsageRecorder(Protocol):
    def record(self, caller: Caller, meta: Mapping[str, Any]) -> None:
        """A call of this caller reports what its model has used. Never raises."""


class CallMeter(Protocol):
    def called(self, tool: str, outcome: str, seconds: float) -> None: ...
