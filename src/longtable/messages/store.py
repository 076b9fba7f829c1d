"""SQL for messages. Every query that shows one to a caller holds the one rule about visibility."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from longtable.fulltext import index, waiting
from longtable.kernel.caller import Caller
from longtable.kernel.canonical import compact
from longtable.log.model import Visibility, may_see, viewer, visible_rows
from longtable.messages.model import Message
from longtable.storage import counters
from longtable.storage.database import Transaction

KIND = "message"
VISIBLE = visible_rows("sender", "sender_type")
_VISIBILITIES = {visibility.value: visibility for visibility in Visibility}
_SHARED = 100
"""Messages that are read at once for many callers; where there are more, each reads for itself."""
_COLUMNS = """number, session_id, sender, sender_type, content, visibility, metadata, parent, thread,
    messages.created_at, addressee, control, acknowledged_at, origin"""
DIRECTED = "directed"
"""What the totals call a message in the count of its addressee. In that of its sender, and of all, it is private."""
VISIBLE_COUNTS = f"""((:sees_all = 1 AND visibility <> '{DIRECTED}') OR visibility = 'public'
    OR (visibility IN ('private', '{DIRECTED}') AND holder = :viewer)
    OR (visibility = 'agent_only' AND holder = :viewer_type))"""
"""`VISIBLE` for the totals."""


@dataclass(frozen=True, slots=True)
class MessageFilter:
    """`is_newest_first` chooses those next to the end, or to `before_id`."""

    limit: int
    is_newest_first: bool = False
    offset: int = 0
    after_id: int = 0
    before_id: int | None = None
    visibility: Visibility | None = None
    sender: str | None = None
    not_sender: str | None = None
    since: int | None = None
    until: int | None = None
    thread: int | None = None

    @property
    def is_partial(self) -> bool:
        """Whether it may leave out messages that the caller has not seen."""
        narrowed = (self.before_id, self.visibility, self.sender, self.since, self.until, self.thread)
        return self.offset > 0 or any(narrowed)


async def insert(tx: Transaction, message: Message) -> None:
    await tx.enqueue(
        """INSERT INTO messages (tenant, session_id, number, sender, sender_type, content, visibility, metadata,
               parent, thread, created_at, addressee, control)
           VALUES (:tenant, :session_id, :number, :sender, :sender_type, :content, :visibility, :metadata,
               :parent, :thread, :created_at, :addressee, :control)""",
        session_id=message.session_id,
        number=message.number,
        sender=message.sender,
        sender_type=message.sender_type,
        content=message.content,
        visibility=message.visibility.value,
        metadata=compact(message.metadata),
        parent=message.parent,
        thread=message.thread,
        created_at=message.created_at,
        addressee=message.addressee,
        control=message.control,
    )
    for visibility, holder in _counted_as(message):
        await tx.enqueue(
            """INSERT INTO message_counts (tenant, session_id, visibility, holder, value)
               VALUES (:tenant, :session_id, :visibility, :holder, 1)
               ON CONFLICT (tenant, session_id, visibility, holder) DO UPDATE SET value = message_counts.value + 1""",
            session_id=message.session_id,
            visibility=visibility,
            holder=holder,
        )
    await waiting.add(tx, document(message))


async def count_anew(tx: Transaction, session_id: str) -> None:
    """The totals of each kind and holder, for rows that were written by nobody here."""
    await tx.execute(
        """INSERT INTO message_counts (tenant, session_id, visibility, holder, value)
           SELECT :tenant, session_id, visibility,
               CASE visibility WHEN 'private' THEN sender WHEN 'agent_only' THEN sender_type ELSE '' END, COUNT(*)
           FROM messages WHERE tenant = :tenant AND session_id = :session_id GROUP BY 2, 3, 4""",
        session_id=session_id,
    )
    await tx.execute(
        f"""INSERT INTO message_counts (tenant, session_id, visibility, holder, value)
            SELECT :tenant, session_id, '{DIRECTED}', addressee, COUNT(*) FROM messages
            WHERE tenant = :tenant AND session_id = :session_id AND addressee <> sender GROUP BY 2, 4""",
        session_id=session_id,
    )


async def find(tx: Transaction, caller: Caller, number: int) -> Message | None:
    """A message of the caller's session, if there is one that the caller may see."""
    rows = await tx.tuples(
        f"""SELECT {_COLUMNS} FROM messages
            WHERE tenant = :tenant AND session_id = :session_id AND number = :number AND {VISIBLE}""",
        session_id=caller.session,
        number=number,
        **viewer(caller),
    )
    return next(iter(_messages(rows)), None)


async def find_any(tx: Transaction, session_id: str, number: int) -> Message | None:
    """Whoever may see it: for the owner's redaction, never to show it to a caller."""
    return next(iter(await some(tx, session_id, [number])), None)


async def some(tx: Transaction, session_id: str, numbers: Sequence[int]) -> list[Message]:
    """Whoever may see them: for the index and redaction, never to show them to a caller."""
    rows = await tx.tuples(
        f"""SELECT {_COLUMNS} FROM messages WHERE tenant = :tenant AND session_id = :session_id
              AND {index.one_of(tx.dialect, "number", "numbers", "bigint")}""",
        session_id=session_id,
        numbers=json.dumps(list(numbers)),
    )
    return _messages(rows)


