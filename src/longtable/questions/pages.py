"""Questions in an answer that may not be long: the first that fit, and a cursor to the rest."""

from collections.abc import Sequence
from typing import Any

from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.questions.model import Question
from longtable.toolkit.answer_size import first_within


def as_json(questions: Sequence[Question]) -> list[dict[str, Any]]:
    return [question.view().model_dump(mode="json") for question in questions]


def page_of(questions: Sequence[Question], cursor: str | None, most: int | None) -> tuple[dict[str, Any], set[int]]:
    """The fields of a result with one page of these questions, which are in the order of their numbers; and the numbers
    of those shown so far, on this page or an earlier one."""
    after = decode_cursor(cursor, int)[0] if cursor else 0
    left = [question for question in questions if question.number > after]
    shown = first_within(as_json(left), most)
    fields: dict[str, Any] = {"questions": shown}
    page = left[: len(shown)]
    if len(page) < len(left):
        fields |= {"next_cursor": encode_cursor(page[-1].number), "truncated": True}
    last = page[-1].number if page else after
    return fields, {question.number for question in questions if question.number <= last}
