"""What a section is, its limits, and the rule that keeps one writer from overwriting another unseen."""

from dataclasses import dataclass

from longtable.kernel.clock import to_iso
from longtable.kernel.errors import VersionConflict
from longtable.kernel.result import LimitedResult, Result, Value, omitted_if_none

SECTION_ID = r"^[a-z0-9][a-z0-9_-]{0,63}$"
RESERVED = ("notes", "plan", "user_answers")
"""Read-only sections, rendered from other things."""

MAX_TITLE = 200
MAX_READ_BYTES = 16 * 1_048_576
"""How much text one answer carries; a draft may hold far more."""


@dataclass(frozen=True, slots=True)
class DraftLimits:
    sections: int
    section_bytes: int


@dataclass(frozen=True, slots=True)
class Section:
    """A section as it stands, without its text. Its versions are 1, 2, ... up to `version`."""

    section_id: str
    title: str
    position: int
    version: int
    author: str
    updated_at: int

    def stamp(self) -> "SectionStamp":
        return SectionStamp(
            section_id=self.section_id,
            title=self.title,
            version=self.version,
            author=self.author,
            updated_at=to_iso(self.updated_at),
            created=self.version == 1,
        )


@dataclass(frozen=True, slots=True)
class SectionVersion:
    """What a section was at one time. `content` is None when only titles were requested."""

    section_id: str
    version: int
    title: str
    content: str | None
    author: str
    created_at: int
    origin: str | None = None
    """Where it was written, if that was not here."""

    def view(self) -> "SectionView":
        return SectionView(
            section_id=self.section_id,
            title=self.title,
            version=self.version,
            author=self.author,
            updated_at=to_iso(self.created_at),
            content=self.content,
            imported=True if self.origin else None,
        )


def readable(section_id: str) -> str:
    """The title of a section that has none of its own."""
    words = section_id.replace("_", " ").replace("-", " ").split()
    return " ".join(words).capitalize()


def expect(section_id: str, expected: int | None, current: int) -> None:
    """Raises VersionConflict unless the writer has seen the current version, or does not care."""
    if expected is not None and expected != current:
        raise stale(section_id, current)


def stale(section_id: str, current: int, diff: str | None = None, *, is_cut: bool = False) -> VersionConflict:
    if not current:
        return VersionConflict(
            f"expected_version: the section {section_id} does not exist yet.",
            hint="Write it with expected_version 0, or without.",
            current_version=0,
        )
    message = f"expected_version: the section {section_id} is at version {current}."
    again = "then write with the current version"
    if diff is None:
        return VersionConflict(message, hint=f"Read it again, {again}.", current_version=current)
    rest = " (its beginning; diff_draft shows all of it)" if is_cut else ""
    hint = f"Look at what changed in details.diff{rest}, {again}."
    return VersionConflict(message, hint=hint, current_version=current, diff=diff)


class SectionStamp(Value):
    """A section as its writer gets it back: without the content it just sent."""

    section_id: str
    title: str
    version: int
    author: str
    updated_at: str
    created: bool


class SectionView(Value):
    """A virtual section has version 0, and neither an author nor a time."""

    section_id: str
    title: str
    version: int
    author: str | None = omitted_if_none()
    updated_at: str | None = omitted_if_none()
    content: str | None = omitted_if_none()
    imported: bool | None = omitted_if_none()
    truncated: bool | None = omitted_if_none()


class SectionWritten(Result):
    section: SectionStamp


class DraftRead(LimitedResult):
    """The whole draft in order, or one section and how many versions it has. With `next_offset` there is more."""

    sections: list[SectionView] | None = omitted_if_none()
    section: SectionView | None = omitted_if_none()
    versions: int | None = omitted_if_none()
    next_offset: int | None = omitted_if_none()


class SectionList(LimitedResult):
    sections: list[SectionView]
    next_offset: int | None = omitted_if_none()


class SectionRead(LimitedResult):
    section: SectionView
    versions: int
    next_offset: int | None = omitted_if_none()


class DraftDiff(LimitedResult):
    section_id: str
    from_version: int
    to_version: int
    diff: str
    next_offset: int | None = omitted_if_none()
