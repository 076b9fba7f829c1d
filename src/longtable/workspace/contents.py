"""Everything in a session, read page by page."""

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
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
from longtable.sessions.model import Session
from longtable.sessions.service import find_session
from longtable.storage import counters
from longtable.storage.database import Transaction

T = TypeVar("T")

_PAGE = 50
_EVENTS_A_PAGE = 500


class Contents:
    """What the caller may see of its session at the moment `now`."""

    def __init__(self, ledger: Ledger, caller: Caller, now: int) -> None:
        self._ledger = ledger
        self._caller = caller
        self._session_id = caller.session
        self.now = now

    async def session(self) -> Session:
        return await self._read(lambda tx: find_session(tx, self._session_id))

    def notes(self) -> AsyncIterator[Note]:
        def page(after: int, tx: Transaction) -> Awaitable[list[Note]]:
            return note_store.page(tx, self._session_id, NoteFilter(_PAGE, after=after))

        return self._paged(page, lambda note: note.number)

    async def sections(self) -> list[SectionVersion]:
        """The current versions in order, without their texts."""
        return await self._read(lambda tx: draft_store.outline(tx, self._session_id))

    async def version(self, section_id: str, number: int) -> SectionVersion | None:
        return await self._read(lambda tx: draft_store.version(tx, self._session_id, section_id, number))

    async def tasks(self) -> AsyncIterator[tuple[Task, list[TaskNote]]]:
        last = await self._read(lambda tx: counters.current(tx, self._session_id, "task"))
        for number in range(1, last + 1):
            found = await self._task(number)
            if found is not None:
                yield found

    def questions(self) -> AsyncIterator[Question]:
        def page(after: int, tx: Transaction) -> Awaitable[list[Question]]:
            return question_store.select(tx, self._session_id, QuestionFilter(after=after, limit=_PAGE), self.now)

        return self._paged(page, lambda question: question.number)

    def messages(self) -> AsyncIterator[Message]:
        def page(after: int, tx: Transaction) -> Awaitable[list[Message]]:
            return message_store.page(tx, self._caller, MessageFilter(_PAGE, after_id=after))

        return self._paged(page, lambda message: message.number)

    async def events(self) -> AsyncIterator[LoggedEvent]:
        """Only events of this session."""
        event_filter = EventFilter(self._caller, self._session_id)

        def page(after: int, tx: Transaction) -> Awaitable[list[LoggedEvent]]:
            return reader.visible_after(tx, event_filter, after, _EVENTS_A_PAGE)

        async for event in self._paged(page, lambda event: event.seq):
            if event.session_id is not None:
                yield event

    async def _paged(
        self, page: Callable[[int, Transaction], Awaitable[list[T]]], number_of: Callable[[T], int]
    ) -> AsyncIterator[T]:
        after = 0
        while found := await self._read(partial(page, after)):
            for one in found:
                yield one
            after = number_of(found[-1])

    async def _task(self, number: int) -> tuple[Task, list[TaskNote]] | None:
        async def body(tx: Transaction) -> tuple[Task, list[TaskNote]] | None:
            task = await plan_store.find(tx, self._session_id, number)
            return (task, (await plan_store.notes_of(tx, self._session_id, [task])).get(number, [])) if task else None

        return await self._read(body)

    async def _read(self, body: Callable[[Transaction], Awaitable[T]]) -> T:
        return await self._ledger.read(self._caller, body)
