"""Pages of notes: as much as fits into an answer, and what becomes of a page when more notes are added."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic_core import to_json

from longtable.kernel.page import cursor_before, encode_cursor
from longtable.notes.model import Note, NotePage
from longtable.notes.ports import NoteSearchQuery, RankedNotes
from longtable.notes.store import NoteFilter
from longtable.toolkit.answer_size import without_empty
from longtable.toolkit.page_size import fitting, joined

Json = dict[str, Any]


def page_of(found: list[Note], chosen: NoteFilter, counted: Json, most: int | None) -> NotePage:
    """`found` is what the filter has chosen, which is one more than a page has if there are more. `counted` are the
    fields that tell how many there are in all."""
    shown = found[: chosen.limit - 1]
    if chosen.before is not None:
        shown.reverse()
    return _page(_items(shown, most), chosen, counted, most, len(found) > len(shown))


class _EncodedNote(NamedTuple):
    number: int
    encoded: bytes


def grown(page: NotePage, new: Sequence[Note], chosen: NoteFilter, most: int | None) -> NotePage | None:
    """The newest page after notes were added; None where it must be read again."""
    if page.is_truncated or any(note.supersedes for note in new):
        return None
    before: Sequence[_EncodedNote] = page.parts or _parts(page.json_fields()["notes"])
    parts, limit = [*before, *_parts(_items(new, most))], chosen.limit - 1
    shown = parts[-limit:]
    if not _fit(shown, most):
        return None
    cursor = cursor_before(shown[0].number) if page.has_older or len(parts) > limit else None
    facts = {"count": len(shown), "total": new[-1].number, "next_cursor": cursor, **_known({"older": cursor})}
    return page.with_parts(shown, joined("notes", (part.encoded for part in shown), facts))


def _fit(parts: Sequence[_EncodedNote], most: int | None) -> bool:
    return most is None or sum(len(part.encoded) + 1 for part in parts) < most


def _parts(items: Sequence[Json]) -> list[_EncodedNote]:
    return [_EncodedNote(_number(item), to_json(item)) for item in items]


def ranking(items: list[Json], ranked: RankedNotes, query: NoteSearchQuery, most: int | None) -> NotePage:
    """The best of them, as far as they fit."""
    shown = _fitting(items if most is None else [without_empty(item) for item in items], most)
    is_shorter = len(shown) < len(items)
    reached = query.skip + (len(shown) if is_shorter else query.limit)
    has_next = ranked.has_next or is_shorter
    return _made(
        shown,
        {"total": ranked.total, "more": ranked.is_cut or None},
        encode_cursor(query.newest, reached, ranked.mode) if has_next else None,
        truncated=is_shorter or _is_any_cut(shown) or None,
        **dict(ranked.notices),
    )


def _items(notes: Sequence[Note], most: int | None) -> list[Json]:
    items = [note.as_json() for note in notes]
    return items if most is None else [without_empty(item) for item in items]


def _page(items: list[Json], chosen: NoteFilter, counted: Json, most: int | None, has_more: bool) -> NotePage:
    is_newest = chosen.before is not None
    # What the reader wants first stays.
    shown = _fitting(items[::-1], most)[::-1] if is_newest else _fitting(items, most)
    cursor = None
    if has_more or len(shown) < len(items):
        cursor = cursor_before(_number(shown[0])) if is_newest else encode_cursor(_number(shown[-1]))
    is_shorter = cursor is not None and len(shown) < chosen.limit - 1
    truncated = is_shorter or _is_any_cut(shown) or None
    return _made(shown, counted, cursor, older=cursor if is_newest else None, truncated=truncated)


def _made(shown: list[Json], counted: Json, cursor: str | None, **facts: Any) -> NotePage:
    page = NotePage.of_json(notes=shown, count=len(shown), **_known(counted), next_cursor=cursor, **_known(facts))
    page.measured()
    return page


def _known(facts: Json) -> Json:
    return {name: fact for name, fact in facts.items() if fact is not None}


def _fitting(items: list[Json], most: int | None) -> list[Json]:
    if most is None:
        return items
    shown = fitting(items, most)
    for item in shown:
        if "truncated" in item:
            item["read_on"] = {"cursor": cursor_before(_number(item) + 1), "limit": 1, "max_chars": 0}
    return shown


def _is_any_cut(items: Sequence[Json]) -> bool:
    return any("truncated" in item for item in items)


def _number(item: Json) -> int:
    return int(item["id"][1:])
