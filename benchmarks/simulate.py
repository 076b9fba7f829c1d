"""A simulation of what happens with more agents than a benchmark can have: writers that wait for one lock, and events
that go out to many. `python -m benchmarks.simulate --write` puts the tables into docs/explanation/scale.md.

Seeded, so that it always comes to the same numbers. Time is in milliseconds."""

import heapq
import random
import re
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from benchmarks.measure import percentile
from benchmarks.processes import ROOT
from benchmarks.sizing import CALL, DELIVERY, costs, sizes, tight_spots
from benchmarks.table import markdown, number

SEED = 15
BATCH = 256
"""Writes that share a commit, at most: `BATCH_LIMIT` of storage/group.py."""

QUIET_MS = 10.0
"""A process sends no more than one NOTIFY in this time: `_QUIET_SECONDS` of storage/postgres_wakeups.py."""


@dataclass(frozen=True, slots=True)
class WritePath:
    """Of the writes of one tenant, on PostgreSQL."""

    round_trip_ms: float
    of_each: int
    """Round trips for each write of a batch, while the lock of the tenant is held."""

    of_commit: int
    """Round trips for the whole batch, under the lock too."""

    outside: int = 1
    """Others that a write waits for."""

    commit_ms: float = 1.0
    each_ms: float = 0.3
    """What the database does for each write of a batch."""


@dataclass(frozen=True, slots=True)
class SimulatedOutcome:
    per_second: float
    p50: float
    p95: float
    batch: float = 1.0


@dataclass(slots=True)
class _Replica:
    waiting: deque[float] = field(default_factory=deque)
    """When each write that waits here was sent."""

    in_line: bool = False


class Tenant:
    """Writers, spread over replicas, each of which sends its next write when the last is acknowledged. A replica
    takes all that wait with it into one commit; one replica at a time has the lock."""

    def __init__(self, path: WritePath, writers: int, replicas: int, think_ms: float = 0.0) -> None:
        self._path = path
        self._think_ms = think_ms
        self._replicas = [_Replica() for _ in range(replicas)]
        self._line: deque[int] = deque()
        self._is_held = False
        self._chance = random.Random(SEED)
        self._order = 0
        self._latencies: list[float] = []
        self._batches: list[int] = []
        self._events: list[tuple[float, int, Callable[[float], None]]] = []
        for writer in range(writers):
            self._later(self._pause() + self._chance.random(), self._send(writer % replicas))

    def run(self, seconds: float) -> SimulatedOutcome:
        """The first fifth warms up."""
        end, began = seconds * 1_000, seconds * 200
        counted = 0
        while self._events and self._events[0][0] < end:
            now, _, happens = heapq.heappop(self._events)
            happens(now)
            if not counted and now >= began:
                counted = len(self._latencies) + 1
        latencies = self._latencies[counted:]
        rate = len(latencies) / (seconds * 0.8)
        batch = sum(self._batches) / len(self._batches)
        return SimulatedOutcome(rate, percentile(latencies, 0.5), percentile(latencies, 0.95), batch)

    def _pause(self) -> float:
        return self._chance.expovariate(1 / self._think_ms) if self._think_ms else 0.0

    def _later(self, moment: float, happens: Callable[[float], None]) -> None:
        self._order += 1
        heapq.heappush(self._events, (moment, self._order, happens))

    def _send(self, place: int) -> Callable[[float], None]:
        def happens(now: float) -> None:
            replica = self._replicas[place]
            replica.waiting.append(now)
            if not replica.in_line:
                replica.in_line = True
                self._line.append(place)
            self._next_batch(now)

        return happens

    def _next_batch(self, now: float) -> None:
        if self._is_held or not self._line:
            return
        place = self._line.popleft()
        replica = self._replicas[place]
        replica.in_line = False
        batch = [replica.waiting.popleft() for _ in range(min(BATCH, len(replica.waiting)))]
        self._is_held = True
        path = self._path
        work = path.commit_ms * self._chance.uniform(0.7, 1.3) + path.each_ms * len(batch)
        travel = (path.of_commit + path.of_each * len(batch)) * path.round_trip_ms
        self._later(now + travel + work, lambda then: self._committed(then, place, batch))

    def _committed(self, now: float, place: int, batch: Sequence[float]) -> None:
        self._is_held = False
        self._batches.append(len(batch))
        acknowledged = now + self._path.outside * self._path.round_trip_ms
        for sent in batch:
            self._latencies.append(acknowledged - sent)
            self._later(acknowledged + self._pause(), self._send(place))
        self._next_batch(now)


@dataclass(frozen=True, slots=True)
class FanOut:
    """Events of a cluster, and who listens to each, spread over replicas."""

    replicas: int
    events_per_second: float
    listeners: int
    calls_per_second: float
    """Of all replicas together."""

    deliver_ms: float = DELIVERY.value
    call_ms: float = CALL.value


