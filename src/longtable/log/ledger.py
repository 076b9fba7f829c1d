"""The only way to change anything: state, event, audit record and idempotency key in one transaction."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from time import perf_counter
from typing import Any, Protocol, TypeVar

from pydantic_core import to_json

from longtable.kernel.background import BackgroundTask, BackgroundTasks
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import DAY, Clock
from longtable.kernel.errors import IdempotencyMismatch, LongtableError, StoreUnavailable
from longtable.kernel.logs import logger
from longtable.kernel.result import Result
from longtable.log.chain import Chain
from longtable.log.model import AuditRecord, Event, LogEntry, Replaced
from longtable.log.page_cache import PageCache
from longtable.log.wakeups import Topic, Wakeups
from longtable.storage.database import SYSTEM, Body, Database, Row, Transaction

R = TypeVar("R", bound=Result)
T = TypeVar("T")

IDEMPOTENCY_LIFETIME = DAY
TENANT_EVENTS_LIFETIME = 30 * DAY
FLUSH_AFTER = 0.5
"""Seconds that the record of a read may wait; the promise is one second."""


MAX_OBSERVED = 100_000
MAX_WITH_ROWS = 2_000


class Work:
    """One write in progress: its statements, and what it will add to the log."""

    def __init__(self, tx: Transaction, call: Call, now: int) -> None:
        self.tx = tx
        self.call = call
        self.caller = call.caller
        self.now = now
        self.session_id = call.caller.session_id
        self._events: list[Event] = []
        self._tenant_wide = False
        self._object: str | None = None
        self._metadata: dict[str, Any] = {}
        self._replaced: Replaced | None = None

    def replaces(self, replaced: Replaced) -> None:
        """Keeps what a change of this work replaces, with the next event, which tells of the change."""
        self._replaced = replaced

    def reports_replaced(self, event: Event) -> None:
        """Appends `event` where something was replaced that no other event reports."""
        if self._replaced is not None:
            self.happened(event)

    def happened(self, event: Event) -> Event:
        """Appends `event` to the log if this work commits; its `seq` is set by then."""
        if self._replaced is not None:
            event.undo, self._replaced = self._replaced, None
        self._events.append(event)
        return event

    def concerns_tenant(self) -> None:
        """The events of this work belong to no session: listeners of every session get them."""
        self._tenant_wide = True

    def touched(self, object: str, **metadata: Any) -> None:
        """Names in the audit record what this work changed."""
        self._object = object
        self._metadata.update(metadata)

    def entry(self) -> LogEntry:
        assert self._replaced is None, "a change without an event could not be undone"
        record = AuditRecord.of(self.call, "SUCCESS", self.now, self._object)
        record.session_id = self.session_id
        record.metadata = {**record.metadata, **self._metadata}
        caller = self.caller
        place = None if self._tenant_wide else self.session_id
        return LogEntry(
            caller.tenant,
            caller.agent,
            caller.agent_type,
            place,
            self.now,
            self._events,
            [record],
            size=self.call.size,
        )


class CommitMeter(Protocol):
    def committed(self, seconds: float) -> None: ...


class LogHooks:
    """Joins the log to every commit of the database. `on_event` is called with every durable event, `on_commit` after
    every commit."""

    def __init__(self, wakeups: Wakeups) -> None:
        self.wakeups = wakeups
        self.before_commit = Chain().append
        self.on_event: Callable[[Event], None] | None = None
        self.on_commit: Callable[[], None] | None = None

    def after_commit(self, entries: Sequence[LogEntry]) -> None:
        changed: set[Topic] = set()
        read: set[Topic] = set()
        addressed: set[tuple[str, str]] = set()
        for entry in entries:
            for event in entry.events:
                (read if entry.quiet else changed).add((entry.tenant, entry.session_id))
                if event.addressed:
                    addressed.add((entry.tenant, entry.actor))
                if self.on_event is not None:
                    self.on_event(event)
        self.wakeups.committed(changed, read, addressed)
        if self.on_commit is not None:
            self.on_commit()


class Ledger:
    def __init__(self, database: Database, clock: Clock, background: BackgroundTasks | None = None) -> None:
        self.database = database
        self.background = background or BackgroundTasks(clock)
        self.clock = clock
        self.meter: CommitMeter | None = None
        self.pages = PageCache(database, clock)
        self._observed: list[LogEntry] = []
        self._flushing: BackgroundTask | None = None
        self._writing = asyncio.Lock()

    async def write(self, call: Call, result_type: type[R], body: Callable[[Work], Awaitable[R]]) -> R:
        """Runs `body` once for each idempotency key and returns after its effects are durable."""
        return await self._commit(self.database.write, call, result_type, body)

    async def append(self, call: Call, result_type: type[R], body: Callable[[Work], Awaitable[R]]) -> R:
        """Like `write`, for a body that only adds (`Database.append`)."""
        return await self._commit(self.database.append, call, result_type, body)

    async def _commit(
        self,
        commit: Callable[[str, Body[R]], Awaitable[R]],
        call: Call,
        result_type: type[R],
        body: Callable[[Work], Awaitable[R]],
    ) -> R:
        async def transaction(tx: Transaction) -> R:
            work = Work(tx, call, self.clock())
            stored = None if call.idempotency_key is None else await _stored_result(tx, call, work.now)
            if stored is not None:
                return _replay(result_type, stored)
            result = await body(work)
            result.written_at(work.now)
            if call.idempotency_key is not None:
                await _store_result(tx, call, work.now, result)
            tx.defer(work.entry())
            return result

        started = perf_counter()
        result = await commit(call.caller.tenant, transaction)
        if self.meter is not None:
            self.meter.committed(perf_counter() - started)
        return result

    async def recall(self, call: Call, result_type: type[R]) -> R | None:
        """The stored result of this call under the same key. For work that cannot be part of a transaction: it looks
        before it begins, and writes its result when it is done."""
        if call.idempotency_key is None:
            return None
        return await self.database.read(call.caller.tenant, lambda tx: self.recall_in(tx, call, result_type))

    async def recall_in(self, tx: Transaction, call: Call, result_type: type[R]) -> R | None:
        """The same, in a transaction."""
        row = await _stored_result(tx, call, self.clock())
        return None if row is None else _replay(result_type, row)

    async def read(self, caller: Caller, body: Body[T]) -> T:
        return await self.database.read(caller.tenant, body)

    def observe(
        self,
        call: Call,
        outcome: str,
        object: str | None = None,
        events: Sequence[Event] = (),
        rows: Body[None] | None = None,
    ) -> None:
        """Records a read or a refusal, its events, and what `rows` adds, which is left out where very many wait. They
        are chained in batches, within a second. Raises StoreUnavailable when so many are queued that the store must
        have been unavailable for long."""
        if len(self._observed) >= MAX_OBSERVED:
            raise StoreUnavailable("The audit log cannot be written at the moment.", hint="Try again later.")
        caller, now = call.caller, self.clock()
        record = AuditRecord.of(call, outcome, now, object)
        entry = LogEntry(
            caller.tenant, caller.agent, caller.agent_type, caller.session_id, now, list(events), [record], quiet=True
        )
        entry.rows = rows if len(self._observed) < MAX_WITH_ROWS else None
        self._observed.append(entry)
        if self._flushing is None or self._flushing.done():
            self._flushing = self.background.start("audit_flush", self._flush_later)

    async def flush(self) -> None:
        """Makes everything observed so far durable. Raises StoreUnavailable and keeps what it could not write."""
        async with self._writing:
            while self._observed:
                entries, self._observed = self._observed, []
                try:
                    for tenant in sorted({entry.tenant for entry in entries}):
                        await self._append([entry for entry in entries if entry.tenant == tenant])
                        entries = [entry for entry in entries if entry.tenant != tenant]
                except Exception:
                    self._observed = entries + self._observed
                    raise

    async def close(self) -> None:
        """Writes what is left, at once."""
        # Not in the middle of a write, whose entries would be lost.
        async with self._writing:
            if self._flushing is not None:
                self._flushing.cancel()
        await self.flush()

    async def _append(self, entries: list[LogEntry]) -> None:
        async def transaction(tx: Transaction) -> None:
            for entry in entries:
                if entry.rows is not None:
                    await entry.rows(tx)
                tx.defer(entry)

        await self.database.append(entries[0].tenant, transaction)

    async def _flush_later(self) -> None:
        while self._observed:
            await asyncio.sleep(FLUSH_AFTER)
            try:
                await self.flush()
            except LongtableError as error:
                logger.warning("audit_delayed", code=error.code, waiting=len(self._observed))


async def forget_old_keys(ledger: Ledger) -> None:
    """Every minute: idempotency keys count for a day."""
    before = ledger.clock() - IDEMPOTENCY_LIFETIME

    async def transaction(tx: Transaction) -> None:
        await tx.execute("DELETE FROM idempotency WHERE created_at < :before", before=before)

    await ledger.database.write(SYSTEM, transaction)


async def forget_old_events(ledger: Ledger) -> None:
    """Every minute: events of no session are kept for thirty days; those of a session are deleted with it."""
    before = ledger.clock() - TENANT_EVENTS_LIFETIME

    async def transaction(tx: Transaction) -> None:
        await tx.execute("DELETE FROM events WHERE session_id IS NULL AND created_at < :before", before=before)

    await ledger.database.write(SYSTEM, transaction)


async def _stored_result(tx: Transaction, call: Call, now: int) -> Row | None:
    row = await tx.first(f"SELECT digest, result, created_at FROM idempotency WHERE {SAME_KEY}", **key_parameters(call))
    if row is None or now - row["created_at"] > IDEMPOTENCY_LIFETIME:
        return None
    if row["digest"] != call.arguments_digest:
        raise IdempotencyMismatch(
            "This idempotency_key was used before with other arguments.", hint="Use a new key for a new request."
        )
    return row


def _replay(result_type: type[R], stored: Row) -> R:
    replay = result_type.model_validate_json(stored["result"])
    replay.replayed_from(stored["created_at"])
    return replay


SAME_KEY = """tenant = :tenant AND session_id = :session_id AND agent = :agent
    AND operation = :operation AND idempotency_key = :key"""


async def _store_result(tx: Transaction, call: Call, now: int, result: Result) -> None:
    # One that counts no longer. Not before the body, whose first statement would wait for it.
    await tx.enqueue(
        f"DELETE FROM idempotency WHERE {SAME_KEY} AND created_at < :before",
        **key_parameters(call),
        before=now - IDEMPOTENCY_LIFETIME,
    )
    await tx.enqueue(
        """INSERT INTO idempotency
               (tenant, session_id, agent, operation, idempotency_key, digest, result, created_at)
           VALUES (:tenant, :session_id, :agent, :operation, :key, :digest, :result, :now)""",
        **key_parameters(call),
        digest=call.arguments_digest,
        result=to_json(result.json_fields()).decode(),
        now=now,
    )


def key_parameters(call: Call) -> dict[str, Any]:
    """The parameters of `SAME_KEY`: a key counts for one tenant, session, agent and tool."""
    caller = call.caller
    return {
        "session_id": caller.session_id or "",
        "agent": caller.agent,
        "operation": call.operation,
        "key": call.idempotency_key,
    }
