"""Where the work paused for people, and how it goes on: when the last question is settled, or when an overseer resumes
it."""

from collections.abc import Awaitable, Callable, Sequence

from longtable.identity.model import EVERYONE, OVERSEERS, WORKERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.control import Control
from longtable.kernel.errors import Conflict, NotFound
from longtable.kernel.ids import number_of
from longtable.log.audit_blocks import SUCCESS
from longtable.log.ledger import Ledger, Work
from longtable.log.reader import head
from longtable.questions import events, store
from longtable.questions.arguments import CheckPause, ListCheckpoints, ResumeCheckpoint
from longtable.questions.model import (
    CHECKPOINT_PREFIX,
    Checkpoint,
    CheckpointList,
    CheckpointShown,
    PauseChecked,
    Question,
    Reason,
    checkpoint_id,
    question_id,
)
from longtable.questions.pause import pause_reasons
from longtable.sessions.service import Sessions, find_session
from longtable.storage.database import Transaction
from longtable.toolkit.tool import Route, tool

AskedOf = Callable[[Transaction, Caller], Awaitable[tuple[Control | None, bool]]]
"""What a person asks of the caller, and whether the caller has yet to learn of it."""
Acknowledge = Callable[[Work], Awaitable[Control | None]]
"""What a person asks of the caller, who learns of it with the answer to this call."""


class Checkpoints:
    def __init__(self, ledger: Ledger, sessions: Sessions, asked_of: AskedOf, acknowledge: Acknowledge) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._asked_of = asked_of
        self._acknowledge = acknowledge

    @tool(
        "check_pause",
        title="Check for a pause",
        description="Whether the work should pause for people now; if so, sets a checkpoint.",
        group="workspace",
        roles=WORKERS,
        audited_as="pause_checked",
        writes=True,
        repeatable=True,
    )
    async def check_pause(self, call: Call, arguments: CheckPause) -> PauseChecked:
        """Agents ask this all the time, and mostly there is nothing to write down."""
        if call.idempotency_key is None:
            found = await self._ledger.read(call.caller, lambda tx: self._unchanged(tx, call.caller, arguments))
            if found is not None:
                self._ledger.observe(call, SUCCESS)
                return found
        return await self._checked(call, arguments)

    async def _unchanged(self, tx: Transaction, caller: Caller, arguments: CheckPause) -> PauseChecked | None:
        """None where a checkpoint is to be set, a question expires, or the caller learns of something."""
        now = self._ledger.clock()
        (await find_session(tx, caller.session)).check_open(now)
        pending = await store.pending(tx, caller.session, now)
        control, is_news = await self._asked_of(tx, caller)
        if is_news or pause_reasons(pending, arguments) or await store.has_overdue(tx, caller.session, now):
            return None
        return _pause_checked((), pending, None, control)

    async def _checked(self, call: Call, arguments: CheckPause) -> PauseChecked:
        async def body(work: Work) -> PauseChecked:
            await self._sessions.open_for_writing(work)
            tx, session_id = work.tx, work.caller.session
            await expire_due(work)
            pending = await store.pending(tx, session_id, work.now)
            reasons = pause_reasons(pending, arguments)
            checkpoint = await _set_checkpoint(work, reasons, pending) if reasons else None
            return _pause_checked(reasons, pending, checkpoint, await self._acknowledge(work))

        return await self._ledger.write(call, PauseChecked, body)

    @tool(
        "resume_checkpoint",
        title="Go on after a pause",
        description="End a pause that waits for no question.",
        group="workspace",
        roles=OVERSEERS,
        audited_as="checkpoint_resumed",
        writes=True,
        repeatable=True,
        routes=(Route("POST", "/sessions/{session_id}/checkpoints/{checkpoint_id}/resume"),),
    )
    async def resume(self, call: Call, arguments: ResumeCheckpoint) -> CheckpointShown:
        """Raises Conflict while questions of the checkpoint are pending: their answers resume it. One that has been
        resumed already stays so."""
        id = arguments.checkpoint_id

        async def body(work: Work) -> CheckpointShown:
            await self._sessions.open_for_writing(work)
            await expire_due(work)
            checkpoint = await _found(work, id)
            work.touched(f"checkpoint:{id}")
            if checkpoint.resumed_at is not None:
                return CheckpointShown(checkpoint=checkpoint.view())
            pending = await store.pending(work.tx, work.caller.session, work.now)
            waits_for = [question_id(one.number) for one in pending if one.number in checkpoint.questions]
            if waits_for:
                raise Conflict(
                    f"{id} waits for {', '.join(waits_for[:20])}.",
                    hint="Answer or withdraw what is pending: that resumes it.",
                    question_ids=waits_for,
                )
            await _resume(work, checkpoint)
            return CheckpointShown(checkpoint=checkpoint.resumed(work.now).view())

        return await self._ledger.write(call, CheckpointShown, body)

    @tool(
        "list_checkpoints",
        title="List pauses",
        description="List the checkpoints at which the work has paused and not gone on yet.",
        group="workspace",
        roles=EVERYONE,
        audited_as="checkpoints_read",
        over_mcp=False,
        routes=(Route("GET", "/sessions/{session_id}/checkpoints"),),
    )
    async def list_open(self, call: Call, arguments: ListCheckpoints) -> CheckpointList:
        found = await self._ledger.read(call.caller, lambda tx: store.open_checkpoints(tx, call.caller.session))
        return CheckpointList(checkpoints=[checkpoint.view() for checkpoint in found], count=len(found))


async def _set_checkpoint(work: Work, reasons: tuple[Reason, ...], pending: Sequence[Question]) -> Checkpoint:
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


def _pause_checked(
    reasons: Sequence[Reason], pending: Sequence[Question], checkpoint: Checkpoint | None, control: Control | None
) -> PauseChecked:
    is_held_back = control is not None and control.holds_back
    return PauseChecked(
        pause=checkpoint is not None or is_held_back,
        reasons=[*(["control"] if is_held_back else []), *reasons],
        questions=[question.view() for question in pending],
        checkpoint_id=checkpoint_id(checkpoint.number) if checkpoint else None,
        event_seq=checkpoint.event_seq if checkpoint else None,
        control=control,
    )


async def expire_due(work: Work) -> list[int]:
    """Expires the questions of the session whose time is over, and resumes the checkpoints that waited for them."""
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


async def _found(work: Work, id: str) -> Checkpoint:
    number = number_of(CHECKPOINT_PREFIX, id)
    checkpoint = None if number is None else await store.find_checkpoint(work.tx, work.caller.session, number)
    if checkpoint is None:
        raise NotFound(
            f"checkpoint_id: there is no checkpoint {id[:100]!r} in this session.", hint="c1 is the form of an id."
        )
    return checkpoint
