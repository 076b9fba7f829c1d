"""Questions in an answer that may not be long: the first that fit, and a cursor to the rest."""

from collections.abc import Sequence
from typing import Any

from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.questions.model import Question
from longtable.toolkit.answer_size import first_within, size_of


def as_json(questions: Sequence[Question]) -> list[dict[str, Any]]:
    return [question.view().model_dump(mode="json") for question in questions]


def with_way_on(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer that was cut says with which arguments wait_for_answers shows all of it."""
    read_on = {"question_ids": [answer["id"]], "max_chars": 0}
    return {**answer, "read_on": read_on} if "truncated" in answer else answer


def page_of(questions: Sequence[Question], cursor: str | None, most: int | None) -> tuple[dict[str, Any], set[int]]:
    """The fields of a result with one page of these questions, which are in the order of their numbers; and the numbers
    of those shown so far, on this page or an earlier one."""
    after = decode_cursor(cursor, int)[0] if cursor else 0
    left = [question for question in questions if question.number > after]
    views = as_json(left)
    shown = first_within(views, most)
    if any("truncated" in item for item in shown):
        # Only the first can be cut: it is too long by itself.
        shown[0]["read_on"] = {"cursor": encode_cursor(left[0].number - 1), "max_chars": size_of(views[0])}
    fields: dict[str, Any] = {"questions": shown}
    page = left[: len(shown)]
    if len(page) < len(left):
        fields |= {"next_cursor": encode_cursor(page[-1].number), "truncated": True}
    last = page[-1].number if page else after
    return fields, {question.number for question in questions if question.number <= last}
