"""One call of one operation, as every layer below the edge sees it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

from longtable.kernel.caller import Caller


@dataclass(slots=True)
class CurrentSession:
    """The current session of a connection: the one it created or joined. `lasting` is False where the protocol has no
    connections, so that the next request does not return to it. `save` stores it for requests to other processes."""

    session_id: str | None = None
    lasting: bool = True
    save: Callable[[str], Awaitable[None]] | None = None

    async def enter(self, session_id: str) -> None:
        if self.save is not None:
            await self.save(session_id)
        self.session_id = session_id


@dataclass(frozen=True, slots=True)
class Call:
    """`audited_as` is the past-tense name of the operation in the audit log; `arguments_digest` stands for the
    arguments wherever their content must not appear."""

    caller: Caller
    operation: str
    audited_as: str
    arguments_digest: str = ""
    idempotency_key: str | None = None
    current_session: CurrentSession = field(default_factory=lambda: CurrentSession(lasting=False))
    metadata: dict[str, Any] = field(default_factory=dict)
    size: int = 0
    """About how many bytes its arguments have."""
    max_chars: int | None = None
    """How many characters the texts of the answer may have together; None for any number."""

    as_resource: bool = False
    """Whether a program reads it to keep a view up to date, so that no agent has seen it yet."""

    def inside(self, session_id: str) -> "Call":
        return replace(self, caller=self.caller.inside(session_id))
