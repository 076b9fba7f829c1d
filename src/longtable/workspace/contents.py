"""Everything in a session, read piece by piece: as much at a time as a page holds, however much there is."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from longtable.draft import store as draft_store
from longtable.draft.model import SectionVersion
from longtable.kernel.caller import Caller
from longtable.log import reader
from longtable.log.ledger import Ledger
from longtable.log.reader import EventFilter, LoggedEvent
from longtable.messages import store as message_store
from longtable.messages.model import Message
from longtable.messages.store import MessageFilter
from longtable.notes import store as note_store
from longtable.notes.model import Note
from longtable.notes.store import NoteFilter
from longtable.plan import store as plan_store
from longtable.plan.model import Task, TaskNote
from longtable.questions import store as question_store
from longtable.questions.model import Question
from longtable.questions.store import QuestionFilter
from longtable.sessions import store as session_store
from longtable.sessions.model import Session
from longtable.sessions.service import not_found
from longtable.storage import counters
from longtable.storage.database import Transaction

T = TypeVar("T")

_PAGE = 50
_EVENTS_A_PAGE = 500


class Contents:
    """What the caller, who is inside the session, may see of it at the moment `now`."""

    def __init__(self, ledger: Ledger, caller: Caller, now: int) -> None:
        self._ledger = ledger
        self._caller = caller
        self._session_id = caller.session
        self.now = now

    async def session(self) -> Session:
        session = await self._read(lambda tx: session_store.find(tx, self._session_id))
        if session is None:
            raise not_found()
        return session

    async def notes(self) -> AsyncIterator[Note]:
        after = 0
        while page := await self._notes_after(after):
            for note in page:
                yield note
            after = page[-1].number

    async def sections(self) -> list[SectionVersion]:
        """As they stand, in order, without their texts."""
        return await self._read(lambda tx: draft_store.outline(tx, self._session_id))

    async def version(self, section_id: str, number: int) -> SectionVersion | None:
        return await self._read(lambda tx: draft_store.version(tx, self._session_id, section_id, number))

    async def tasks(self) -> AsyncIterator[tuple[Task, list[TaskNote]]]:
        last = await self._read(lambda tx: counters.current(tx, self._session_id, "task"))
        for number in range(1, last + 1):
            found = await self._task(number)
            if found is not None:
                yield found

    async def questions(self) -> AsyncIterator[Question]:
        after = 0
        while page := await self._questions_after(after):
            for question in page:
                yield question
            after = page[-1].number

    async def messages(self) -> AsyncIterator[Message]:
        after = 0
        while page := await self._messages_after(after):
            for message in page:
                yield message
            after = page[-1].number

    async def events(self) -> AsyncIterator[LoggedEvent]:
        after = 0
        while page := await self._events_after(after):
            for event in page:
                if event.session_id is not None:
                    yield event
            after = page[-1].seq

    async def _notes_after(self, number: int) -> list[Note]:
        return await self._read(lambda tx: note_store.page(tx, self._session_id, NoteFilter(_PAGE, after=number)))

    async def _questions_after(self, number: int) -> list[Question]:
        where = QuestionFilter(after=number, limit=_PAGE)
        return await self._read(lambda tx: question_store.select(tx, self._session_id, where, self.now))

    async def _messages_after(self, number: int) -> list[Message]:
        where = MessageFilter(_PAGE, after_id=number)
        return await self._read(lambda tx: message_store.page(tx, self._caller, where))

    async def _events_after(self, seq: int) -> list[LoggedEvent]:
        event_filter = EventFilter(self._caller, self._session_id)
        return await self._read(lambda tx: reader.visible_after(tx, event_filter, seq, _EVENTS_A_PAGE))

    async def _task(self, number: int) -> tuple[Task, list[TaskNote]] | None:
        async def body(tx: Transaction) -> tuple[Task, list[TaskNote]] | None:
            task = await plan_store.find(tx, self._session_id, number)
            return (task, (await plan_store.notes_of(tx, self._session_id, [task]))[number]) if task else None

        return await self._read(body)

    async def _read(self, body: Callable[[Transaction], Awaitable[T]]) -> T:
        return await self._ledger.read(self._caller, body)
