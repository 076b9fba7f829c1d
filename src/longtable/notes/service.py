"""Decides about notes: who writes which number, what is found."""

from dataclasses import dataclass, replace

from longtable.identity.agent_names import known_spelling
from longtable.kernel.call import Call
from longtable.kernel.clock import to_iso
from longtable.kernel.content import check_bytes, check_characters, check_count
from longtable.kernel.errors import CapacityLimitReached, InvalidArgument, NotFound
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
    Order,
    note_id,
)
from longtable.notes.ports import MODES, Mode, NoteQuestion, NoteSearch
from longtable.notes.store import NoteFilter
from longtable.sessions.service import Sessions
from longtable.storage.database import Transaction

_END = 2**62


@dataclass(frozen=True, slots=True)
class NoteQuery:
    limit: int
    query: str | None = None
    tags: tuple[str, ...] = ()
    author: str | None = None
    mode: Mode = "keyword"
    cursor: str | None = None
    order: Order = "oldest"


class Notes:
    def __init__(self, ledger: Ledger, sessions: Sessions, limits: NoteLimits, search: NoteSearch) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._limits = limits
        self._search = search

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
        author = await known_spelling(self._ledger.database, call.caller.tenant, wanted.author)
        wanted = replace(wanted, author=author)
        if wanted.query is not None:
            return await self._find(call, wanted, wanted.query)
        session_id = call.caller.session
        chosen = _filter(wanted)

        async def body(tx: Transaction) -> tuple[int, list[Note]]:
            page = await store.page(tx, session_id, chosen)
            if chosen.tags or chosen.author is not None:
                return await store.count(tx, session_id, chosen), page
            return await store.newest_number(tx, session_id), page

        total, found = await self._ledger.read(call.caller, body)
        page = found[: wanted.limit]
        return NotePage(
            notes=[note.view() for note in page],
            count=len(page),
            total=total,
            next_cursor=_cursor(wanted, page[-1]) if len(found) > len(page) else None,
        )

    async def _find(self, call: Call, wanted: NoteQuery, query: str) -> NotePage:
        """Pages of a ranking. It is kept still by leaving out what was added since the first of them, and by searching
        for the others in the way that the first was found."""
        if wanted.order != "oldest":
            raise InvalidArgument.at("order", "does not go with query, which has the best first")
        session_id = call.caller.session
        if wanted.cursor is None:
            newest = await self._ledger.read(call.caller, lambda tx: store.newest_number(tx, session_id))
            skip, mode = 0, wanted.mode
        else:
            newest, skip, mode = _ranked_cursor(wanted.cursor)
        question = NoteQuestion(query, mode, wanted.tags, wanted.author, newest, skip, wanted.limit)
        ranked = await self._search.rank(call.caller, question)
        notes = await self._ledger.read(call.caller, lambda tx: store.some(tx, session_id, ranked.scores))
        return NotePage(
            notes=[note.view(ranked.scores[note.number]) for note in notes],
            count=len(notes),
            total=ranked.total,
            next_cursor=encode_cursor(newest, skip + wanted.limit, ranked.mode) if ranked.has_more else None,
            warming=ranked.warming,
            degraded=ranked.degraded,
        )

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


def _filter(wanted: NoteQuery) -> NoteFilter:
    if wanted.order == "oldest":
        after = decode_cursor(wanted.cursor, int)[0] if wanted.cursor else 0
        return NoteFilter(wanted.limit + 1, wanted.tags, wanted.author, after)
    before = decode_cursor(wanted.cursor, int, str)[0] if wanted.cursor else _END
    return NoteFilter(wanted.limit + 1, wanted.tags, wanted.author, before=before)


def _cursor(wanted: NoteQuery, last: Note) -> str:
    """That of one order is none in the other."""
    return encode_cursor(last.number) if wanted.order == "oldest" else encode_cursor(last.number, wanted.order)


def _ranked_cursor(cursor: str) -> tuple[int, int, Mode]:
    newest, skip, given = decode_cursor(cursor, int, int, str)
    for mode in MODES:
        if mode == given:
            return newest, max(0, skip), mode
    raise InvalidArgument.at("cursor", "must be a cursor from an earlier page of the same list")
