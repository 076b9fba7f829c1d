"""Periodic jobs of sessions: they expire, stay as an archive, and are purged at last."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from longtable.kernel.call import Call
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.clock import MINUTE
from longtable.log.ledger import Ledger, Work
from longtable.sessions import events, store
from longtable.sessions.model import SessionStatus
from longtable.storage.database import SYSTEM, Transaction

Purge = Callable[[Transaction, str], Awaitable[None]]
"""Removes a slice's rows of one session."""

MinuteJob = Callable[[Ledger], Awaitable[None]]
"""What else a slice does each minute, for all tenants. Safe on many replicas at once."""


@dataclass(frozen=True, slots=True)
class PeriodicJob:
    """What a slice does at its own pace. Safe on many replicas at once; of the workers of one server one does it,
    unless it is about what a process has in memory."""

    name: str
    every: int
    run: Callable[[], Awaitable[None]]
    in_each_process: bool = False


_BATCH = 200


class SessionJobs:
    def __init__(
        self, ledger: Ledger, retention: int, purges: Sequence[Purge], minute_jobs: Sequence[MinuteJob]
    ) -> None:
        self._ledger = ledger
        self._retention = retention
        self._purges = purges
        self._minute_jobs = minute_jobs

    async def run(self) -> None:
        """All jobs once, in order."""
        for each in self.periodic_jobs():
            await each.run()

    def periodic_jobs(self) -> list[PeriodicJob]:
        """One for each job, so that none keeps another from running."""
        minute_jobs = [PeriodicJob(job.__name__, MINUTE, partial(job, self._ledger)) for job in self._minute_jobs]
        return [
            PeriodicJob("expire_sessions", MINUTE, self.expire),
            PeriodicJob("purge_sessions", MINUTE, self.purge),
            *minute_jobs,
        ]

    async def expire(self) -> None:
        """Safe on many replicas at once: each step checks again inside its transaction."""
        now = self._ledger.clock()
        due = await self._ledger.database.read(SYSTEM, lambda tx: store.overdue(tx, now, _BATCH))
        await _each(self._expire, due)

    async def purge(self) -> None:
        before = self._ledger.clock() - self._retention
        due = await self._ledger.database.read(SYSTEM, lambda tx: store.purgeable(tx, before, _BATCH))
        await _each(self._purge, due)

    async def _expire(self, tenant: str, session_id: str) -> None:
        async def body(work: Work) -> SessionStatus:
            session = await store.find(work.tx, session_id)
            if session is not None and session.status == "active" and session.status_at(work.now) == "expired":
                await store.end(work.tx, session_id, "expired", work.now)
                work.touched(f"session:{session_id}")
                work.happened(events.expired())
            return SessionStatus(session_id=session_id, status="expired")

        await self._ledger.write(_call(tenant, session_id, "expire_session", "session_expired"), SessionStatus, body)

    async def _purge(self, tenant: str, session_id: str) -> None:
        async def body(work: Work) -> SessionStatus:
            if await store.find(work.tx, session_id) is not None:
                for purge in self._purges:
                    await purge(work.tx, session_id)
                await store.delete(work.tx, session_id)
                work.touched(f"session:{session_id}")
            return SessionStatus(session_id=session_id, status="expired")

        await self._ledger.write(_call(tenant, session_id, "purge_session", "session_purged"), SessionStatus, body)


async def _each(step: Callable[[str, str], Awaitable[None]], due: Sequence[tuple[str, str]]) -> None:
    """A session that fails keeps no other waiting; the first failure is raised at the end."""
    failures: list[Exception] = []
    for tenant, session_id in due:
        try:
            await step(tenant, session_id)
        except Exception as error:  # noqa: BLE001  raised below, after the others
            failures.append(error)
    if failures:
        raise failures[0]


def _call(tenant: str, session_id: str, operation: str, audited_as: str) -> Call:
    caller = Caller(tenant, Role.OWNER, "longtable", "system", Surface.CLI, session_id)
    return Call(caller, operation, audited_as)
