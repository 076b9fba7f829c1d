"""SQL that replaces a question or its answer by a tombstone: in the row, in what is held, in events and results."""

from longtable.holds import store as hold_store
from longtable.questions import store as question_store
from longtable.questions.model import question_id
from longtable.redaction import logged_events, stored_results
from longtable.redaction.logged_events import about
from longtable.redaction.model import TOMBSTONE
from longtable.redaction.stored_results import JsonObject, without
from longtable.storage.database import Transaction

_ADDED, _ANSWERED = "scratchpad/question_added", "scratchpad/question_answered"


async def redact_question(tx: Transaction, session_id: str, number: int, now: int) -> bool:
    """Its text, its context and the suggested answers; with those also an answer that is one of them."""
    question = (await question_store.find(tx, session_id, [number], now)).get(number)
    if question is None:
        return False
    await tx.execute(
        """UPDATE questions SET question = :tombstone, context = NULL, options = NULL
           WHERE tenant = :tenant AND session_id = :session_id AND number = :number""",
        session_id=session_id,
        number=number,
        tombstone=TOMBSTONE,
    )
    name = question_id(number)
    texts = {"question": TOMBSTONE, "context": None, "options": None}
    await stored_results.scrub(tx, session_id, name, without("id", name, texts))
    await logged_events.scrub(tx, session_id, _ADDED, about({"question_id": name}, {"question_preview": TOMBSTONE}))
    if question.options is not None:
        await redact_answer(tx, session_id, number, now, only=question.options)
    return True


async def redact_answer(
    tx: Transaction, session_id: str, number: int, now: int, only: tuple[str, ...] | None = None
) -> bool:
    """The answer that was given, and one that is still held and could be undone. With `only`: if it is one of these."""
    question = (await question_store.find(tx, session_id, [number], now)).get(number)
    name = question_id(number)
    held = await _drop_held(tx, session_id, name, only)
    given = question is not None and question.answer is not None and (only is None or question.answer in only)
    if given:
        await tx.execute(
            """UPDATE questions SET answer = :tombstone
               WHERE tenant = :tenant AND session_id = :session_id AND number = :number""",
            session_id=session_id,
            number=number,
            tombstone=TOMBSTONE,
        )
    if given or held:
        # An earlier answer may have been replaced: all that the log has of any goes.
        await stored_results.scrub(tx, session_id, name, without("id", name, {"answer": TOMBSTONE}))
        await stored_results.scrub(tx, session_id, name, lambda found: _without_undone(session_id, name, found))
        await logged_events.scrub_replaced(tx, session_id, "questions", number, "answer", TOMBSTONE)
        await logged_events.scrub(
            tx, session_id, _ANSWERED, about({"question_id": name}, {"answer_preview": TOMBSTONE})
        )
    return given or held


async def _drop_held(tx: Transaction, session_id: str, name: str, only: tuple[str, ...] | None) -> bool:
    """It will not be given: a tombstone is no answer."""
    found = False
    for hold in await hold_store.take_all(tx, session_id, "submit_answers"):
        answers = dict(hold.arguments["answers"])
        if name in answers and (only is None or answers[name] in only):
            found = True
            del answers[name]
        if answers:
            await hold_store.insert(tx, hold._replace(arguments={"answers": answers}))
    return found


def _without_undone(session_id: str, name: str, found: JsonObject) -> JsonObject:
    """The result of undoing a hold repeats the answer that was undone."""
    if found.get("session_id") != session_id or "hold_id" not in found:
        return found
    answers = found["arguments"].get("answers", {})
    if name not in answers:
        return found
    return {**found, "arguments": {**found["arguments"], "answers": {**answers, name: TOMBSTONE}}}
