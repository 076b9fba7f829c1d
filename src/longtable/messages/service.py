"""Decides about messages: who says what to whom, and who gets to read it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from longtable.identity.agent_names import known_spelling
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.kernel.content import check_characters, check_json
from longtable.kernel.errors import CapacityLimitReached, InvalidArgument, NotFound
from longtable.kernel.result import Fetched
from longtable.log.ledger import Ledger, Work
from longtable.log.waits import Waits
from longtable.messages import events, store
from longtable.messages.model import (
    MAX_CHARACTERS,
    MAX_METADATA_BYTES,
    Message,
    MessageAdded,
    MessagePage,
    NewMessage,
    reaches_further,
)
from longtable.messages.store import MessageFilter
from longtable.sessions.service import Sessions
from longtable.storage.database import Transaction

SHOWN_WITH_SESSION = 50
Shown = Callable[[Caller], Awaitable[Fetched]]
"""How far the caller has been shown things by answers that it has received."""


@dataclass(frozen=True, slots=True)
class Wait:
    """`after_id` of None means: after what the caller has been shown."""

    after_id: int | None
    seconds: float


class Messages:
    def __init__(self, ledger: Ledger, sessions: Sessions, waits: Waits, shown: Shown, per_session: int) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._waits = waits
        self._shown = shown
        self._per_session = per_session

    async def add(self, call: Call, new: NewMessage) -> MessageAdded:
        check_characters("content", new.content, MAX_CHARACTERS)
        check_json("metadata", new.metadata, MAX_METADATA_BYTES)

        async def body(work: Work) -> MessageAdded:
            await self._sessions.open_for_writing(work)
            parent = await _parent(work, new)
            message = await self._append(work, new, parent)
            work.touched(f"message:{message.number}", visibility=message.visibility.value)
            work.happened(events.added(message))
            return MessageAdded(message_id=message.number, timestamp=to_iso(message.created_at))

        return await self._ledger.write(call, MessageAdded, body)

    async def get(self, call: Call, wanted: MessageFilter) -> MessagePage:
        sender = await known_spelling(self._ledger.database, call.caller.tenant, wanted.sender)
        wanted = replace(wanted, sender=sender)

        async def body(tx: Transaction) -> MessagePage:
            found = await store.page(tx, call.caller, replace(wanted, limit=wanted.limit + 1))
            return _paged(found, wanted)

        return await self._ledger.read(call.caller, body)

    async def wait(self, call: Call, wanted: Wait) -> MessagePage:
        """What others have said after `after_id`, as soon as there is something."""
        caller = call.caller
        after = wanted.after_id
        if after is None:
            after = (await self._shown(caller)).message
        chosen = MessageFilter(limit=SHOWN_WITH_SESSION, after_id=after, not_sender=caller.agent)

        async def look() -> MessagePage:
            return await self.get(call, chosen)

        return await self._waits.until(caller, wanted.seconds, look, lambda page: bool(page.messages))

    async def newest(self, tx: Transaction, caller: Caller) -> tuple[list[dict[str, Any]], int]:
        """For a look at the session: the newest first, and how many the caller may see in all."""
        found = await store.newest(tx, caller, SHOWN_WITH_SESSION)
        views = [message.view().model_dump(mode="json") for message in found]
        return views, await store.count(tx, caller)

    async def _append(self, work: Work, new: NewMessage, parent: Message | None) -> Message:
        number = await store.next_number(work.tx, work.caller.session)
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
            visibility=new.visibility,
            metadata=new.metadata,
            parent=parent.number if parent else None,
            thread=parent.thread if parent else number,
            created_at=work.now,
        )
        await store.insert(work.tx, message)
        return message


async def _parent(work: Work, new: NewMessage) -> Message | None:
    """One answer for a parent that never was, is elsewhere, or is hidden from the writer."""
    if new.parent is None:
        return None
    parent = await store.find(work.tx, work.caller, new.parent)
    if parent is None:
        raise NotFound("parent_message_id: there is no such message in this session.")
    if reaches_further(new.visibility, parent.visibility):
        raise InvalidArgument.at("visibility", f"must not be wider than that of its parent, {parent.visibility.value}")
    return parent


def _paged(found: list[Message], wanted: MessageFilter) -> MessagePage:
    shown = found[: wanted.limit]
    if wanted.before_id is not None:
        shown.reverse()
    page = MessagePage(
        messages=[message.view() for message in shown],
        count=len(shown),
        has_more=len(found) > len(shown),
        next_after_id=shown[-1].number if shown else wanted.after_id,
    )
    if shown and not wanted.is_partial:
        page.fetches(Fetched(message=shown[-1].number))
    return page
