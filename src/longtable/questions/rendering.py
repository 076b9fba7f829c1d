"""Answers as one text."""

from longtable.kernel.caller import Caller
from longtable.questions import store
from longtable.questions.model import Question, question_id
from longtable.questions.store import QuestionFilter
from longtable.storage.database import Transaction


async def render_answers(tx: Transaction, caller: Caller) -> str:
    """All answers of the caller's session as Markdown. Every text is quoted, so that none can pass for another."""
    found = await store.select(tx, caller.session, QuestionFilter(status="answered"), now=0)
    parts = [
        f"## {question_id(question.number)}, asked by {question.asked_by}\n\n{quoted(question.question)}\n\n"
        f"{_signature(question)}:\n\n{quoted(question.answer or '')}\n"
        for question in found
    ]
    return "\n".join(["# Answers\n", *parts]) if parts else "No question has been answered yet.\n"


def quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines() or [""])


def _signature(question: Question) -> str:
    how = "Answered by" if question.by_human else "Answer relayed by"
    if question.answer_origin:
        how = "Imported answer of"
    return f"{how} {question.answered_by}{', in free text' if question.is_free_text else ''}"
