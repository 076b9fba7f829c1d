"""What a note is, and its limits."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from longtable.fulltext.notices import SearchNotices
from longtable.kernel.clock import to_iso
from longtable.kernel.result import Result, Value, omitted_if_none

PREFIX = "n"
MAX_TAGS = 32
MAX_TAG_CHARACTERS = 64
MAX_SOURCE_BYTES = 8_192


@dataclass(frozen=True, slots=True)
class NoteLimits:
    per_session: int
    content_bytes: int


class Note(NamedTuple):
    number: int
    content: str
    tags: tuple[str, ...]
    author: str
    source: str | None
    supersedes: int | None
    superseded_by: int | None
    created_at: int
    origin: str | None = None
    """Where it was made, if that was not here."""

    def as_json(self, score: float | None = None) -> dict[str, Any]:
        """A `NoteView` as it is sent."""
        number, content, tags, author, source, supersedes, superseded_by, created_at, origin = self
        shown: dict[str, Any] = {
            "id": f"{PREFIX}{number}",
            "content": content,
            "tags": list(tags),
            "author": author,
            "source": source,
            "timestamp": to_iso(created_at),
        }
        if supersedes:
            shown["supersedes"] = note_id(supersedes)
        if superseded_by:
            shown["superseded_by"] = note_id(superseded_by)
        if origin is not None:
            shown["imported"] = True
        if score is not None:
            shown["score"] = score
        return shown


def note_id(number: int) -> str:
    return f"{PREFIX}{number}"


class NoteView(Value):
    id: str
    content: str
    tags: list[str]
    author: str
    source: str | None
    timestamp: str
    supersedes: str | None = omitted_if_none()
    superseded_by: str | None = omitted_if_none()
    imported: bool | None = omitted_if_none()
    score: float | None = omitted_if_none()


class NoteStamp(Value):
    """A note as its writer gets it back: without the content it just sent."""

    id: str
    tags: list[str]
    author: str
    timestamp: str


class NoteAdded(Result):
    note: NoteStamp


class NotePage(SearchNotices):
    """With a query, notes have a `score` between 0 and 1, best first; else those written first stand first. `older` is
    the cursor of the page before this one. With `more` there are more than `total`."""

    notes: list[NoteView]
    count: int
    total: int
    more: bool | None = omitted_if_none()
    next_cursor: str | None
    older: str | None = omitted_if_none()
    truncated: bool | None = omitted_if_none()

    @property
    def is_truncated(self) -> bool:
        """Whether something was cut from this page, which is encoded already; so is that of `has_older`."""
        return b'"truncated":' in self._end

    @property
    def has_older(self) -> bool:
        return b'"older":' in self._end

    @property
    def _end(self) -> bytes:
        return (self.encoded or b"").rpartition(b',"total":')[2]

    def with_total(self, total: int) -> bytes | None:
        """This page, which is encoded already, with another total; None for the last page of a list."""
        start, _, end = (self.encoded or b"").rpartition(b',"total":')
        _, _, cursors = end.partition(b",")
        if not start or cursors.startswith(b'"next_cursor":null'):
            return None
        return b'%b,"total":%d,%b' % (start, total, cursors)


class CountedTag(Value):
    tag: str
    count: int


class CountedAuthor(Value):
    author: str
    count: int


class NoteTags(Result):
    """The most used tags and the authors of a session's notes. With `more` there are other tags besides."""

    tags: list[CountedTag]
    authors: list[CountedAuthor]
    total: int
    untagged: int
    more: bool | None = omitted_if_none()
