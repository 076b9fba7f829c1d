"""Events of questions and checkpoints."""

from longtable.log.model import Event, preview
from longtable.questions.model import Checkpoint, Question, checkpoint_id, question_id


def added(question: Question) -> Event:
    payload = {
        "question_id": question_id(question.number),
        "question_preview": preview(question.question),
        "priority": question.priority,
        "blocking": question.blocking,
    }
    return Event("scratchpad/question_added", payload)


def answered(question: Question) -> Event:
    payload = {
        "question_id": question_id(question.number),
        "by_human": question.by_human,
        "answer_preview": preview(question.answer or ""),
    }
    return Event("scratchpad/question_answered", payload, addressed=True)


def expired(number: int) -> Event:
    return Event("scratchpad/question_expired", {"question_id": question_id(number)})


def withdrawn(number: int) -> Event:
    return Event("scratchpad/question_withdrawn", {"question_id": question_id(number)})


def checkpoint_created(checkpoint: Checkpoint) -> Event:
    payload = {
        "checkpoint_id": checkpoint_id(checkpoint.number),
        "reasons": list(checkpoint.reasons),
        "question_ids": [question_id(number) for number in checkpoint.questions],
    }
    return Event("scratchpad/checkpoint_created", payload)


def checkpoint_resumed(number: int) -> Event:
    return Event("scratchpad/checkpoint_resumed", {"checkpoint_id": checkpoint_id(number)})
