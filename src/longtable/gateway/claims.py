"""Claims: a call with an idempotency key runs once, in whichever process. The key is a row before the upstream is
called; others with the same key wait for its result. A row whose process ended says that the outcome is unknown."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final, TypeVar

from longtable.gateway import claim_store
from longtable.kernel.background import BackgroundTask
from longtable.kernel.call import Call
from longtable.kernel.clock import SECOND
from longtable.kernel.delivery import Uninterrupted
from longtable.kernel.errors import IdempotencyMismatch, LongtableError, OutcomeUnknown
from longtable.kernel.logs import logger
from longtable.kernel.result import Result
from longtable.log.ledger import IDEMPOTENCY_LIFETIME, Ledger
from longtable.storage.database import SYSTEM, Transaction

R = TypeVar("R", bound=Result)

RENEW_SECONDS: Final = 2.0
LOST_AFTER: Final = 15 * SECOND
"""A claim that was not renewed for so long has lost its process."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 0.5


class KeyClaims:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._holder = secrets.token_hex(8)
        self._held: set[claim_store.Key] = set()
        self._renewing: BackgroundTask | None = None

    @asynccontextmanager
    async def held(self, call: Call, result_type: type[R]) -> AsyncIterator[R | None]:
        """The result of an earlier call with this key; None where the key is now this call's. It is free again at the
        end, unless `settle` stored it with a result. Raises OutcomeUnknown and IdempotencyMismatch."""
        if call.idempotency_key is None:
            yield None
            return
        earlier = await self._take(call, result_type)
        if earlier is not None:
            yield earlier
            return
        key = claim_store.key_of(call)
        self._held.add(key)
        if self._renewing is None or self._renewing.done():
            self._renewing = self._ledger.background.start("claim_renewal", self._renew)
        try:
            yield None
        finally:
            if key in self._held:
                self._held.discard(key)
                await self._end(call, claim_store.delete)

    async def settle(self, tx: Transaction, call: Call) -> None:
        """To be called in the transaction that stores the result."""
        await claim_store.delete(tx, call, self._holder)

    def settled(self, call: Call) -> None:
        """To be called after that transaction. If it failed, the outcome is unknown to all who repeat the call."""
        self._held.discard(claim_store.key_of(call))

    async def abandon(self, call: Call) -> None:
        """Nobody will learn the outcome of this call."""
        key = claim_store.key_of(call)
        if key in self._held:
            self._held.discard(key)
            await self._end(call, claim_store.mark_lost)

    async def _take(self, call: Call, result_type: type[R]) -> R | None:
        pause = _FIRST_PAUSE
        while True:
            earlier = await self._ledger.recall(call, result_type)
            if earlier is not None or await self._claim(call, result_type):
                return earlier
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _claim(self, call: Call, result_type: type[Result]) -> bool:
        """False while another call has the key, or when its result is there by now."""
        now = self._ledger.clock()

        async def body(tx: Transaction) -> bool:
            if await self._ledger.recall_in(tx, call, result_type) is not None:
                return False
            claim = await claim_store.find(tx, call)
            if claim is None:
                await claim_store.insert(tx, call, self._holder, now)
                return True
            if claim.digest != call.arguments_digest:
                raise IdempotencyMismatch(
                    "This idempotency_key is in use with other arguments.", hint="Use a new key for a new request."
                )
            if now - claim.renewed_at > LOST_AFTER:
                raise OutcomeUnknown(
                    "The process that made this call ended before its outcome was known; it may have been done.",
                    hint="Find out at the upstream. If it was not done, call with a new idempotency_key.",
                )
            return False

        return await self._ledger.database.write(call.caller.tenant, body)

    async def _end(self, call: Call, change: Callable[[Transaction, Call, str], Awaitable[None]]) -> None:
        try:
            with Uninterrupted():
                await self._ledger.database.write(call.caller.tenant, lambda tx: change(tx, call, self._holder))
        except LongtableError as error:
            # Repeating the call then says that the outcome is unknown.
            logger.warning("claim_not_released", code=error.code)

    async def _renew(self) -> None:
        async def body(tx: Transaction) -> None:
            await claim_store.renew(tx, self._holder, self._ledger.clock())

        while self._held:
            await asyncio.sleep(RENEW_SECONDS)
            if self._held:
                await self._ledger.database.write(SYSTEM, body)


async def forget_old_claims(tx: Transaction, now: int) -> None:
    await claim_store.forget(tx, now - IDEMPOTENCY_LIFETIME)
