"""What notes need of the search: which of them match a query, best first."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from longtable.fulltext.notices import SearchNotices
from longtable.kernel.caller import Caller

Mode = Literal["keyword", "semantic", "hybrid"]
MODES: tuple[Mode, ...] = ("keyword", "semantic", "hybrid")


@dataclass(frozen=True, slots=True)
class NoteSearchQuery:
    """`newest` keeps the ranking still between pages: notes with a higher number are left out."""

    query: str
    mode: Mode
    tags: tuple[str, ...]
    author: str | None
    newest: int
    skip: int
    limit: int


@dataclass(frozen=True, slots=True)
class RankedNotes:
    """The scores of one page by the number of the note, best first; `mode` is how they were found in the end. With
    `is_cut` there are more than `total`."""

    scores: Mapping[int, float]
    total: int
    is_cut: bool
    has_next: bool
    mode: Mode
    notices: SearchNotices


class NoteSearch(Protocol):
    async def rank(self, caller: Caller, query: NoteSearchQuery) -> RankedNotes:
        """The notes of the caller's session. Raises PayloadTooLarge, and SearchUnavailable for a search by meaning
        alone that cannot be done."""
