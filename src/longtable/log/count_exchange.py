"""Processes on one store exchange their counts of calls in progress, so that a limit holds for all of them together."""

import asyncio
import json
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from longtable.kernel.call_limits import CallLimits, SharedCounts
from longtable.kernel.errors import LongtableError
from longtable.kernel.logs import logger
from longtable.storage.database import SYSTEM, Database, Row, Transaction

EVERY_SECONDS: Final = 1.0
FRESH_SECONDS: Final = 5.0
"""How long the call counts of a process are valid: if it died, its calls are over."""
ALIVE_SECONDS: Final = 150.0
HEARTBEAT_SECONDS: Final = 60.0
_REPEAT_SECONDS: Final = 2.0
_MAX_KEYS: Final = 1_000
_USED: Final = "used"


class CountExchange:
    """`lasting` are counts of waits and subscriptions; those of `limits` are of calls. While this process is the only
    one, nothing is written but a heartbeat every minute."""

    def __init__(
        self,
        database: Database,
        limits: CallLimits,
        lasting: Mapping[str, SharedCounts],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._limits = limits
        self._lasting = lasting
        self._brief = {"calls": limits.calls, "tenant_calls": limits.tenant_calls}
        self._now = now
        self._one_at_a_time = asyncio.Lock()
        self._process = secrets.token_hex(8)
        self._published = ""
        self._published_at = -HEARTBEAT_SECONDS
        self._merged_at = 0.0
        self._version = 0
        self._seen: dict[str, tuple[int, float]] = {}
        self._found_at_start: dict[str, int] | None = None
        self._used: dict[tuple[str, str], int] = {}

    async def run(self) -> None:
        try:
            while True:
                await asyncio.sleep(EVERY_SECONDS)
                try:
                    await self._exchange_if_active()
                except LongtableError as error:
                    logger.warning("limits_not_shared", code=error.code)
        finally:
            self._forget_others()

    async def leave(self) -> None:
        """Deletes the row of this process when it ends."""
        await self._database.write(SYSTEM, lambda tx: _delete(tx, self._process, self._version))

    async def _exchange_if_active(self) -> None:
        if self._is_due() or self._limits.has_called() or any(counts.own for counts in self._lasting.values()):
            await self.exchange()
        elif self._now() - self._merged_at > FRESH_SECONDS:
            # Otherwise the first call after a pause would be refused for calls that have ended elsewhere.
            self._forget_others()

    def _is_due(self) -> bool:
        return self._now() - self._published_at >= HEARTBEAT_SECONDS

    async def exchange(self) -> None:
        """Reads the counts of other processes, and publishes what has changed here, if there are any."""
        async with self._one_at_a_time:
            await self._exchange()

    async def _exchange(self) -> None:
        is_due = self._is_due()
        rows = await self._database.read(SYSTEM, _all)
        others = [row for row in rows if row["process_id"] != self._process]
        if self._found_at_start is None:
            self._found_at_start = {str(row["process_id"]): int(row["version"]) for row in others}
        has_newcomer = any(str(row["process_id"]) not in self._seen for row in others)
        dead = self._merge(others)
        text = self._own_counts()
        if is_due or dead or (others and self._is_news(text, has_newcomer=has_newcomer)):
            await self._publish(text, dead)
        self._limits.forget_idle()

    def _is_news(self, text: str, *, has_newcomer: bool) -> bool:
        """Whether others lack these counts. Calls are published again for a new process, and from time to time."""
        if text != self._published:
            return True
        has_calls = any(counts.own for counts in self._brief.values())
        return has_calls and (has_newcomer or self._now() - self._published_at >= _REPEAT_SECONDS)

    def _own_counts(self) -> str:
        counts = {name: _most(kept.own) for name, kept in {**self._brief, **self._lasting}.items()}
        return json.dumps({**counts, _USED: _most(self._limits.used())}, separators=(",", ":"))

    async def _publish(self, text: str, dead: Mapping[str, int]) -> None:
        self._version += 1

        async def body(tx: Transaction) -> None:
            for process, version in dead.items():
                await _delete(tx, process, version)
            await tx.execute(
                """INSERT INTO process_counts (process_id, counts, version) VALUES (:process, :counts, :version)
                   ON CONFLICT (process_id) DO UPDATE SET counts = excluded.counts, version = excluded.version""",
                process=self._process,
                counts=text,
                version=self._version,
            )

        await self._database.write(SYSTEM, body)
        self._published, self._published_at = text, self._now()

    def _merge(self, rows: list[Row]) -> dict[str, int]:
        """Adds up the counts of other processes. Returns those that must be dead, as their heartbeat is overdue."""
        totals: dict[str, dict[str, int]] = {name: {} for name in {**self._brief, **self._lasting}}
        dead = {}
        for row in rows:
            process, version = str(row["process_id"]), int(row["version"])
            age = self._age(process, version)
            if age > ALIVE_SECONDS:
                dead[process] = version
                continue
            counts: dict[str, dict[str, int]] = json.loads(row["counts"])
            self._deduct(process, counts.get(_USED, {}))
            for name, sums in totals.items():
                if name in self._brief and not self._are_calls_believed(process, version, age):
                    continue
                for key, count in counts.get(name, {}).items():
                    sums[key] = sums.get(key, 0) + count
        for name, kept in {**self._brief, **self._lasting}.items():
            kept.others = totals[name]
        self._merged_at = self._now()
        return dead

    def _are_calls_believed(self, process: str, version: int, age: float) -> bool:
        """Rows that were there when this process began may be of processes that were killed, one after the other, and
        are believed once they change: who is alive publishes its calls as soon as it sees a newcomer."""
        is_proven = (self._found_at_start or {}).get(process) != version
        return is_proven and age <= FRESH_SECONDS

    def _age(self, process: str, version: int) -> float:
        """Seconds since its row last changed, by our own clock: clocks of other machines may differ."""
        seen = self._seen.get(process)
        if seen is None or seen[0] != version:
            seen = self._seen[process] = (version, self._now())
        return self._now() - seen[1]

    def _deduct(self, process: str, used: Mapping[str, int]) -> None:
        for credential, count in used.items():
            before = self._used.get((process, credential))
            self._used[process, credential] = count
            if before is not None and count != before:
                self._limits.deduct(credential, count - before if count > before else count)

    def _forget_others(self) -> None:
        for kept in (*self._brief.values(), *self._lasting.values()):
            kept.others = {}


def _most(counts: Mapping[str, int]) -> dict[str, int]:
    if len(counts) <= _MAX_KEYS:
        return dict(counts)
    return dict(sorted(counts.items(), key=lambda item: -item[1])[:_MAX_KEYS])


async def _all(tx: Transaction) -> list[Row]:
    return await tx.all("SELECT process_id, counts, version FROM process_counts")


async def _delete(tx: Transaction, process: str, version: int) -> Any:
    return await tx.execute(
        "DELETE FROM process_counts WHERE process_id = :process AND version = :version",
        process=process,
        version=version,
    )
