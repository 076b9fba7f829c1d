"""Two periodic jobs: one finds in the log what people are to be called for, the other calls them. Between them lie rows
of the store, so that a restart loses nothing, and no notice is sent twice."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from longtable.kernel.background import owned_task
from longtable.kernel.clock import MINUTE, SECOND
from longtable.kernel.errors import UpstreamError
from longtable.log.ledger import Ledger
from longtable.log.reader import head
from longtable.log.waits import Waits
from longtable.notifiers import store
from longtable.notifiers.delivery import new_notice_id, record
from longtable.notifiers.model import (
    KEPT,
    MAX_PER_MINUTE,
    Notifier,
    NotifierEvent,
    OutgoingNotice,
    subject,
)
from longtable.notifiers.sender import NoticeSender
from longtable.notifiers.store import LoggedNeed, SilentAgent
from longtable.storage.database import SYSTEM, Transaction

COLLECTED_EVERY: Final = SECOND
SENT_EVERY: Final = SECOND
_BATCH: Final = 1_000
_FAR_BEHIND: Final = 500
"""Events without anything to tell that may be looked at again, rather than write a position every second."""
_MAX_SILENT: Final = 200
_CLAIMED_FOR: Final = MINUTE
"""A notice whose process died while sending it is sent again after so long."""
_JOB: Final = "send_notices"


class NoticeCollector:
    """`silent_after` is how long an agent may do nothing."""

    def __init__(self, ledger: Ledger, waits: Waits, silent_after: int) -> None:
        self._ledger = ledger
        self._waits = waits
        self._silent_after = silent_after
        self._looked_for_silence = 0

    async def run(self) -> None:
        now = self._ledger.clock()
        looks_for_silence = not 0 <= now - self._looked_for_silence < min(MINUTE, self._silent_after) // 2
        for tenant in await self._ledger.database.read(SYSTEM, store.tenants):
            await self._collect(tenant)
            if looks_for_silence:
                await self._collect_silence(tenant)
        if looks_for_silence:
            self._looked_for_silence = now

    async def _collect(self, tenant: str) -> None:
        while await self._ledger.database.read(tenant, _has_news):
            if await self._ledger.database.write(tenant, self._add_news) < _BATCH:
                return

    async def _add_news(self, tx: Transaction) -> int:
        """How many events were looked at."""
        notifiers = await store.every(tx)
        if not notifiers:
            return 0
        newest = await head(tx)
        needs = await store.needs_after(tx, min(each.position for each in notifiers), _BATCH)
        position = newest if len(needs) < _BATCH else needs[-1].seq
        now = self._ledger.clock()
        for notifier in notifiers:
            fresh = [need for need in needs if need.seq > notifier.position]
            await store.add(tx, _notices(notifier, fresh, now))
            await store.advance(tx, notifier.name, position)
        return len(needs)

    async def _collect_silence(self, tenant: str) -> None:
        now = self._ledger.clock()
        before = now - self._silent_after
        waiting = self._waits.current(tenant)

        async def look(tx: Transaction) -> list[SilentAgent]:
            if not any("agent_silent" in notifier.events for notifier in await store.every(tx)):
                return []
            found = await store.silent_agents(tx, before, now, _MAX_SILENT)
            return [each for each in found if (each.session_id, each.agent) not in waiting]

        silent = await self._ledger.database.read(tenant, look)
        if not silent:
            return

        async def write(tx: Transaction) -> None:
            for notifier in await store.every(tx):
                if "agent_silent" in notifier.events:
                    await store.add(tx, [_of_silence(notifier, each, now) for each in silent])

        await self._ledger.database.write(tenant, write)


class _ClaimedNotice(NamedTuple):
    notifier: Notifier
    notice: OutgoingNotice
    purpose: str | None


class NoticeDelivery:
    """Each notifier is served by itself: one whose receiver is slow keeps no other waiting."""

    def __init__(self, ledger: Ledger, sender: NoticeSender) -> None:
        self._ledger = ledger
        self._sender = sender
        self._sending: dict[tuple[str, str], asyncio.Task[None]] = {}

    async def run(self) -> None:
        now = self._ledger.clock()
        for place in await self._ledger.database.read(SYSTEM, lambda tx: store.due(tx, now)):
            if place not in self._sending:
                self._sending[place] = owned_task(self._serve(*place))
        if self._sending:
            await asyncio.wait(self._sending.values(), timeout=SENT_EVERY / SECOND)
        done = {place: task for place, task in self._sending.items() if task.done()}
        for place in done:
            del self._sending[place]
        for task in done.values():
            task.result()

    async def close(self) -> None:
        tasks = list(self._sending.values())
        self._sending.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, tenant: str, name: str) -> None:
        while (claimed := await self._ledger.database.write(tenant, lambda tx: self._claim(tx, name))) is not None:
            outcome = await self._sender.send(tenant, claimed.notifier, claimed.notice, claimed.purpose)
            await record(self._ledger, tenant, claimed.notice, outcome)
            if outcome.problem is not None:
                error = UpstreamError(outcome.problem)
                self._ledger.background.failed(_JOB, error, about=f"{tenant} {name}", pause=0.0, trace=False)
                return

    async def _claim(self, tx: Transaction, name: str) -> _ClaimedNotice | None:
        now = self._ledger.clock()
        notifier = await store.find_to_change(tx, name)
        if notifier is None or notifier.gone or notifier.paused_until > now or not self._sender.is_for(notifier):
            return None
        notice = await _next_notice(tx, notifier, now)
        if notice is None:
            return None
        claimed = notice._replace(attempts=notice.attempts + 1, attempted_at=now, due_at=now + _CLAIMED_FOR)
        await store.save(tx, claimed)
        purpose = None if notice.session_id is None else await store.purpose_of(tx, notice.session_id)
        return _ClaimedNotice(notifier, claimed, purpose)


async def forget_old_notices(ledger: Ledger) -> None:
    """Every minute."""
    before = ledger.clock() - KEPT
    await ledger.database.write(SYSTEM, lambda tx: store.forget(tx, before))


async def _has_news(tx: Transaction) -> bool:
    positions = [notifier.position for notifier in await store.every(tx)]
    if not positions:
        return False
    newest = await head(tx)
    if newest - min(positions) > _FAR_BEHIND:
        return True
    return newest > min(positions) and bool(await store.needs_after(tx, min(positions), 1))


async def _next_notice(tx: Transaction, notifier: Notifier, now: int) -> OutgoingNotice | None:
    """One that was tried before keeps its id, by which its receiver knows it; of others many become one."""
    notices = await _still_needed(tx, await store.waiting(tx, notifier.name, now), now)
    room = MAX_PER_MINUTE - await store.attempts_in_last_minute(tx, notifier.name, now)
    if not notices or room <= 0:
        return None
    tried = next((notice for notice in notices if notice.attempts), None)
    if tried is not None:
        return tried
    return notices[0] if len(notices) <= room else await _digest(tx, notifier, notices, now)


async def _still_needed(tx: Transaction, notices: Sequence[OutgoingNotice], now: int) -> list[OutgoingNotice]:
    """Nobody is called for what was settled meanwhile."""
    open_subjects = await store.still_open(tx, notices, now)
    needless = [each for each in notices if each.type in _SETTLED and each.subject not in open_subjects]
    await store.set_status(tx, needless, "not_needed")
    dropped = {notice.notice_id for notice in needless}
    return [notice for notice in notices if notice.notice_id not in dropped]


_SETTLED: Final = frozenset({"question", "approval", "task_failed"})


async def _digest(tx: Transaction, notifier: Notifier, notices: Sequence[OutgoingNotice], now: int) -> OutgoingNotice:
    """One notice that stands for all of these."""
    sessions, askers = {notice.session_id for notice in notices}, {notice.asker for notice in notices}
    id = new_notice_id()
    digest = OutgoingNotice(
        notice_id=id,
        notifier=notifier.name,
        type="digest",
        about=id,
        session_id=sessions.pop() if len(sessions) == 1 else None,
        asker=askers.pop() if len(askers) == 1 else None,
        waiting_since=min(notice.waiting_since for notice in notices),
        created_at=now,
        covers=sum(notice.covers for notice in notices),
        due_at=now,
    )
    await store.set_status(tx, notices, "in_digest")
    await store.add(tx, [digest])
    return digest


def _notices(notifier: Notifier, needs: Iterable[LoggedNeed], now: int) -> list[OutgoingNotice]:
    found = []
    for need in needs:
        event, item, asker = _KINDS[need.kind](need)
        if event is not None and event in notifier.events:
            place = None if event == "approval" else need.session_id
            about = f"{subject(event, place, item)}:{need.seq}"
            found.append(_notice(notifier, event, about, (need.session_id, asker, need.created_at), now))
    return found


def _of_silence(notifier: Notifier, silent: SilentAgent, now: int) -> OutgoingNotice:
    about = f"{subject('agent_silent', silent.session_id, silent.agent)}:{silent.since}"
    return _notice(notifier, "agent_silent", about, silent, now)


def _notice(
    notifier: Notifier, event: NotifierEvent, about: str, who: tuple[str | None, str, int] | SilentAgent, now: int
) -> OutgoingNotice:
    session_id, asker, since = who
    return OutgoingNotice(new_notice_id(), notifier.name, event, about, session_id, asker, since, now, due_at=now)


_Need = tuple[NotifierEvent | None, str, str]
"""What people are called for, the id of what it is about, and who waits."""


def _question(need: LoggedNeed) -> _Need:
    return "question" if need.payload.get("blocking") else None, need.payload.get("question_id", ""), need.actor


def _approval(need: LoggedNeed) -> _Need:
    return "approval", need.payload.get("decision_id", ""), need.payload.get("requested_by", need.actor)


def _task(need: LoggedNeed) -> _Need:
    is_failed = need.payload.get("new_status") == "failed"
    return "task_failed" if is_failed else None, need.payload.get("item_id", ""), need.actor


_KINDS: Final[Mapping[str, Callable[[LoggedNeed], _Need]]] = {
    "scratchpad/question_added": _question,
    "gateway/approval_requested": _approval,
    "scratchpad/checklist_updated": _task,
}
