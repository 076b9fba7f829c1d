"""Decides about notes: who writes which number, what is found."""

from contextlib import suppress
from dataclasses import replace
from functools import partial

from longtable.identity.agent_names import known_spelling
from longtable.identity.model import EVERYONE, WORKERS
from longtable.kernel.call import Call
from longtable.kernel.clock import to_iso
from longtable.kernel.content import check_bytes, check_characters, check_count
from longtable.kernel.errors import CapacityLimitReached, InvalidArgument, NotFound
from longtable.kernel.ids import likely_id, number_of
from longtable.kernel.page import COUNTED, END, decode_cursor, read_cursor_before
from longtable.log.ledger import Ledger, Work
from longtable.log.page_cache import NOTE_ADDED, PageKind, additions_since, newest_event
from longtable.notes import events, pages, store
from longtable.notes.arguments import AddNote, CountNoteTags, ReadNotes
from longtable.notes.model import (
    MAX_SOURCE_BYTES,
    MAX_TAG_CHARACTERS,
    MAX_TAGS,
    PREFIX,
    CountedAuthor,
    CountedTag,
    Note,
    NoteAdded,
    NoteLimits,
    NotePage,
    NoteTags,
    note_id,
)
from longtable.notes.ports import MODES, Mode, NoteSearch, NoteSearchQuery
from longtable.notes.store import NoteFilter
from longtable.sessions.service import Sessions
from longtable.storage.database import Transaction
from longtable.toolkit.tool import Route, tool

_PAGES = PageKind("notes", newest_event)
_TAGS = PageKind("note tags", newest_event)
_MOST_TAGS = 200
_MOST_AUTHORS = 200


class Notes:
    def __init__(self, ledger: Ledger, sessions: Sessions, limits: NoteLimits, search: NoteSearch) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._limits = limits
        self._search = search

    @tool(
        "add_note",
        title="Pin a note",
        description="Pin a finding, fact or URL where every agent can find it.",
        group="workspace",
        roles=WORKERS,
        audited_as="note_added",
        writes=True,
        routes=(Route("POST", "/sessions/{session_id}/notes", 201),),
    )
    async def add(self, call: Call, arguments: AddNote) -> NoteAdded:
        supersedes = None if arguments.supersedes is None else _number_of(arguments.supersedes)
        self._check(arguments)
        return await self._ledger.append(call, NoteAdded, partial(self._append, new=arguments, supersedes=supersedes))

    @tool(
        "read_notes",
        title="Read notes",
        description="Read the newest notes, or those that match a query, tags or an author.",
        group="workspace",
        roles=EVERYONE,
        audited_as="notes_read",
        routes=(Route("GET", "/sessions/{session_id}/notes"),),
    )
    async def read(self, call: Call, arguments: ReadNotes) -> NotePage:
        if arguments.query is None and arguments.author is None:
            update = None if arguments.all_tags else partial(_updated, call, _chosen(arguments, None))
            return await self._ledger.pages.read(call, _PAGES, lambda: self._page(call, arguments, None), update=update)
        author = await known_spelling(self._ledger.database, call.caller.tenant, arguments.author)
        if arguments.query is not None:
            return await self._find(call, arguments, arguments.query, author)
        return await self._page(call, arguments, author)

    @tool(
        "count_note_tags",
        title="Count the tags of notes",
        description="Show how often each tag and author stands at the notes of a session.",
        group="workspace",
        roles=EVERYONE,
        audited_as="notes_read",
        over_mcp=False,
        routes=(Route("GET", "/sessions/{session_id}/notes/tags"),),
    )
    async def count_tags(self, call: Call, arguments: CountNoteTags) -> NoteTags:
        session_id = call.caller.session

        async def body(tx: Transaction) -> NoteTags:
            tags = await store.tag_counts(tx, session_id, _MOST_TAGS + 1)
            authors = await store.author_counts(tx, session_id, _MOST_AUTHORS)
            total = await store.newest_number(tx, session_id)
            return NoteTags(
                tags=[CountedTag(tag=tag, count=count) for tag, count in tags[:_MOST_TAGS]],
                authors=[CountedAuthor(author=author, count=count) for author, count in authors],
                total=total,
                untagged=total - await store.tagged_count(tx, session_id),
                more=len(tags) > _MOST_TAGS or None,
            )

        return await self._ledger.pages.read(call, _TAGS, lambda: self._ledger.read(call.caller, body))

    async def _page(self, call: Call, arguments: ReadNotes, author: str | None) -> NotePage:
        session_id = call.caller.session
        chosen = _chosen(arguments, author)

        async def body(tx: Transaction) -> tuple[int, list[Note]]:
            page = await store.page(tx, session_id, chosen)
            if chosen.is_narrowed:
                return await store.count(tx, session_id, chosen, COUNTED + 1), page
            return await store.newest_number(tx, session_id), page

        total, found = await self._ledger.read(call.caller, body)
        is_more = chosen.is_narrowed and total > COUNTED
        counted = {"total": COUNTED, "more": True} if is_more else {"total": total}
        return pages.page_of(found, chosen, counted, call.max_chars)

    async def _find(self, call: Call, arguments: ReadNotes, query: str, author: str | None) -> NotePage:
        """Pages of a ranking, whatever the order. It is kept still by leaving out what was added since the first page,
        and by searching for the others in the way that the first was found."""
        session_id = call.caller.session
        if arguments.before is not None or arguments.after is not None:
            raise InvalidArgument.at("query", "cannot be given together with before or after")
        if arguments.cursor is None:
            newest = await self._ledger.read(call.caller, lambda tx: store.newest_number(tx, session_id))
            skip, mode = 0, arguments.mode
        else:
            newest, skip, mode = _ranked_cursor(arguments.cursor)
        searched = NoteSearchQuery(query, mode, arguments.all_tags, author, newest, skip, arguments.limit)
        ranked = await self._search.rank(call.caller, searched)
        notes = await self._ledger.read(call.caller, lambda tx: store.some(tx, session_id, ranked.scores))
        items = [note.as_json(ranked.scores[note.number]) for note in notes]
        return pages.ranking(items, ranked, searched, call.max_chars)

    def _check(self, new: AddNote) -> None:
        check_bytes("content", new.content, self._limits.content_bytes)
        check_count("tags", new.tags, MAX_TAGS)
        for position, tag in enumerate(new.tags):
            check_characters(f"tags.{position}", tag, MAX_TAG_CHARACTERS)
        if new.source is not None:
            check_bytes("source", new.source, MAX_SOURCE_BYTES)

    async def _append(self, work: Work, new: AddNote, supersedes: int | None) -> NoteAdded:
        number = await self._sessions.next_number(work, store.KIND)
        session_id = work.caller.session
        if number > self._limits.per_session:
            raise CapacityLimitReached(
                f"This session has {self._limits.per_session} notes, which is the limit.",
                limit=self._limits.per_session,
            )
        if supersedes is not None and not await store.supersede(work.tx, session_id, supersedes, number):
            problem = f"supersedes: there is no note {note_id(supersedes)} in this session."
            raise NotFound(problem, hint="read_notes shows those there are.")
        note = Note(
            number=number,
            content=new.content,
            tags=tuple(dict.fromkeys(new.tags)),
            author=work.caller.agent,
            source=new.source,
            supersedes=supersedes,
            superseded_by=None,
            created_at=work.now,
        )
        await store.insert(work.tx, session_id, note)
        work.touched(f"note:{note_id(number)}")
        work.happened(events.added(note))
        stamp = {
            "id": note_id(number),
            "tags": list(note.tags),
            "author": note.author,
            "timestamp": to_iso(note.created_at),
        }
        return NoteAdded.of_json(note=stamp)


