"""The interface of every store: transactions over SQL with named parameters, scoped to one tenant.

A transaction body is a coroutine that awaits nothing but its transaction. SQLite runs it in the writer thread without
ever suspending it; PostgreSQL runs it on the event loop. So one body serves both, and everything in it must be safe to
run again: it may be retried before anything was acknowledged.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol, TypeVar

from longtable.kernel.errors import Conflict

Row = Mapping[str, Any]
Dialect = Literal["sqlite", "postgres"]
T = TypeVar("T")

SYSTEM: Final = "*"
"""The scope of the program's own work: facts, logins, looking up tokens. It defers nothing to the log: an entry belongs
to a tenant, whose chain only that tenant's transactions may extend."""


class Transaction(Protocol):
    """Statements of one operation. In a tenant's scope `:tenant` is bound by the transaction itself, and a
    statement that does not mention it is refused: isolation does not depend on the author of the query. A failed
    statement ends its operation: it cannot be caught to go on."""

    @property
    def dialect(self) -> Dialect: ...

    @property
    def scope(self) -> str:
        """The tenant, or SYSTEM."""

    async def execute(self, sql: str, **parameters: Any) -> int:
        """Runs a statement and returns how many rows it affected."""

    async def enqueue(self, sql: str, **parameters: Any) -> None:
        """Like `execute`, for a statement whose count nobody needs. PostgreSQL gets it in one message with those that
        follow. Later statements see its effect; if it fails, so does the operation, though not at this place."""

    async def execute_many(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Enqueues one statement for each row of parameters."""

    async def first(self, sql: str, **parameters: Any) -> Row | None: ...

    async def all(self, sql: str, **parameters: Any) -> list[Row]: ...

    async def tuples(self, sql: str, **parameters: Any) -> list[tuple[Any, ...]]:
        """Like `all`, with the values of each row in the order of its columns."""

    def defer(self, entry: Any) -> None:
        """Hands `entry` to `CommitHooks.before_commit`, unless this operation fails."""


Body = Callable[[Transaction], Awaitable[T]]


class CommitHooks(Protocol):
    """What happens around every commit that has deferred entries, for all operations that share it."""

    async def before_commit(self, tx: Transaction, entries: Sequence[Any]) -> None:
        """Writes the deferred entries, in their order, in SYSTEM scope, inside the same commit. It may not see what the
        operations have enqueued."""

    def after_commit(self, entries: Sequence[Any]) -> None:
        """Called on the event loop once the entries are durable. Must not block or raise."""


class UniqueViolation(Conflict):
    """A row with this key exists already."""


@dataclass(frozen=True, slots=True)
class StoreState:
    """`problem` is why the store cannot be written now, None when it can. `facts` are sizes, versions and the like."""

    problem: str | None
    facts: Mapping[str, int | str] = field(default_factory=dict)


class Snapshot(Protocol):
    """One moment of the whole store."""

    async def read(self, scope: str, body: Body[T]) -> T:
        """Runs `body` in this scope, as often as its reader likes."""


class Database(Protocol):
    @property
    def dialect(self) -> Dialect: ...

    async def write(self, scope: str, body: Body[T]) -> T:
        """Runs `body` in a transaction and returns after its commit is durable. Writes of one tenant happen
        one after the other, on every process and replica. Raises what the body raised, with nothing changed, or
        StoreUnavailable; or OutcomeUnknown when it is unknown whether it was committed."""

    async def append(self, scope: str, body: Body[T]) -> T:
        """Like `write`, for a body that only adds: nothing that it reads is changed by another such body but counters,
        each by one statement. PostgreSQL runs several of them side by side, and sends their statements together."""
        return await self.write(scope, body)

    async def read(self, scope: str, body: Body[T]) -> T:
        """Runs `body` against committed data, beside the writers: one snapshot for the body on SQLite, one for each
        statement on PostgreSQL."""

    async def look_up(self, scope: str, body: Body[T]) -> T:
        """Like `read`, for one row by its key on the hot path: the embedded store reads it on the event loop, without a
        thread switch."""

    def snapshot(self) -> AbstractAsyncContextManager[Snapshot]:
        """One moment of the store while it is open, of all tenants, beside the writers and without a deadline: for what
        is too much to read at once."""

    @property
    def hears_others(self) -> bool:
        """Whether this process is notified at once of what others have committed."""
        return False

    def revision(self) -> int | None:
        """A number that changes with every commit, of this process or another; None where only the store knows."""

    def looks_changed(self) -> bool:
        """Whether an earlier result of `check` may be outdated. Takes a few microseconds."""
        return False

    async def check(self) -> StoreState:
        """Checks whether the store can be written, by a small write or a round trip. Never raises."""

    async def erase_traces(self) -> bool:
        """Overwrites what was deleted or replaced, as far as the store keeps it in files of ours; False when another
        process held it up; then it happens with the next checkpoint."""

    async def close(self) -> None:
        """Finishes queued work, then closes the store."""
