"""`python -m benchmarks.soak [MINUTES]`: a steady mix of calls for an hour, sampled every ten seconds. Says at the end
whether memory, descriptors, processor time of a call, its p99 and the write-ahead log have stayed flat."""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measure import percentile
from benchmarks.requests import tool_call
from benchmarks.rounds import RoundListener, longtable_at
from benchmarks.waiting import ANSWERED, Waiter, WaitingSessions, connect, initialize

AGENTS, SESSIONS, CALLS_A_SECOND = 30, 8, 100
WARM_SHARE = 1 / 6
"""The part of the run in which caches fill: ten minutes of an hour."""
ALLOWED = 1.1
"""How much larger the median of the last third may be than that of the third after the warm part."""

TEXT = "Build {number} of the importer took twice as long; the profile shows {word} and the dates that it parses."
WORDS = ("caches", "parsers", "locks", "queues", "pages", "indexes", "workers", "streams")
MIX: tuple[tuple[str, int], ...] = (
    *(("add_note", 15), ("add_message", 20), ("scratch_append_cell", 10), ("read_notes", 12), ("get_messages", 15)),
    *(("word_search", 5), ("search_context", 5), ("read_events", 5), ("read_plan", 5), ("list_sessions", 5)),
    ("new_connection", 3),
)


@dataclass(frozen=True, slots=True)
class Sample:
    minute: float
    memory_mb: float
    descriptors: float
    cpu_ms: float
    p99_ms: float
    wal_mb: float


@dataclass(slots=True)
class Soak:
    listener: RoundListener
    wal: Path
    rooms: list[WaitingSessions] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)
    failed: int = 0
    number: int = 0
    sample_seconds: float = 10.0
    chance: random.Random = field(default_factory=lambda: random.Random(1))

    async def run(self, seconds: float) -> list[Sample]:
        agents = [await connect(self.listener, number) for number in range(AGENTS)]
        for number in range(SESSIONS):
            await agents[0].ask(tool_call(self.listener.port, "create_session", {"purpose": "soak"}), ANSWERED)
            self.rooms.append(WaitingSessions(self.listener, agents[0].result()["session_id"]))
            await agents[0].ask(self.rooms[-1].call(0, "scratch_create", {"scratch_id": f"soak-{number}"}), b"\r\n\r\n")
        began = time.perf_counter()
        working = [asyncio.create_task(self._work(agent, at, began + seconds)) for at, agent in enumerate(agents)]
        samples = []
        while time.perf_counter() < began + seconds - self.sample_seconds / 2:
            samples.append(await self._sample(began))
            print(" ".join(f"{name} {value:.2f}" for name, value in _values(samples[-1])), flush=True)
        await asyncio.gather(*working)
        # The loop closes their connections in its next turn.
        await asyncio.sleep(0)
        return samples

    async def _sample(self, began: float) -> Sample:
        server, cpu, count = self.listener.server, self.listener.server.cpu_seconds(), len(self.latencies)
        await asyncio.sleep(self.sample_seconds)
        new = self.latencies[count:] or [0.0]
        wal = self.wal.stat().st_size / 1_000_000 if self.wal.exists() else 0.0
        used = (server.cpu_seconds() - cpu) * 1000 / len(new)
        minute = (time.perf_counter() - began) / 60
        return Sample(minute, server.memory_mb(), server.descriptors(), used, percentile(new, 0.99), wal)

    async def _work(self, agent: Waiter, place: int, until: float) -> None:
        names, weights = zip(*MIX, strict=True)
        # Spread over a period: all at once, each would wait for the calls of all others.
        await asyncio.sleep(place / CALLS_A_SECOND)
        while (began := time.perf_counter()) < until:
            (name,) = self.chance.choices(names, weights)
            if name == "new_connection":
                agent.transport.abort()
                agent = await connect(self.listener, agent.agent)
                await agent.ask(initialize(self.rooms[0], agent), b"\r\n\r\n")
            else:
                await agent.ask(self._call(agent, name), b'"isError":')
                self.failed += ANSWERED not in agent.received
            self.latencies.append((time.perf_counter() - began) * 1000)
            await asyncio.sleep(max(0.0, began + AGENTS / CALLS_A_SECOND - time.perf_counter()))
        agent.transport.abort()

    def _call(self, agent: Waiter, name: str) -> str:
        self.number += 1
        place = self.chance.randrange(SESSIONS)
        word = self.chance.choice(WORDS)
        text = TEXT.format(number=self.number, word=word)
        arguments: dict[str, dict[str, Any]] = {
            "add_note": {"content": text, "tags": [word]},
            "add_message": {"content": text},
            "scratch_append_cell": {"scratch_id": f"soak-{place}", "cell": {"language": "md", "content": text}},
            "read_notes": {"limit": 20},
            "get_messages": {"limit": 20},
            "word_search": {"query": word, "limit": 10},
            "search_context": {"query": f"{word} {self.number}"},
            "read_events": {"after": 0, "limit": 50},
        }
        tool = "read_notes" if name == "word_search" else name
        return self.rooms[place].call(agent.agent, tool, arguments.get(name, {}))


def _values(sample: Sample) -> Iterator[tuple[str, float]]:
    for name in Sample.__slots__:
        yield name, getattr(sample, name)


def verdict(samples: list[Sample]) -> dict[str, tuple[float, float, bool]]:
    """For each measure its median in the first and in the last third after the warm part, and whether it is flat."""
    kept = samples[int(len(samples) * WARM_SHARE) :]
    third = max(1, len(kept) // 3)
    found = {}
    for name in Sample.__slots__[1:]:
        early, late = (median(getattr(one, name) for one in part) for part in (kept[:third], kept[-third:]))
        found[name] = early, late, late <= early * ALLOWED
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("minutes", nargs="?", type=float, default=60.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="longtable-soak-") as folder:
        data_dir = Path(folder) / "data"
        with longtable_at(data_dir) as listener:
            soak = Soak(listener, data_dir / "longtable.db-wal")
            found = verdict(asyncio.run(soak.run(given.minutes * 60)))
    print(json.dumps({"calls": len(soak.latencies), "failed": soak.failed}))
    for name, (early, late, is_flat) in found.items():
        print(f"{name:12} {early:10.2f} -> {late:10.2f}  {'flat' if is_flat else 'GROWS'}")
    sys.exit(0 if all(is_flat for _, _, is_flat in found.values()) else 1)


if __name__ == "__main__":
    main()
