"""Decides about notes: who writes which number, what is found."""

from dataclasses import dataclass, replace

from longtable.fulltext.words import MAX_QUERY, parse_query
from longtable.kernel.call import Call
from longtable.kernel.clock import to_iso
from longtable.kernel.content import check_bytes, check_characters, check_count
from longtable.kernel.errors import CapacityLimitReached, NotFound
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.log.ledger import Ledger, Work
from longtable.notes import events, store
from longtable.notes.model import (
    MAX_SOURCE_BYTES,
    MAX_TAG_CHARACTERS,
    MAX_TAGS,
    NewNote,
    Note,
    NoteAdded,
    NoteLimits,
    NotePage,
    NoteStamp,
    note_id,
)
from longtable.notes.store import NoteFilter
from longtable.sessions.service import Sessions
from longtable.storage.database import Transaction


@dataclass(frozen=True, slots=True)
class NoteQuery:
    limit: int
    query: str | None = None
    tags: tuple[str, ...] = ()
    author: str | None = None
    cursor: str | None = None


class Notes:
    def __init__(self, ledger: Ledger, sessions: Sessions, limits: NoteLimits) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._limits = limits

    async def add(self, call: Call, new: NewNote) -> NoteAdded:
        self._check(new)

        async def body(work: Work) -> NoteAdded:
            await self._sessions.open_for_writing(work)
            note = await self._append(work, new)
            work.touched(f"note:{note_id(note.number)}")
            work.happened(events.added(note))
            stamp = NoteStamp(
                id=note_id(note.number), tags=list(note.tags), author=note.author, timestamp=to_iso(note.created_at)
            )
            return NoteAdded(note=stamp)

        return await self._ledger.write(call, NoteAdded, body)

    async def read(self, call: Call, wanted: NoteQuery) -> NotePage:
        if wanted.query is not None:
            check_characters("query", wanted.query, MAX_QUERY)
        session_id = call.caller.session

        async def body(tx: Transaction) -> NotePage:
            newest = await store.newest_number(tx, session_id)
            chosen = _chosen(wanted, newest)
            if chosen.query is not None and not chosen.query.terms:
                return NotePage(notes=[], count=0, total=0, next_cursor=None)
            total = await _total(tx, session_id, chosen, newest)
            if chosen.query is not None and total == 0:
                chosen = replace(chosen, query=chosen.query.loosened())
                total = await _total(tx, session_id, chosen, newest)
            found = await store.page(tx, session_id, replace(chosen, limit=wanted.limit + 1))
            page = found[: wanted.limit]
            return NotePage(
                notes=[note.view(score) for note, score in page],
                count=len(page),
                total=total,
                next_cursor=_cursor(chosen, page[-1][0], len(page)) if len(found) > len(page) else None,
            )

        return await self._ledger.read(call.caller, body)

    def _check(self, new: NewNote) -> None:
        check_bytes("content", new.content, self._limits.content_bytes)
        check_count("tags", new.tags, MAX_TAGS)
        for position, tag in enumerate(new.tags):
            check_characters(f"tags.{position}", tag, MAX_TAG_CHARACTERS)
        if new.source is not None:
            check_bytes("source", new.source, MAX_SOURCE_BYTES)

    async def _append(self, work: Work, new: NewNote) -> Note:
        session_id = work.caller.session
        number = await store.next_number(work.tx, session_id)
        if number > self._limits.per_session:
            raise CapacityLimitReached(
                f"This session has {self._limits.per_session} notes, which is the limit.",
                limit=self._limits.per_session,
            )
        if new.supersedes is not None and not await store.supersede(work.tx, session_id, new.supersedes, number):
            raise NotFound(f"supersedes: there is no note {note_id(new.supersedes)} in this session.")
        note = Note(
            number=number,
            content=new.content,
            tags=tuple(dict.fromkeys(new.tags)),
            author=work.caller.agent,
            source=new.source,
            supersedes=new.supersedes,
            superseded_by=None,
            created_at=work.now,
        )
        await store.insert(work.tx, session_id, note)
        return note


def _chosen(wanted: NoteQuery, newest: int) -> NoteFilter:
    chosen = NoteFilter(wanted.limit, wanted.tags, wanted.author)
    if wanted.query is None:
        return replace(chosen, after=decode_cursor(wanted.cursor, int)[0]) if wanted.cursor else chosen
    chosen = replace(chosen, query=parse_query(wanted.query), newest=newest)
    if wanted.cursor is None:
        return chosen
    newest, skip = decode_cursor(wanted.cursor, int, int)
    return replace(chosen, newest=newest, skip=max(0, skip))


def _cursor(chosen: NoteFilter, last: Note, shown: int) -> str:
    if chosen.query is None:
        return encode_cursor(last.number)
    return encode_cursor(chosen.newest, chosen.skip + shown)


async def _total(tx: Transaction, session_id: str, chosen: NoteFilter, newest: int) -> int:
    if chosen.query is None and not chosen.tags and chosen.author is None:
        return newest
    return await store.count(tx, session_id, chosen)