def deliver(fan_out: FanOut, seconds: float = 10.0) -> tuple[SimulatedOutcome, float]:
    """How long after the commit a listener of one replica has an event, and the share of its core that is in use.
    A replica does one thing at a time: it delivers, or it answers a call."""
    chance = random.Random(SEED)
    jobs = sorted([*_arrivals_of_events(fan_out, seconds, chance), *_arrivals_of_calls(fan_out, seconds, chance)])
    free_at = busy = 0.0
    latencies = []
    for arrived, sent, work, count in jobs:
        began = max(free_at, arrived)
        free_at = began + work * max(1, count)
        busy += free_at - began
        latencies += [began + work * (place + 1) - sent for place in range(count)]
    rate = len(latencies) / seconds
    return SimulatedOutcome(rate, percentile(latencies, 0.5), percentile(latencies, 0.95)), busy / (seconds * 1_000)


Job = tuple[float, float, float, int]
"""When it reaches the replica, when it began, what one piece of it costs, and how many listeners it has."""


def _arrivals_of_events(fan_out: FanOut, seconds: float, chance: random.Random) -> Iterator[Job]:
    """Wake-ups from other replicas come together, once in so many milliseconds."""
    now = 0.0
    while (now := now + chance.expovariate(fan_out.events_per_second / 1_000)) < seconds * 1_000:
        here = sum(chance.random() < 1 / fan_out.replicas for _ in range(fan_out.listeners))
        is_own = chance.random() < 1 / fan_out.replicas
        noticed = now if is_own else now + chance.uniform(0, QUIET_MS)
        if here:
            yield noticed, now, fan_out.deliver_ms, here


def _arrivals_of_calls(fan_out: FanOut, seconds: float, chance: random.Random) -> Iterator[Job]:
    rate = fan_out.calls_per_second / fan_out.replicas / 1_000
    now = 0.0
    while rate and (now := now + chance.expovariate(rate)) < seconds * 1_000:
        yield now, now, fan_out.call_ms, 0


# ---------------------------------------------------------------------- tables


WAYS = {"16 for each write": (16, 1), "4 for each write": (4, 1), "4 for a whole commit": (0, 4)}
"""Round trips of each write, and of a commit: a statement at a time, few statements, and all that wait in one go."""


def lock_table() -> str:
    """One tenant that writes as fast as it can."""
    rows = []
    for way, (of_each, of_commit) in WAYS.items():
        for round_trip in (0.2, 0.5, 2.0):
            path = WritePath(round_trip, of_each, of_commit)
            one, three = (Tenant(path, 64, replicas).run(5) for replicas in (1, 3))
            rows.append([way, f"{round_trip:g} ms", *map(number, (one.per_second, one.p95, three.per_second))])
    head = [
        "round trips under the lock",
        "network, there and back",
        "writes/s, 64 writers",
        "p95, ms",
        "with 3 replicas",
    ]
    return markdown(head, rows)


def tenant_table() -> str:
    """One tenant whose agents write every ten seconds."""
    rows = []
    for agents in (1_000, 5_000, 10_000, 20_000, 40_000):
        found = Tenant(WritePath(0.5, 0, 4), agents, 3, think_ms=10_000).run(10)
        rows.append([f"{agents:,}", *map(number, (found.per_second, found.batch, found.p50, found.p95))])
    return markdown(["agents in one tenant", "writes/s", "writes in a commit", "p50, ms", "p95, ms"], rows)


def fan_out_table() -> str:
    rows = []
    for replicas, events, listeners, calls in (
        (1, 3, 8, 100),
        (1, 30, 8, 1_000),
        (3, 90, 8, 1_500),
        (30, 3_000, 8, 10_000),
        (3, 90, 1_000, 300),
        (30, 90, 1_000, 300),
    ):
        found, share = deliver(FanOut(replicas, events, listeners, calls))
        told = [str(replicas), f"{events:,}", f"{listeners:,}", f"{calls:,}"]
        delays = ["no end", "no end"] if share > 1 else [number(found.p50), number(found.p95)]
        rows.append([*told, f"{share:.0%}", *delays])
    head = ["replicas", "events/s", "listeners of each", "calls/s", "of a core, each", "p50, ms", "p95, ms"]
    return markdown(head, rows)


TABLES: dict[str, Callable[[], str]] = {
    "costs": costs,
    "sizes": sizes,
    "tight spots": tight_spots,
    "lock": lock_table,
    "tenant": tenant_table,
    "fan-out": fan_out_table,
}


PAGE = ROOT / "docs" / "explanation" / "scale.md"
_PLACE = re.compile(r"(?<=<!-- table: )([^>]+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)


def filled(page: str) -> str:
    """The page with every table in its place."""
    return _PLACE.sub(lambda place: f"{place[1]}{place[2]}\n{TABLES[place[1]]()}\n\n", page)


def main() -> None:
    """Prints the tables, or with `--write` puts them into the page."""
    if "--write" in sys.argv:
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
        return
    for name, table in TABLES.items():
        print(f"## {name}\n\n{table()}\n")


if __name__ == "__main__":
    main()