async def page(tx: Transaction, caller: Caller, where: MessageFilter) -> list[Message]:
    """In the order in which the filter chooses them."""
    conditions, parameters = _conditions(where)
    rows = await tx.tuples(
        f"""SELECT {_COLUMNS} FROM messages
            WHERE tenant = :tenant AND session_id = :session_id AND number > :after_id AND {VISIBLE} {conditions}
            ORDER BY number {"DESC" if where.is_newest_first else ""} LIMIT :limit OFFSET :offset""",
        session_id=caller.session,
        after_id=where.after_id,
        limit=where.limit,
        offset=where.offset,
        **viewer(caller),
        **parameters,
    )
    return _messages(rows)


async def pages(
    tx: Transaction, session_id: str, readers: Sequence[tuple[Caller, MessageFilter]]
) -> list[list[Message]]:
    """For callers that wait in one session: what others than themselves have said, oldest first. What many want to see
    at once is read once for all, and then shown to each who may see it."""
    if len(readers) > 1:
        rows = await tx.tuples(
            f"""SELECT {_COLUMNS} FROM messages
                WHERE tenant = :tenant AND session_id = :session_id AND number > :after_id
                ORDER BY number LIMIT {_SHARED}""",
            session_id=session_id,
            after_id=min(where.after_id for _, where in readers),
        )
        if len(rows) < _SHARED:
            found = _messages(rows)
            return [_seen_by(caller, where, found) for caller, where in readers]
    return [await page(tx, caller, where) for caller, where in readers]


def _seen_by(caller: Caller, where: MessageFilter, messages: Sequence[Message]) -> list[Message]:
    return [
        message
        for message in messages
        if message.number > where.after_id
        and message.sender != where.not_sender
        and may_see(caller, message.sender, message.sender_type, message.visibility, message.addressee)
    ][: where.limit]


async def count(tx: Transaction, caller: Caller) -> int:
    """How many messages the caller may see, from the totals that are kept for each kind and holder."""
    row = await tx.first(
        f"""SELECT CAST(COALESCE(SUM(value), 0) AS BIGINT) AS total FROM message_counts
            WHERE tenant = :tenant AND session_id = :session_id AND {VISIBLE_COUNTS}""",
        session_id=caller.session,
        **viewer(caller),
    )
    assert row is not None
    return int(row["total"])


async def controls(tx: Transaction, session_id: str, agent: str) -> tuple[Message | None, list[Message]]:
    """The newest message of control to this agent, and those that it has not learnt of, the oldest first. One from a
    file asks nobody here."""
    rows = await tx.tuples(
        f"""SELECT {_COLUMNS} FROM messages
            WHERE tenant = :tenant AND session_id = :session_id AND addressee = :agent AND control IS NOT NULL
              AND origin IS NULL
            ORDER BY number DESC LIMIT {_SHARED}""",
        session_id=session_id,
        agent=agent,
    )
    found = _messages(rows)
    return next(iter(found), None), [message for message in found[::-1] if message.acknowledged_at is None]


async def acknowledge(tx: Transaction, session_id: str, agent: str, now: int) -> None:
    await tx.execute(
        """UPDATE messages SET acknowledged_at = :now
           WHERE tenant = :tenant AND session_id = :session_id AND addressee = :agent AND control IS NOT NULL
             AND origin IS NULL AND acknowledged_at IS NULL""",
        session_id=session_id,
        agent=agent,
        now=now,
    )


async def newest_number(tx: Transaction, session_id: str) -> int:
    return await counters.current(tx, session_id, KIND)


async def purge(tx: Transaction, session_id: str) -> None:
    rows = await tx.tuples(
        f"SELECT {_COLUMNS} FROM messages WHERE tenant = :tenant AND session_id = :session_id", session_id=session_id
    )
    for message in _messages(rows):
        await index.remove(tx, document(message))
    for table in ("message_counts", "inbox_cursors", "messages"):
        await tx.execute(
            f"DELETE FROM {table} WHERE tenant = :tenant AND session_id = :session_id", session_id=session_id
        )


def document(message: Message) -> index.SearchDocument:
    return index.SearchDocument(KIND, message.session_id, str(message.number), message.content)


def _counted_as(message: Message) -> list[tuple[str, str]]:
    """Visibility and holder of each total that the message counts in."""
    if message.visibility is Visibility.PUBLIC:
        return [("public", "")]
    if message.visibility is Visibility.AGENT_ONLY:
        return [("agent_only", message.sender_type)]
    own = [("private", message.sender)]
    return own if message.addressee in (None, message.sender) else [*own, (DIRECTED, str(message.addressee))]


def _conditions(where: MessageFilter) -> tuple[str, dict[str, Any]]:
    """Each condition narrows what the caller may see anyway."""
    choices: list[tuple[str, str, Any]] = [
        ("number < :before_id", "before_id", where.before_id),
        ("visibility = :only_visibility", "only_visibility", where.visibility and where.visibility.value),
        ("sender = :only_sender", "only_sender", where.sender),
        ("sender <> :not_sender", "not_sender", where.not_sender),
        ("created_at >= :since", "since", where.since),
        ("created_at <= :until", "until", where.until),
        ("thread = :thread", "thread", where.thread),
    ]
    chosen = [choice for choice in choices if choice[2] is not None]
    return "".join(f" AND {choice[0]}" for choice in chosen), {name: value for _, name, value in chosen}


def _messages(rows: Iterable[tuple[Any, ...]]) -> list[Message]:
    return [
        Message(number, session_id, sender, kind, content, _VISIBILITIES[visibility], _details(metadata), *others)
        for number, session_id, sender, kind, content, visibility, metadata, *others in rows
    ]


def _details(metadata: str) -> dict[str, Any]:
    details: dict[str, Any] = json.loads(metadata) if metadata != "{}" else {}
    return details
