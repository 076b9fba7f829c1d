"""What a slice declares about its texts, so that they can be embedded and indexed again."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from longtable.storage.database import Transaction

ReadText = Callable[[Transaction, str, str], Awaitable[str | None]]
ReadLabels = Callable[[Transaction, str, str], Awaitable[tuple[str, ...]]]


async def _no_labels(_: Transaction, __: str, ___: str) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class IndexedTexts:
    """The texts of one kind. `read` takes the session and the ref of one and returns the indexed text, or None if it
    belongs in no index; `refs` is SQL that yields `session_id` and `ref` of all that may; `labels` returns those of its
    document. In a tenant's scope."""

    read: ReadText
    refs: str
    labels: ReadLabels = _no_labels
