"""Writers and readers at two servers on one store, who lose their connections while the servers are restarted."""

import asyncio
import random
import signal
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from tests.e2e.event_wire import StreamRefused, event_wire
from tests.e2e.servers import Options, Processes, Server
from tests.e2e.wire import wire_to
from tests.table import Refused

BROKEN = (OSError, EOFError, ValueError, StreamRefused)
"""What a client of a server that stops may meet; ValueError is the end of a chunked answer that never came."""

PASSING = {"SHUTTING_DOWN", "STORE_UNAVAILABLE", "CAPACITY_LIMIT_REACHED", "OVERLOADED"}

CATCH_UP_SECONDS = 60.0


@dataclass(frozen=True)
class Size:
    writers: int
    readers: int
    each: int
    sessions: int
    servers: int = 2
    pause: float = 0.0
    """Seconds between two writes of one writer."""
    pulls: int = 2
    """One reader of so many asks for what is new, again and again; the others listen."""

    again: float = 0.05
    """Seconds until whoever was cut off or refused comes back, at most."""

    @property
    def notes(self) -> int:
        """In each session."""
        return self.writers * self.each // self.sessions


@dataclass
class EventReader:
    """Has heard `seqs` of its session, over however many connections."""

    name: str
    session: str
    seqs: list[int] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    """Seconds from the time of each event until it was heard."""
    connections: int = 0

    @property
    def cursor(self) -> int:
        return self.seqs[-1] if self.seqs else 0

    def takes(self, event: dict[str, Any]) -> None:
        assert event["session_id"] == self.session
        assert event["seq"] > self.cursor, f"{self.name} heard {event['seq']} after {self.cursor}"
        self.seqs.append(event["seq"])
        self.delays.append(time.time() - datetime.fromisoformat(event["timestamp"]).timestamp())


