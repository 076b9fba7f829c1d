"""Keeps what a person has said until its time has come, and then does it as if it were said at that moment."""

import asyncio
import secrets
from collections.abc import Iterable
from typing import Any

from longtable.holds import store
from longtable.holds.model import Held, Hold
from longtable.kernel.background import BackgroundTask
from longtable.kernel.call import Call
from longtable.kernel.canonical import canonical, digest_of
from longtable.kernel.clock import SECOND, to_iso
from longtable.kernel.errors import Forbidden, LongtableError, OutcomeUnknown, StoreUnavailable
from longtable.kernel.logs import logger
from longtable.log.ledger import Ledger, Work
from longtable.storage.database import SYSTEM
from longtable.toolkit.arguments import parse_arguments
from longtable.toolkit.tool import Tool

RELEASED_EVERY = 5 * SECOND
"""How often holds of other processes are looked for. For its own this process wakes at the right time."""
_BATCH = 500


class Holds:
    """`tools` are set when all slices are joined: what is held is a call of one of them."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._tools: dict[str, Tool[Any]] = {}
        self._waiting: BackgroundTask | None = None

    def attach(self, tools: Iterable[Tool[Any]]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    async def keep(self, work: Work, arguments: dict[str, Any], seconds: int) -> Held:
        """Stores the call of `work` with these arguments. Raises Forbidden for whoever is not a person."""
        caller = work.caller
        if not caller.is_human:
            raise Forbidden("hold_seconds: only what a person says can be taken back.")
        hold = Hold(
            hold_id=f"h{secrets.token_hex(12)}",
            session_id=work.session_id,
            operation=work.call.operation,
            arguments=arguments,
            role=caller.role.value,
            agent=caller.agent,
            agent_type=caller.agent_type,
            surface=caller.surface.value,
            held_at=work.now,
            until=work.now + seconds * SECOND,
        )
        await store.insert(work.tx, hold)
        work.touched(f"hold:{hold.hold_id}", held=True)
        return Held(hold_id=hold.hold_id, until=to_iso(hold.until))

    def release_soon(self) -> None:
        """To be called after something was kept: this process makes the call when its time has come."""
        if self._waiting is None or self._waiting.done():
            self._waiting = self._ledger.background.start("release_holds", self._wait)

    async def close(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()

    async def release_due(self) -> int | None:
        """Does everything whose time has come; returns the moment of the next. Safe on many replicas at once: each call
        is made under a key of its own, so that it counts once."""
        for tenant, hold_id, until in await self._ledger.database.read(SYSTEM, lambda tx: store.ending(tx, _BATCH)):
            if until > self._ledger.clock():
                return until
            await self._release(tenant, hold_id)
        return None

    async def release(self) -> None:
        """The periodic job: makes the calls that a process which is gone has kept."""
        await self.release_due()

    async def _wait(self) -> None:
        next_one = await self.release_due()
        while next_one is not None:
            await asyncio.sleep(max(0.01, (next_one - self._ledger.clock()) / SECOND))
            next_one = await self.release_due()

    async def _release(self, tenant: str, hold_id: str) -> None:
        database, now = self._ledger.database, self._ledger.clock()
        hold = await database.write(tenant, lambda tx: store.release(tx, hold_id, now))
        if hold is None:
            return
        try:
            await self._do(tenant, hold)
        except (StoreUnavailable, OutcomeUnknown):
            raise
        except LongtableError as error:
            # As with any answer that comes too late: the session may be over, the question settled.
            logger.info("hold_refused", code=error.code, operation=hold.operation)
        await database.write(tenant, lambda tx: store.forget(tx, hold_id))

    async def _do(self, tenant: str, hold: Hold) -> None:
        held = self._tools[hold.operation]
        call = Call(
            hold.caller(tenant),
            held.name,
            held.audited_as,
            digest_of(canonical(hold.arguments)),
            idempotency_key=hold.hold_id,
            metadata={"hold_id": hold.hold_id},
        )
        try:
            await held.run(call, parse_arguments(held.arguments, hold.arguments))
        except LongtableError as error:
            self._ledger.observe(call, error.code)
            raise
