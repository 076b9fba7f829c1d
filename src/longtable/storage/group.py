"""Group commit, the part that both engines share: operations that wait, and the batch that commits them together."""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from longtable.kernel.errors import LongtableError, OutcomeUnknown, StoreUnavailable
from longtable.storage.database import Body, CommitHooks

QUEUE_LIMIT: Final = 10_000
BATCH_LIMIT: Final = 256
BATCH_SECONDS: Final = 0.02


@dataclass(frozen=True, slots=True)
class QueuedWrite:
    scope: str
    body: Body[Any]
    future: asyncio.Future[Any]
    only_adds: bool = False


@dataclass(slots=True)
class Batch:
    """The operations that share one commit, and the result of each."""

    taken: list[QueuedWrite] = field(default_factory=list)
    done: list[tuple[QueuedWrite, Any]] = field(default_factory=list)
    failed: list[tuple[QueuedWrite, BaseException]] = field(default_factory=list)
    entries: list[Any] = field(default_factory=list)
    is_committed: bool = False
    is_careful: bool = False
    """Every operation can be undone alone, and each of its statements has its own reply: for a batch that failed."""

    @property
    def has_run(self) -> bool:
        return bool(self.done or self.failed)

    def succeed(self, operation: QueuedWrite, result: Any, entries: list[Any]) -> None:
        self.done.append((operation, result))
        self.entries += entries

    def fail(self, operation: QueuedWrite, error: BaseException) -> None:
        self.failed.append((operation, error))

    def reset(self) -> None:
        """Clears the results, to run the same operations again."""
        self.done, self.failed, self.entries = [], [], []

    def fail_all(self, cause: LongtableError) -> None:
        """One error for all: nothing was committed, or that is unknown. Even a failure may depend on what another
        operation seemed to have written."""
        self.reset()
        for operation in self.taken:
            # A new one for each caller: an error raised twice collects both tracebacks.
            error = type(cause)(cause.message)
            error.__cause__ = cause.__cause__ or cause
            self.fail(operation, error)

    def complete(self, hooks: CommitHooks) -> None:
        """Resolves the future of every caller. On the event loop, after the commit."""
        for operation, result in self.done:
            # A caller that has gone has cancelled its future.
            if not operation.future.done():
                operation.future.set_result(result)
        for operation, error in self.failed:
            reject(operation.future, error)
        if self.entries:
            hooks.after_commit(self.entries)


def outcome_unknown(cause: BaseException) -> OutcomeUnknown:
    error = OutcomeUnknown(
        "The store was lost while it committed, so the change may be stored or not.",
        hint="Repeat the call with the same idempotency_key, or look whether it took effect.",
    )
    error.__cause__ = cause
    return error


def too_many_waiting() -> StoreUnavailable:
    return StoreUnavailable("Too many writes are waiting.", hint="Nothing was changed; try again later.")


def resolve(future: asyncio.Future[Any], result: Any) -> None:
    """Does nothing where the caller was cancelled."""
    if not future.done():
        future.set_result(result)


def reject(future: asyncio.Future[Any], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)


def post(loop: asyncio.AbstractEventLoop, callback: Callable[..., None], *arguments: Any) -> None:
    """Calls `callback` on the loop, from another thread."""
    # RuntimeError: the loop is closed, and no caller is left.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(callback, *arguments)
