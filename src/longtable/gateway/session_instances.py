"""Ends the upstreams that only a session uses when the session is over."""

from functools import partial

from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.errors import SessionNotFound
from longtable.log.ledger import Ledger
from longtable.sessions.service import find_session
from longtable.storage.database import Transaction
from longtable.upstreams.directory import UpstreamDirectory


class SessionInstances:
    def __init__(self, upstreams: UpstreamDirectory) -> None:
        self._upstreams = upstreams

    async def end_unused_upstreams(self, ledger: Ledger) -> None:
        """A periodic job: of sessions that were purged, closed or have expired."""
        for tenant, session_id in self._upstreams.sessions():
            caller = Caller(tenant, Role.OWNER, "longtable", "system", Surface.CLI)
            if await ledger.read(caller, partial(_is_over, session_id=session_id, now=ledger.clock())):
                self._upstreams.end_session(tenant, session_id)


async def _is_over(tx: Transaction, session_id: str, now: int) -> bool:
    try:
        return (await find_session(tx, session_id)).status_at(now) != "active"
    except SessionNotFound:
        return True
