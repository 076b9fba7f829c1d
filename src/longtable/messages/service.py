"""Decides about messages: who says what to whom, and who gets to read it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from longtable.identity.agent_names import known_spelling, store_spelling
from longtable.identity.model import EVERYONE, POSTERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.kernel.content import check_characters, check_json, moment_of
from longtable.kernel.control import ControlAction
from longtable.kernel.errors import CapacityLimitReached, Forbidden, InvalidArgument, NotFound
from longtable.kernel.page import END, read_cursor_before
from longtable.kernel.result import Fetched
from longtable.log.ledger import Ledger, Work
from longtable.log.model import Visibility, viewer
from longtable.log.page_cache import MESSAGE_ADDED, PageKind, additions_since, newest_event
from longtable.log.shared_reads import SharedReads
from longtable.log.waits import Waits
from longtable.messages import events, pages, store
from longtable.messages.arguments import AddMessage, GetMessages, WaitForMessages
from longtable.messages.model import (
    MAX_CHARACTERS,
    MAX_METADATA_BYTES,
    Message,
    MessageAdded,
    MessagePage,
    control_in,
    reaches_further,
)
from longtable.messages.pages import PageShape
from longtable.messages.store import MessageFilter
from longtable.sessions.model import NEWEST_MESSAGES
from longtable.sessions.service import Sessions
from longtable.storage.database import Transaction
from longtable.toolkit.tool import Envelope, Route, Scope, tool

SHOWN_WITH_SESSION = NEWEST_MESSAGES
_PAGES = PageKind("messages", newest_event)
Shown = Callable[[Caller], Awaitable[Fetched]]
"""How far results have shown the caller what is there for it."""
_message_tool = partial(tool, group="messages", scope=Scope.NAMED_SESSION, envelope=Envelope.SUCCESS)


class Messages:
    def __init__(self, ledger: Ledger, sessions: Sessions, waits: Waits, shown: Shown, per_session: int) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._waits = waits
        self._shown = shown
        self._per_session = per_session
        self._waited_for = SharedReads(self._read_waited_for)

    @_message_tool(
        "add_message",
        title="Say something",
        description="Say something to everyone, to one agent, to agents of your type, or to yourself.",
        roles=POSTERS,
        audited_as="message_added",
        writes=True,
        routes=(Route("POST", "/sessions/{session_id}/messages", 201),),
    )
    async def add(self, call: Call, arguments: AddMessage) -> MessageAdded:
        check_characters("content", arguments.content, MAX_CHARACTERS)
        check_json("metadata", arguments.metadata or {}, MAX_METADATA_BYTES)
        control = _control(call.caller, arguments)
        if arguments.to is not None and arguments.visibility == "agent_only":
            raise InvalidArgument.at("visibility", "must be left out beside to, which makes the message private")

        async def body(work: Work) -> MessageAdded:
            addressee = None if arguments.to is None else await store_spelling(work.tx, arguments.to)
            addressing = _Addressing(
                Visibility.PRIVATE if addressee else Visibility(arguments.visibility), addressee, control
            )
            parent = None if arguments.parent_message_id is None else await self._parent(work, arguments, addressing)
            message = await self._append(work, arguments, addressing, parent)
            work.touched(f"message:{message.number}", visibility=message.visibility.value, **addressing.audited)
            work.happened(events.added(message))
            return MessageAdded.of_json(message_id=message.number, timestamp=to_iso(message.created_at))

        # To find how an addressee is spelled is more than to add.
        commit = self._ledger.append if arguments.to is None else self._ledger.write
        return await commit(call, MessageAdded, body)

    @_message_tool(
        "get_messages",
        title="Read messages",
        description="Read the newest messages.",
        roles=EVERYONE,
        audited_as="messages_read",
        routes=(Route("GET", "/sessions/{session_id}/messages"),),
    )
    async def get(self, call: Call, arguments: GetMessages) -> MessagePage:
        if arguments.sender is not None or arguments.looks_back:
            return await self._get(call, arguments)
        seen_by = (*viewer(call.caller).values(), call.caller.bound)
        update = partial(_updated, call, _chosen(arguments, None, self._ledger.clock()))
        return await self._ledger.pages.read(call, _PAGES, lambda: self._get(call, arguments), seen_by, update)

    async def _get(self, call: Call, arguments: GetMessages) -> MessagePage:
        caller = call.caller
        sender = await known_spelling(self._ledger.database, caller.tenant, arguments.sender)
        where = _chosen(arguments, sender, self._ledger.clock())
        one_more = replace(where, limit=where.limit + 1)
        found = await self._ledger.read(caller, lambda tx: store.page(tx, caller, one_more))
        return pages.page_of(found, where, PageShape.of(call))

    @_message_tool(
        "wait_for_messages",
        title="Wait for messages",
        description="Wait until somebody else says something new.",
        roles=EVERYONE,
        audited_as="messages_awaited",
    )
    async def wait(self, call: Call, arguments: WaitForMessages) -> MessagePage:
        """What others have said after `after_id`, as soon as there is something."""
        caller, after = call.caller, arguments.after_id
        if after is None:
            after = (await self._shown(caller)).message
        where = MessageFilter(limit=SHOWN_WITH_SESSION + 1, after_id=after, not_sender=caller.agent)
        look = partial(self._waited_for.ask, (caller.tenant, caller.session), (caller, where))
        with self._waits.shown_as_waiting(caller):
            found = await self._waits.until(caller, arguments.timeout_seconds, look, bool)
        return pages.page_of(found, replace(where, limit=SHOWN_WITH_SESSION), PageShape.of(call))

    async def _read_waited_for(
        self, topic: tuple[str, str], readers: Sequence[tuple[Caller, MessageFilter]]
    ) -> list[list[Message]]:
        tenant, session_id = topic
        return await self._ledger.database.read(tenant, lambda tx: store.pages(tx, session_id, readers))

    async def _parent(self, work: Work, new: AddMessage, addressing: "_Addressing") -> Message:
        """The same error for a parent that never existed, is in another session, or is hidden from the writer."""
        await self._sessions.open_for_writing(work)
        parent = await store.find(work.tx, work.caller, new.parent_message_id or 0)
        if parent is None:
            problem = "parent_message_id: there is no such message in this session."
            raise NotFound(problem, hint="get_messages shows those you can see.")
        if reaches_further(addressing.visibility, addressing.addressee, parent):
            if addressing.addressee is not None:
                raise InvalidArgument.at("to", "must be able to read the parent: name who wrote it, or whom it was for")
            raise InvalidArgument.at(
                "visibility", f"must not be wider than that of its parent, {parent.visibility.value}"
            )
        return parent

    async def _append(self, work: Work, new: AddMessage, addressing: "_Addressing", parent: Message | None) -> Message:
        number = await self._sessions.next_number(work, store.KIND)
        if number > self._per_session:
            raise CapacityLimitReached(
                f"This session has {self._per_session} messages, which is the limit.", limit=self._per_session
            )
        message = Message(
            number=number,
            session_id=work.caller.session,
            sender=work.caller.agent,
            sender_type=work.caller.agent_type,
            content=new.content,
            visibility=addressing.visibility,
            metadata=new.metadata or {},
            parent=parent.number if parent else None,
            thread=parent.thread if parent else number,
            created_at=work.now,
            addressee=addressing.addressee,
            control=addressing.control,
        )
        await store.insert(work.tx, message)
        return message


class _Addressing(NamedTuple):
    """Who sees a message, and what it asks of its addressee."""

    visibility: Visibility
    addressee: str | None
    control: ControlAction | None

    @property
    def audited(self) -> dict[str, str]:
        """Who writes to whom is nobody's business, but for what a person has an agent do."""
        return {} if self.control is None else {"control": self.control, "to": self.addressee or ""}


