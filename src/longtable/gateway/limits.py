"""Rate limits: token buckets in the store, shared by all replicas."""

from collections.abc import Sequence
from dataclasses import dataclass

from longtable.governance.model import Rate
from longtable.kernel.clock import SECOND, Clock
from longtable.kernel.errors import RateLimited
from longtable.storage.database import Database, Transaction

_MICRO = 1_000_000
"""Tokens are counted in millionths: buckets fill in small steps."""
_LARGEST_BATCH, _BATCH_SHARE = 64, 20
"""Tokens that are taken ahead at most, and at most one in so many of a full bucket."""
_BATCH_LIFETIME = SECOND
_MAX_BATCHES = 10_000


@dataclass(frozen=True, slots=True)
class Bucket:
    """Its capacity is the number of calls of the rate. `label` is for the error message."""

    key: str
    rate: Rate
    label: str

    @property
    def capacity(self) -> int:
        return self.rate.calls * _MICRO

    def filled(self, tokens: int, elapsed: int) -> int:
        return min(self.capacity, tokens + elapsed * self.rate.calls * _MICRO // self.rate.per)

    def wait(self, tokens: int) -> int:
        """Microseconds until there is a token."""
        missing = max(0, _MICRO - tokens)
        return -(-missing * self.rate.per // (self.rate.calls * _MICRO))


_Key = tuple[str, tuple[Bucket, ...]]


@dataclass(slots=True)
class _TokensAhead:
    """Tokens that this process has taken ahead: one of each bucket for each of `calls`."""

    calls: int
    taken_at: int

    def covers(self, now: int) -> bool:
        return self.calls > 0 and 0 <= now - self.taken_at < _BATCH_LIFETIME


class Limits:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._batches: dict[_Key, _TokensAhead] = {}
        self._taking: set[_Key] = set()

    async def take(self, tenant: str, buckets: Sequence[Bucket]) -> None:
        """Takes a token from each or from none. Raises RateLimited with the seconds until each has one. While they are
        more than half full, a few more are taken at once for the next calls."""
        if not buckets:
            return
        key = (tenant, tuple(buckets))
        batch = self._batches.get(key)
        if batch is not None and batch.covers(self._clock()):
            batch.calls -= 1
            return
        if key in self._taking:
            # Of many calls at once, one takes for those that come later.
            await self._take(tenant, buckets, 0, ahead=0)
            return
        self._taking.add(key)
        try:
            unspent = self._batches.pop(key).calls if batch is not None else 0
            more = await self._take(tenant, buckets, unspent, ahead=_LARGEST_BATCH)
        finally:
            self._taking.discard(key)
        if len(self._batches) >= _MAX_BATCHES:
            self._batches.clear()
        if more:
            self._batches[key] = _TokensAhead(more, self._clock())

    async def _take(self, tenant: str, buckets: Sequence[Bucket], unspent: int, ahead: int) -> int:
        """Gives `unspent` tokens back, then takes one for this call and up to `ahead` more for later ones. Returns how
        many more."""

        async def body(tx: Transaction) -> int:
            now = self._clock()
            levels = [await _level(tx, bucket, now, unspent) for bucket in buckets]
            slowest = max(levels, key=lambda level: level.wait(now))
            bucket, wait = slowest.bucket, slowest.wait(now)
            if wait > 0:
                seconds = round(wait / SECOND + 0.0005, 3)
                raise RateLimited(
                    f"Too many calls {bucket.label}: {bucket.rate.calls} in {bucket.rate.per // SECOND} s are allowed.",
                    hint=f"Try again in {seconds} s.",
                    retry_after=seconds,
                    limit=bucket.rate.calls,
                    per_seconds=bucket.rate.per / SECOND,
                )
            more = min(ahead, *(level.spare for level in levels))
            for level in levels:
                await _take_tokens(tx, level, 1 + more)
            return more

        return await self._database.write(tenant, body)


@dataclass(frozen=True, slots=True)
class _Level:
    bucket: Bucket
    tokens: int
    moment: int

    def wait(self, now: int) -> int:
        """Microseconds until a call may be made."""
        missing = self.bucket.wait(self.tokens)
        return missing + self.moment - now if missing else 0

    @property
    def spare(self) -> int:
        """How many can be taken ahead, so that the calls of other processes do not miss them."""
        if 2 * self.tokens <= self.bucket.capacity:
            return 0
        return self.bucket.rate.calls // _BATCH_SHARE


async def _level(tx: Transaction, bucket: Bucket, now: int, unspent: int) -> _Level:
    row = await tx.first(
        "SELECT micro_tokens, refilled_at FROM rate_buckets WHERE tenant = :tenant AND bucket = :bucket",
        bucket=bucket.key,
    )
    if row is None:
        return _Level(bucket, bucket.capacity, now)
    # Never earlier: a replica with a slow clock would refill the same time twice.
    moment = max(now, row["refilled_at"])
    tokens = row["micro_tokens"] + unspent * _MICRO
    return _Level(bucket, bucket.filled(tokens, moment - row["refilled_at"]), moment)


async def _take_tokens(tx: Transaction, level: _Level, count: int) -> None:
    await tx.execute(
        """INSERT INTO rate_buckets (tenant, bucket, micro_tokens, refilled_at)
           VALUES (:tenant, :bucket, :tokens, :now)
           ON CONFLICT (tenant, bucket)
           DO UPDATE SET micro_tokens = excluded.micro_tokens, refilled_at = excluded.refilled_at""",
        bucket=level.bucket.key,
        tokens=level.tokens - count * _MICRO,
        now=level.moment,
    )


async def forget_full(tx: Transaction, before: int) -> None:
    """In SYSTEM scope: a bucket unused for so long is full."""
    await tx.execute("DELETE FROM rate_buckets WHERE refilled_at < :before", before=before)