def _number_of(id: str, argument: str = "supersedes") -> int:
    number = number_of(PREFIX, id)
    if number is None:
        raise InvalidArgument.at(argument, f"must be the id of a note, such as n3{likely_id(PREFIX, id)}")
    return number


async def _updated(
    call: Call, chosen: NoteFilter, tx: Transaction, page: NotePage, version: int
) -> tuple[NotePage, int] | None:
    """A page of all notes after others were added: the newest page gets them, an earlier one only another total."""
    session_id = call.caller.session
    added = await additions_since(tx, session_id, version)
    if added is None:
        return None
    numbers = added.numbers[NOTE_ADDED]
    if not numbers:
        return page, added.version
    if chosen.before == END:
        longer = pages.grown(page, await store.some(tx, session_id, numbers), chosen, call.max_chars)
        return None if longer is None else (longer, added.version)
    encoded = page.with_total(numbers[-1])
    if encoded is None or await store.any_supersedes(tx, session_id, numbers[0], numbers[-1]):
        return None
    return page.only_encoded(encoded), added.version


def _chosen(arguments: ReadNotes, author: str | None) -> NoteFilter:
    """A cursor tells in which order it was made; one of the other order than `order` is refused."""
    limit, tags, order, cursor = arguments.limit + 1, arguments.all_tags, arguments.order, arguments.cursor
    if arguments.before is not None or arguments.after is not None:
        return _beside(arguments, NoteFilter(limit, tags, author))
    if cursor is None:
        is_newest = order != "oldest"
        return NoteFilter(limit, tags, author, before=END if is_newest else None)
    if order == "oldest" or (order is None and _goes_forward(cursor)):
        return NoteFilter(limit, tags, author, after=decode_cursor(cursor, int)[0])
    return NoteFilter(limit, tags, author, before=read_cursor_before(cursor))


def _beside(arguments: ReadNotes, chosen: NoteFilter) -> NoteFilter:
    if sum(place is not None for place in (arguments.before, arguments.after, arguments.cursor)) > 1:
        raise InvalidArgument.at("before", "cannot be given together with after or cursor")
    if arguments.after is not None:
        return replace(chosen, after=_number_of(arguments.after, "after"))
    return replace(chosen, before=_number_of(arguments.before or "", "before"))


def _goes_forward(cursor: str) -> bool:
    with suppress(InvalidArgument):
        decode_cursor(cursor, int)
        return True
    return False


def _ranked_cursor(cursor: str) -> tuple[int, int, Mode]:
    newest, skip, name = decode_cursor(cursor, int, int, str)
    for mode in MODES:
        if mode == name:
            return newest, max(0, skip), mode
    raise InvalidArgument.at("cursor", "must be a cursor from an earlier page of the same list")
