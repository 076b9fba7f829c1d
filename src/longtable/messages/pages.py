"""Pages of messages: as much as fits into an answer, and what becomes of a page when more is said."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic_core import to_json

from longtable.kernel.call import Call
from longtable.kernel.page import cursor_before
from longtable.kernel.result import Fetched
from longtable.messages.model import Message, MessagePage
from longtable.messages.store import MessageFilter
from longtable.toolkit.answer_size import without_empty
from longtable.toolkit.page_size import fitting, is_long, joined, said_once, without_repeated

_REPEATED = ("sender_type", "visibility")


@dataclass(frozen=True, slots=True)
class PageShape:
    """How a page is shown: with all fields, or in `most` characters. `session_id` is that of a caller who is bound to
    it; to others every answer names the session anyway."""

    most: int | None
    session_id: str | None

    @classmethod
    def of(cls, call: Call) -> "PageShape":
        return cls(call.max_chars, call.caller.session if call.caller.bound else None)

    @property
    def facts(self) -> dict[str, Any]:
        return {} if self.most is None or self.session_id is None else {"session_id": self.session_id}

    def items(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        items = [message.as_json() for message in messages]
        return items if self.most is None else [without_empty(item) for item in items]


def page_of(found: list[Message], where: MessageFilter, shape: PageShape) -> MessagePage:
    """`found` is what the filter has chosen, and one more if there are more than its limit."""
    shown = found[: where.limit]
    if where.is_newest_first:
        shown.reverse()
    return _page(shape.items(shown), where, shape, len(found) > len(shown))


class _EncodedMessage(NamedTuple):
    number: int
    repeated: tuple[str, ...]
    encoded: bytes


def grown(page: MessagePage, new: Sequence[Message], where: MessageFilter, shape: PageShape) -> MessagePage | None:
    """The newest page after more was said; None where it must be read again."""
    if page.is_truncated:
        return None
    before: Sequence[_EncodedMessage] = page.parts or _parts(page.json_fields())
    shared = _shared(before, shape)
    parts = [*before, *(_part(message, shared, shape) for message in new)]
    shown = parts[-where.limit :]
    if not _looks_alike(before, shown, shape):
        return None
    facts = _facts((shown[0].number, shown[-1].number), len(shown), page.is_followed or len(parts) > len(shown), where)
    encoded = joined("messages", (part.encoded for part in shown), {**facts, **(shared or {}), **shape.facts})
    longer = page.with_parts(shown, encoded)
    longer.fetches(Fetched(message=shown[-1].number))
    return longer


def _parts(fields: dict[str, Any]) -> list[_EncodedMessage]:
    once = {name: fields.get(name, "") for name in _REPEATED}
    return [
        _EncodedMessage(item["id"], tuple(item.get(name, once[name]) for name in _REPEATED), to_json(item))
        for item in fields["messages"]
    ]


def _part(message: Message, shared: dict[str, Any] | None, shape: PageShape) -> _EncodedMessage:
    [item] = shape.items([message])
    repeated = tuple(item.get(name, "") for name in _REPEATED)
    if shape.most is not None:
        del item["session_id"]
    return _EncodedMessage(
        message.number, repeated, to_json(item if shared is None else without_repeated(item, shared))
    )


def _shared(parts: Sequence[_EncodedMessage], shape: PageShape) -> dict[str, Any] | None:
    """What a long page says once; None for one that says everything with each message."""
    if shape.most is None or not is_long(len(parts)):
        return None
    first = parts[0].repeated
    columns = zip(*(part.repeated for part in parts), strict=True)
    return {
        name: value
        for name, value, column in zip(_REPEATED, first, columns, strict=True)
        if value and all(each == value for each in column)
    }


def _looks_alike(before: Sequence[_EncodedMessage], after: Sequence[_EncodedMessage], shape: PageShape) -> bool:
    """Whether the messages that were there are shown as they were."""
    if shape.most is None:
        return True
    is_alone = len(before) < 2 or len(after) < 2
    fits = sum(len(part.encoded) + 1 for part in after) < shape.most
    return fits and not is_alone and _shared(before, shape) == _shared(after, shape)


def newest_first(found: Sequence[Message], shape: PageShape) -> list[dict[str, Any]]:
    """For an answer that names the session itself."""
    items = shape.items(found)
    if shape.most is None:
        return items
    for item in items:
        del item["session_id"]
    return said_once(fitting(items, shape.most))[0]


def _page(items: list[dict[str, Any]], where: MessageFilter, shape: PageShape, has_more: bool) -> MessagePage:
    shown, shared = _within(items, where, shape)
    has_more = has_more or len(shown) < len(items)
    ends = (shown[0]["id"], shown[-1]["id"]) if shown else (0, where.after_id)
    facts = _facts(ends, len(shown), has_more, where)
    is_shorter = has_more and len(shown) < where.limit
    if is_shorter or _is_any_cut(shown):
        facts["truncated"] = True
    page = MessagePage.of_json(messages=shown, **facts, **shared)
    page.measured()
    if shown and not where.is_partial:
        page.fetches(Fetched(message=shown[-1]["id"]))
    return page


def _facts(ends: tuple[int, int], count: int, has_more: bool, where: MessageFilter) -> dict[str, Any]:
    first, last = ends
    facts: dict[str, Any] = {"count": count, "has_more": has_more, "next_after_id": last}
    return {**facts, "older": cursor_before(first)} if has_more and where.is_newest_first else facts


def _within(
    items: list[dict[str, Any]], where: MessageFilter, shape: PageShape
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    if shape.most is None:
        return items, {}
    if len(items) > 1:
        for item in items:
            item.pop("session_id", None)
    # What the reader wants first stays.
    fits = fitting(items[::-1], shape.most)[::-1] if where.is_newest_first else fitting(items, shape.most)
    for item in fits:
        if "truncated" in item:
            item["read_on"] = {"before_id": item["id"] + 1, "limit": 1, "max_chars": 0}
    shown, shared = said_once(fits, *_REPEATED)
    return shown, {**shared, **shape.facts}


def _is_any_cut(items: Sequence[dict[str, Any]]) -> bool:
    return any("truncated" in item for item in items)
