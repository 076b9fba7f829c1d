"""Where the work paused for people, and how it goes on: by the last question that is settled, or by somebody who says
so."""

from collections.abc import Sequence

from longtable.kernel.call import Call
from longtable.kernel.errors import Conflict, NotFound
from longtable.kernel.ids import number_of
from longtable.log.ledger import Ledger, Work
from longtable.log.reader import head
from longtable.questions import events, store
from longtable.questions.model import (
    CHECKPOINT_PREFIX,
    Checkpoint,
    CheckpointList,
    CheckpointShown,
    Question,
    Reason,
    checkpoint_id,
    question_id,
)
from longtable.sessions.service import Sessions
from longtable.storage.database import Transaction


class Checkpoints:
    def __init__(self, ledger: Ledger, sessions: Sessions) -> None:
        self._ledger = ledger
        self._sessions = sessions

    async def list_open(self, call: Call) -> CheckpointList:
        async def body(tx: Transaction) -> list[Checkpoint]:
            return await store.open_checkpoints(tx, call.caller.session)

        found = await self._ledger.read(call.caller, body)
        return CheckpointList(checkpoints=[checkpoint.view() for checkpoint in found], count=len(found))

    async def resume(self, call: Call, named: str) -> CheckpointShown:
        """Raises Conflict while questions of the checkpoint are pending: their answers resume it. One that has been
        resumed already stays so."""

        async def body(work: Work) -> CheckpointShown:
            await self._sessions.open_for_writing(work)
            await expire_due(work)
            checkpoint = await _found(work, named)
            work.touched(f"checkpoint:{named}")
            if checkpoint.resumed_at is not None:
                return CheckpointShown(checkpoint=checkpoint.view())
            pending = await store.pending(work.tx, work.caller.session, work.now)
            waits_for = [question_id(one.number) for one in pending if one.number in checkpoint.questions]
            if waits_for:
                raise Conflict(
                    f"{named} waits for {', '.join(waits_for[:20])}.",
                    hint="Answer or withdraw what is pending: that resumes it.",
                    question_ids=waits_for,
                )
            await _resume(work, checkpoint)
            return CheckpointShown(checkpoint=checkpoint.resumed(work.now).view())

        return await self._ledger.write(call, CheckpointShown, body)


async def set_checkpoint(work: Work, reasons: tuple[Reason, ...], pending: Sequence[Question]) -> Checkpoint:
    """The open one for the same reasons and questions, or a new one."""
    tx, session_id = work.tx, work.caller.session
    numbers = tuple(question.number for question in pending)
    for checkpoint in await store.open_checkpoints(tx, session_id):
        if (checkpoint.reasons, checkpoint.questions) == (reasons, numbers):
            return checkpoint
    number = await store.next_number(tx, session_id, "checkpoint")
    checkpoint = Checkpoint(number, await head(tx), reasons, numbers, work.now)
    await store.insert_checkpoint(tx, session_id, checkpoint)
    work.touched(f"checkpoint:{checkpoint_id(number)}")
    work.happened(events.checkpoint_created(checkpoint))
    return checkpoint


async def expire_due(work: Work) -> list[int]:
    """Settles the questions of the session whose time is over, tells of each, and resumes what waited for them."""
    expired = await store.expire(work.tx, work.caller.session, work.now)
    for number in expired:
        work.happened(events.expired(number))
    if expired:
        await resume_settled(work)
    return expired


async def resume_settled(work: Work) -> None:
    """Ends the pause of every checkpoint whose last question was settled in this work."""
    tx, session_id = work.tx, work.caller.session
    waiting = await store.open_checkpoints(tx, session_id)
    if not waiting:
        return
    pending = {question.number for question in await store.pending(tx, session_id, work.now)}
    for checkpoint in waiting:
        if checkpoint.questions and pending.isdisjoint(checkpoint.questions):
            await _resume(work, checkpoint)


async def _resume(work: Work, checkpoint: Checkpoint) -> None:
    await store.resume(work.tx, work.caller.session, checkpoint.number, work.now)
    work.happened(events.checkpoint_resumed(checkpoint.number))


async def _found(work: Work, named: str) -> Checkpoint:
    number = number_of(CHECKPOINT_PREFIX, named)
    checkpoint = None if number is None else await store.find_checkpoint(work.tx, work.caller.session, number)
    if checkpoint is None:
        raise NotFound(f"There is no checkpoint {named[:100]!r} in this session.", hint="c1 is the form of an id.")
    return checkpoint