@dataclass
class EventCrowd:
    processes: Processes
    options: Options
    size: Size
    dice: random.Random
    servers: list[Server] = field(default_factory=list)
    acknowledged: dict[str, set[str]] = field(default_factory=dict)
    written: int = 0

    async def runs(self) -> list[EventReader]:
        """Until every reader has heard the last event of its session."""
        self.servers = list(await asyncio.gather(*(self._serves() for _ in range(self.size.servers))))
        sessions = [f"sess_{n}" for n in range(self.size.sessions)]
        self.acknowledged = {session: set() for session in sessions}
        async with wire_to(self.servers[0].address) as wire:
            for session in sessions:
                await wire.calls("create_session", session_id=session)
        readers = [EventReader(f"reader-{n}", sessions[n % len(sessions)]) for n in range(self.size.readers)]
        reading = [asyncio.create_task(self._way(n)(reader)) for n, reader in enumerate(readers)]
        writing = [self._writes(number, sessions) for number in range(self.size.writers)]
        await asyncio.gather(self._restarts(), *writing)
        try:
            await self._all_caught_up(readers, reading)
        finally:
            for task in reading:
                task.cancel()
            await asyncio.gather(*reading, return_exceptions=True)
        return readers

    def _way(self, number: int) -> Callable[[EventReader], Coroutine[Any, Any, None]]:
        return self._pulls if number % self.size.pulls == 1 else self._listens

    async def complete(self, session: str) -> list[dict[str, Any]]:
        """All that the log holds of a session, read at the end."""
        events: list[dict[str, Any]] = []
        async with wire_to(self.servers[0].address, ("X-Session-ID", session)) as wire:
            while page := (await wire.calls("read_events", after=_last(events), limit=1000, max_chars=0))["events"]:
                assert page[0]["seq"] > _last(events)
                events += page
        return events

    async def _all_caught_up(self, readers: list[EventReader], reading: list["asyncio.Task[None]"]) -> None:
        last = {session: _last(await self.complete(session)) for session in self.acknowledged}
        deadline = time.monotonic() + CATCH_UP_SECONDS
        while late := [reader for reader in readers if reader.cursor < last[reader.session]]:
            for task in reading:
                assert not task.done(), task.exception()
            assert time.monotonic() < deadline, [(reader, last[reader.session]) for reader in late]
            await asyncio.sleep(0.02)

    async def _serves(self) -> Server:
        return await asyncio.to_thread(self.processes.serve, dict(self.options))

    async def _restarts(self) -> None:
        """One server is asked to stop, later on the other is killed; each comes back at another address."""
        total = self.size.writers * self.size.each
        for number, (share, number_of_signal) in enumerate(((1 / 3, signal.SIGTERM), (2 / 3, signal.SIGKILL))):
            while self.written < share * total:  # noqa: ASYNC110 - the condition is a count
                await asyncio.sleep(0.01)
            self.servers[number].signal(number_of_signal)
            code = await self.servers[number].ends()
            assert code == (0 if number_of_signal is signal.SIGTERM else -signal.SIGKILL)
            self.servers[number] = await self._serves()

    async def _writes(self, number: int, sessions: list[str]) -> None:
        """To one session after the other, where there are more of them than writers."""
        name = f"writer-{number}"
        for n in range(self.size.each):
            key, session = f"{name} {n}", sessions[(number + n * self.size.writers) % len(sessions)]
            note = await self._until_done(partial(self._write, name, session, key))
            self.acknowledged[session].add(note)
            self.written += 1
            if self.size.pause:
                await asyncio.sleep(self.size.pause)

    async def _write(self, name: str, session: str, key: str) -> str:
        server = self.dice.choice(self.servers)
        async with wire_to(server.address, ("X-Caller-Agent", name), ("X-Session-ID", session)) as wire:
            added = await wire.calls("add_note", content=key, idempotency_key=key)
        note_id: str = added["note"]["id"]
        return note_id

    async def _listens(self, reader: EventReader) -> None:
        """Over REST. Each connection ends after some events, by the reader's whim or the server's fate."""
        while True:
            with suppress(*BROKEN):
                reader.connections += 1
                await self._listen(reader, self.dice.randrange(1, self.size.notes))
                continue
            await asyncio.sleep(self.size.again * self.dice.random())

    async def _listen(self, reader: EventReader, at_most: int) -> None:
        headers = {"X-Caller-Agent": reader.name, "Last-Event-ID": str(reader.cursor)}
        server = self.dice.choice(self.servers)
        async with event_wire(server.address, f"/sessions/{reader.session}/events", headers) as wire:
            for _ in range(at_most):
                received = await wire.hears()
                if received is None or received[0] in ("end", "lagged"):
                    return
                reader.takes(received[1])
            wire.breaks_off()

    async def _pulls(self, reader: EventReader) -> None:
        """With read_events, from wherever it is, at either server."""
        while True:
            page = await self._until_done(lambda: self._pull(reader))
            for event in page["events"]:
                reader.takes(event)

    async def _pull(self, reader: EventReader) -> dict[str, Any]:
        server = self.dice.choice(self.servers)
        reader.connections += 1
        async with wire_to(server.address, ("X-Caller-Agent", reader.name), ("X-Session-ID", reader.session)) as wire:
            return await wire.calls("read_events", after=reader.cursor, limit=50, wait_seconds=2, max_chars=0)

    async def _until_done(self, work: Callable[[], Awaitable[Any]]) -> Any:
        while True:
            with suppress(*BROKEN):
                try:
                    return await work()
                except Refused as error:
                    if error.code not in PASSING:
                        raise
            await asyncio.sleep(self.size.again * self.dice.random())


def _last(events: list[dict[str, Any]]) -> int:
    return int(events[-1]["seq"]) if events else 0


async def check_that_no_reader_misses_anything(processes: Processes, options: Options, size: Size) -> list[EventReader]:
    crowd = EventCrowd(processes, options, size, random.Random(40))

    readers = await crowd.runs()

    for session, notes in crowd.acknowledged.items():
        events = await crowd.complete(session)
        seqs = [event["seq"] for event in events]
        assert {event["note_id"] for event in events if "note_id" in event} == notes
        assert len(notes) == size.notes
        assert seqs == sorted(set(seqs))
        for reader in readers:
            if reader.session == session:
                assert reader.seqs == seqs, reader.name
    assert min(reader.connections for reader in readers) > 1
    for server in crowd.servers:
        assert not server.tracebacks
    return readers
