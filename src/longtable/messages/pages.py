"""Pages of messages: as much as fits into an answer, and what becomes of a page when more is said."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longtable.kernel.call import Call
from longtable.kernel.page import cursor_before
from longtable.kernel.result import Fetched
from longtable.messages.model import Message, MessagePage
from longtable.messages.store import MessageFilter
from longtable.toolkit.answer_size import without_empty
from longtable.toolkit.page_size import fitting, is_long, said_once

_REPEATED = ("sender_type", "visibility")
_ORDER = ("id", "sender", "sender_type", "content", "visibility", "metadata", "parent_message_id", "timestamp")


@dataclass(frozen=True, slots=True)
class PageShape:
    """How a page is shown: with all fields, or in `most` characters. `session_id` is that of a caller who is bound to
    it; to others every answer names the session anyway."""

    most: int | None
    session_id: str | None

    @classmethod
    def of(cls, call: Call) -> "PageShape":
        return cls(call.max_chars, call.caller.session if call.caller.bound else None)

    def items(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        items = [message.as_json() for message in messages]
        return items if self.most is None else [without_empty(item) for item in items]


def page_of(found: list[Message], where: MessageFilter, shape: PageShape) -> MessagePage:
    """`found` is what the filter has chosen, and one more if there are more than its limit."""
    shown = found[: where.limit]
    if where.is_newest_first:
        shown.reverse()
    return _page(shape.items(shown), where, shape, len(found) > len(shown))


def grown(page: MessagePage, new: Sequence[Message], where: MessageFilter, shape: PageShape) -> MessagePage | None:
    """The newest page after more was said; None where it must be read again."""
    fields = page.json_fields()
    before: list[dict[str, Any]] = fields["messages"]
    if _is_any_cut(before):
        return None
    if shape.most is not None:
        before = [_whole(item, fields) for item in before]
    items = [*before, *shape.items(new)]
    longer = _page(items[-where.limit :], where, shape, fields["has_more"] or len(items) > where.limit)
    # In a long page, times are not exact any more.
    is_exact = shape.most is None or not is_long(fields["count"]) or is_long(len(longer.messages))
    return longer if is_exact else None


def newest_first(found: Sequence[Message], shape: PageShape) -> list[dict[str, Any]]:
    """For an answer that names the session itself."""
    items = shape.items(found)
    if shape.most is None:
        return items
    for item in items:
        del item["session_id"]
    return said_once(fitting(items, shape.most))[0]


def _whole(item: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    """With what stands on the page for all of them."""
    return {name: item.get(name, fields.get(name)) for name in _ORDER if name in item or name in _REPEATED}


def _page(items: list[dict[str, Any]], where: MessageFilter, shape: PageShape, has_more: bool) -> MessagePage:
    shown, shared = _within(items, where, shape)
    has_more = has_more or len(shown) < len(items)
    fields: dict[str, Any] = {
        "messages": shown,
        "count": len(shown),
        "has_more": has_more,
        "next_after_id": shown[-1]["id"] if shown else where.after_id,
    }
    if has_more and where.is_newest_first:
        fields["older"] = cursor_before(shown[0]["id"])
    is_shorter = has_more and len(shown) < where.limit
    if is_shorter or _is_any_cut(shown):
        fields["truncated"] = True
    page = MessagePage.of_json(**fields, **shared)
    page.measured()
    if shown and not where.is_partial:
        page.fetches(Fetched(message=shown[-1]["id"]))
    return page


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
    return shown, {**shared, **({"session_id": shape.session_id} if shape.session_id else {})}


def _is_any_cut(items: Sequence[dict[str, Any]]) -> bool:
    return any("truncated" in item for item in items)