def _control(caller: Caller, new: AddMessage) -> ControlAction | None:
    """Raises Forbidden for whoever is not a person at a surface for people."""
    if new.kind != "control":
        return None
    if not caller.is_human:
        raise Forbidden("kind: only a person may ask an agent to pause, to resume or to stop, and not over MCP.")
    if new.to is None:
        raise InvalidArgument.at("to", "must name the agent")
    control = control_in(new.content)
    if control is None:
        raise InvalidArgument.at("content", "must be pause, resume or stop, and may go on with a colon and the reason")
    return control


async def _updated(
    call: Call, where: MessageFilter, tx: Transaction, page: MessagePage, version: int
) -> tuple[MessagePage, int] | None:
    """What was added goes to the newest page; a page that ends before it stays the same."""
    added = await additions_since(tx, call.caller.session, version)
    if added is None:
        return None
    numbers = added.numbers[MESSAGE_ADDED]
    if not numbers or _ends_before(where, page, numbers[0]):
        return page, added.version
    if not where.is_newest_first or where.is_partial or where.after_id:
        return None
    new = MessageFilter(len(numbers), after_id=numbers[0] - 1, before_id=numbers[-1] + 1)
    seen = await store.page(tx, call.caller, new)
    longer = pages.grown(page, seen, where, PageShape.of(call)) if seen else page
    return None if longer is None else (longer, added.version)


def _ends_before(where: MessageFilter, page: MessagePage, number: int) -> bool:
    return (where.before_id or END) <= number if where.is_newest_first else page.is_followed


def _chosen(arguments: GetMessages, sender: str | None, now: int) -> MessageFilter:
    return MessageFilter(
        limit=arguments.limit,
        is_newest_first=arguments.begins_at_the_end,
        offset=arguments.offset or 0,
        after_id=arguments.after_id or 0,
        before_id=_before(arguments),
        visibility=Visibility(arguments.visibility_filter) if arguments.visibility_filter else None,
        sender=sender,
        since=moment_of(arguments.since, now) if arguments.since else None,
        until=moment_of(arguments.until, now) if arguments.until else None,
        thread=arguments.thread,
    )


def _before(arguments: GetMessages) -> int | None:
    if arguments.cursor is None:
        return arguments.before_id
    if arguments.order == "oldest":
        raise InvalidArgument.at("cursor", "goes back from the newest page, not on from the oldest; after_id does")
    return min(read_cursor_before(arguments.cursor), arguments.before_id or END)


async def newest_messages(tx: Transaction, call: Call) -> tuple[list[dict[str, Any]], int]:
    """For a look at the session: the newest first, and how many the caller may see in all."""
    where = MessageFilter(SHOWN_WITH_SESSION, is_newest_first=True)
    found = await store.page(tx, call.caller, where)
    return pages.newest_first(found, PageShape.of(call)), await store.count(tx, call.caller)
