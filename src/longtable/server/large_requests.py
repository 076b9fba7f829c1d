"""Requests with a large body: one costs as much as hundreds of others, so that a tenant gets a share of the time for
them while others call, too."""

import asyncio
import time
from collections.abc import Awaitable, Generator
from typing import Any, TypeVar

from longtable.kernel.errors import RateLimited
from longtable.kernel.refusals import Refusals

T = TypeVar("T")

LARGE_BODY = 16_384
SHARE = "large_request_share"
MOST_FOR_ALL = 0.5
"""The share of all tenants together."""
BURST_SECONDS = 0.25
"""CPU time that a tenant may save up."""
MAX_WAIT_SECONDS = 5.0
ALONE_SECONDS = 10.0
"""A caller that was the only one for so long slows down no other."""
SECONDS_A_BYTE = 4e-9
"""What it costs to take in a byte of a body, before anything is made of it."""
UNANNOUNCED_BYTES = 1_048_576
"""The size of a body that does not say how large it is."""


class CpuAccount:
    """CPU time that a tenant has left for large requests. `rate` is what it gets in a second."""

    __slots__ = ("_moment", "_seconds", "_turns", "rate")

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self._seconds = BURST_SECONDS
        self._moment = time.monotonic()
        self._turns = asyncio.Lock()

    @property
    def left(self) -> float:
        now = time.monotonic()
        self._seconds = min(BURST_SECONDS, self._seconds + (now - self._moment) * self.rate)
        self._moment = now
        return self._seconds

    @property
    def is_idle(self) -> bool:
        return not self._turns.locked() and self.left >= BURST_SECONDS

    def charge(self, seconds: float) -> None:
        self._seconds -= seconds

    def give_back(self, size: int) -> None:
        """What `turn` took for a body of this size."""
        self.charge(-size * SECONDS_A_BYTE)

    async def turn(self, size: int) -> None:
        """Returns when something is left, first come, first served, and takes what it costs to read so many bytes."""
        async with self._turns:
            while (left := self.left) < 0:  # noqa: ASYNC110 - time itself is what this waits for
                await asyncio.sleep(-left / self.rate)
            self.charge(size * SECONDS_A_BYTE)


class LargeRequests:
    """`share` is in percent; 0 is no limit."""

    def __init__(self, share: int, refusals: Refusals) -> None:
        self._share = share / 100
        self._refusals = refusals
        self._accounts: dict[str, CpuAccount] = {}
        self.latest = ""
        self._since = float("-inf")

    def saw(self, credential: str) -> None:
        """Called for each request of another credential than the latest."""
        if self.latest:
            self._since = time.monotonic()
        self.latest = credential

    async def turn(self, tenant: str, size: int) -> CpuAccount | None:
        """Waits until the tenant may have a body of this size read. Returns where to charge what it costs after that;
        None if nothing is charged. Raises RateLimited after a while."""
        if not self._share or time.monotonic() - self._since >= ALONE_SECONDS:
            return None
        account = self._account(tenant)
        try:
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                await account.turn(size)
        except TimeoutError:
            self._refusals.count(SHARE)
            raise RateLimited(
                "Too many large requests of this tenant, while others call as well.",
                hint=f"Try again in {MAX_WAIT_SECONDS:g} seconds, or send less at once.",
                retry_after=MAX_WAIT_SECONDS,
                limit=SHARE,
            ) from None
        return account

    def _account(self, tenant: str) -> CpuAccount:
        account = self._accounts.get(tenant)
        if account is None:
            self._accounts = {name: used for name, used in self._accounts.items() if not used.is_idle}
            account = self._accounts[tenant] = CpuAccount(self._share)
        rate = min(self._share, MOST_FOR_ALL / len(self._accounts))
        for used in self._accounts.values():
            used.rate = rate
        return account


class _Metered:
    """Runs a coroutine and charges the CPU time of each of its steps, but not the time in which it waits."""

    __slots__ = ("_account", "_work")

    def __init__(self, work: Awaitable[T], account: CpuAccount) -> None:
        self._work = work
        self._account = account

    def __await__(self) -> Generator[Any, Any, Any]:
        steps = self._work.__await__()
        step, given = steps.send, None
        while True:
            began = time.thread_time()
            try:
                awaited = step(given)
            except StopIteration as done:
                return done.value
            finally:
                self._account.charge(time.thread_time() - began)
            try:
                given = yield awaited
                step = steps.send
            except BaseException as error:  # noqa: BLE001 - whatever it is, a cancellation too, is for the coroutine
                step, given = steps.throw, error


async def metered(work: Awaitable[T], account: CpuAccount) -> T:
    result: T = await _Metered(work, account)
    return result
