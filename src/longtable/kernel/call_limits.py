"""Limits on the calls of a credential and a tenant, at once and per second. In memory: a call pays a few lookups."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from longtable.kernel.caller import Caller
from longtable.kernel.errors import CapacityLimitReached, RateLimited, ShuttingDown
from longtable.kernel.refusals import Refusals

CALLS = "max_calls_in_flight"
TENANT_CALLS = "max_calls_in_flight_tenant"
RATE = "call_rate"
BYTES = "max_tenant_bytes"
BURST = 2
"""Seconds of its rate that a credential may save up."""
RETRY_SECONDS = 1


@dataclass(frozen=True, slots=True)
class CallLimitOptions:
    """0 is no limit."""

    calls: int = 0
    tenant_calls: int = 0
    rate: int = 0


class _CallBucket:
    """A token bucket. `used` counts the calls of this process."""

    __slots__ = ("tokens", "updated_at", "used")

    def __init__(self, tokens: float, updated_at: float) -> None:
        self.tokens = tokens
        self.updated_at = updated_at
        self.used = 0


class SharedCounts:
    """How many of something are under way for each key: in this process, and as far as it is known in others on the
    store. `others` is replaced about once a second, where there are other processes."""

    __slots__ = ("others", "own")

    def __init__(self) -> None:
        self.own: dict[str, int] = {}
        self.others: dict[str, int] = {}

    def total(self, key: str) -> int:
        return self.own.get(key, 0) + self.others.get(key, 0)

    def add(self, key: str) -> int:
        """Counts one more, and returns the total before."""
        count = self.own.get(key, 0)
        self.own[key] = count + 1
        return count + self.others.get(key, 0)

    def remove(self, key: str) -> None:
        left = self.own.get(key, 0) - 1
        if left > 0:
            self.own[key] = left
        else:
            self.own.pop(key, None)


class CallLimits:
    """A caller without a credential, because auth is off, counts for its tenant alone. `draining` says that no new call
    should begin."""

    def __init__(
        self, options: CallLimitOptions, refusals: Refusals, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._options = options
        self._refusals = refusals
        self._now = now
        self.calls = SharedCounts()
        self.tenant_calls = SharedCounts()
        self.full_tenants: frozenset[str] = frozenset()
        self._buckets: dict[str, _CallBucket] = {}
        self._writers: set[str] = set()
        self._has_called = False
        self.draining = False
        self._in_flight = 0
        self._idle: asyncio.Event | None = None

    async def drain(self, seconds: float) -> bool:
        """Lets calls that have begun finish. False when the time was over first."""
        self.draining = True
        try:
            async with asyncio.timeout(seconds):
                while self._in_flight:
                    self._idle = asyncio.Event()
                    await self._idle.wait()
        except TimeoutError:
            return False
        return True

    @contextmanager
    def counting(self, caller: Caller) -> Iterator[None]:
        """For the block in which a call is in flight. Raises what `enter` does."""
        self.enter(caller)
        try:
            yield
        finally:
            self.leave(caller)

    def begin_wait(self, caller: Caller) -> None:
        """From here to `end_wait` a call counts as one that waits for something to happen, and not as in flight."""
        self._uncount(caller)

    def end_wait(self, caller: Caller) -> None:
        self._count(caller)

    def enter(self, caller: Caller) -> None:
        """A call begins. Raises RateLimited or ShuttingDown, with nothing counted."""
        if self.draining:
            raise ShuttingDown("The server is shutting down.", hint="Try again in a moment.")
        if caller.credential:
            self._enter_credential(caller.credential)
        most = self._options.tenant_calls
        if self.tenant_calls.add(caller.tenant) >= most > 0:
            self._uncount(caller)
            raise self._too_many(TENANT_CALLS, most, "of this tenant")
        self._has_called = True
        self._in_flight += 1

    def leave(self, caller: Caller) -> None:
        """A call that was counted is over."""
        if caller.credential:
            self.calls.remove(caller.credential)
        self.tenant_calls.remove(caller.tenant)
        self._in_flight -= 1
        if self._in_flight == 0 and self._idle is not None:
            self._idle.set()

    def check_stored_bytes(self, tenant: str) -> None:
        """For each call that stores something. Raises CapacityLimitReached where the tenant has as much as it may."""
        self._writers.add(tenant)
        if tenant in self.full_tenants:
            self._refusals.count(BYTES)
            raise CapacityLimitReached(
                "This tenant has stored as much as it may.",
                hint="Delete what is not needed, or ask the operator to raise max_tenant_bytes.",
                limit=BYTES,
            )

    def count_refusal(self, limit: str) -> None:
        """Another limit on calls was reached."""
        self._refusals.count(limit)

    def take_writers(self) -> set[str]:
        """The tenants that have written since the last call of this method."""
        writers, self._writers = self._writers, set()
        return writers

    def has_called(self) -> bool:
        """Whether there was a call since the last call of this method."""
        called, self._has_called = self._has_called, False
        return called

    def used(self) -> dict[str, int]:
        """The calls so far of each credential with more than a few: other processes must know of them."""
        least = max(1, self._options.rate // 16)
        return {credential: bucket.used for credential, bucket in self._buckets.items() if bucket.used >= least}

    def deduct(self, credential: str, calls: int) -> None:
        """Calls that other processes have let through."""
        bucket = self._refilled(credential)
        bucket.tokens -= calls

    def forget_idle(self) -> None:
        """A bucket that is full again is as good as none."""
        full = self._options.rate * BURST
        for credential in list(self._buckets):
            if self._refilled(credential).tokens >= full:
                del self._buckets[credential]

    def _enter_credential(self, credential: str) -> None:
        options = self._options
        if options.calls and self.calls.total(credential) >= options.calls:
            raise self._too_many(CALLS, options.calls, "of this credential")
        if options.rate:
            self._take(credential)
        self.calls.add(credential)

    def _count(self, caller: Caller) -> None:
        if caller.credential:
            self.calls.add(caller.credential)
        self.tenant_calls.add(caller.tenant)

    def _uncount(self, caller: Caller) -> None:
        if caller.credential:
            self.calls.remove(caller.credential)
        self.tenant_calls.remove(caller.tenant)

    def _take(self, credential: str) -> None:
        bucket = self._refilled(credential)
        if bucket.tokens < 1.0:
            self._refusals.count(RATE)
            wait = round((1.0 - bucket.tokens) / self._options.rate + 0.0005, 3)
            raise RateLimited(
                f"Too many calls of this credential: {self._options.rate} a second are allowed.",
                hint=f"Try again in {wait} s.",
                retry_after=wait,
                limit=self._options.rate,
            )
        bucket.tokens -= 1.0
        bucket.used += 1

    def _refilled(self, credential: str) -> _CallBucket:
        now, full = self._now(), float(self._options.rate * BURST)
        bucket = self._buckets.get(credential)
        if bucket is None:
            bucket = self._buckets[credential] = _CallBucket(full, now)
        else:
            bucket.tokens = min(full, bucket.tokens + (now - bucket.updated_at) * self._options.rate)
            bucket.updated_at = now
        return bucket

    def _too_many(self, option: str, limit: int, whose: str) -> RateLimited:
        self._refusals.count(option)
        return RateLimited(
            f"{limit} calls {whose} are under way, which is the limit.",
            hint=f"Try again in {RETRY_SECONDS} second.",
            retry_after=RETRY_SECONDS,
            limit=limit,
        )
