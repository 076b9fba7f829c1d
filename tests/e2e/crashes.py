"""A server that is killed while many write to it, and what must hold of its store afterwards."""

import asyncio
import json
import random
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg

from tests.e2e.servers import Options, Processes, Server, until
from tests.e2e.wire import Wire, wire_to
from tests.stores import Store

WRITERS = 16
RESTART_LIMIT = 5.0
SESSION = "crash_test"
Rows = Callable[[str], Awaitable[list[tuple[Any, ...]]]]


@dataclass
class Acknowledged:
    """What the server has promised to keep: content by id."""

    notes: dict[str, str] = field(default_factory=dict)

    async def write(self, address: str, writer: int, round_number: int) -> None:
        """Adds notes until the connection breaks."""
        headers = (("X-Session-ID", SESSION), ("X-Caller-Agent", f"writer-{writer}"))
        try:
            async with wire_to(address, *headers) as wire:
                number = 0
                while True:
                    number += 1
                    content = f"round {round_number}, writer {writer}, note {number}"
                    added = await wire.calls("add_note", content=content)
                    assert added["note"]["id"] not in self.notes, "a number was given twice"
                    self.notes[added["note"]["id"]] = content
        except (ConnectionError, asyncio.IncompleteReadError):
            return


async def check_rounds(processes: Processes, store: Store, options: Options, rounds: int) -> None:
    chance = random.Random(1)
    promised = Acknowledged()
    server = processes.serve(options)
    async with wire_to(server.address) as wire:
        await wire.calls("create_session", session_id=SESSION)
    for round_number in range(1, rounds + 1):
        await _kill_under_writers(server, promised, round_number, after=chance.randint(1, 200))
        server, took = await _restarted(processes, options)
        assert await _is_quick(processes, took), f"the restart of round {round_number} took {took:.1f} s"
        await _check(processes, store, options, server, promised)
    assert len(promised.notes) > rounds


async def _kill_under_writers(server: Server, promised: Acknowledged, round_number: int, after: int) -> None:
    """Kills it when it has acknowledged `after` more notes, so that others are on their way."""
    enough = len(promised.notes) + after
    writers = [asyncio.create_task(promised.write(server.address, n, round_number)) for n in range(WRITERS)]
    await until(lambda: len(promised.notes) >= enough, within=20)
    server.kill_all()
    await asyncio.gather(*writers)
    await server.ends()


async def _restarted(processes: Processes, options: Options) -> tuple[Server, float]:
    began = time.monotonic()
    server = await asyncio.to_thread(processes.serve, options)
    async with wire_to(server.address) as wire:
        assert (await wire.sends("GET", "/ready")).status == 200
    return server, time.monotonic() - began


async def _is_quick(processes: Processes, took: float) -> bool:
    """Under five seconds; on a machine that is too busy for that, not much over the start on an empty folder."""
    if took < RESTART_LIMIT:
        return True
    empty = processes.folder / f"empty-{len(processes.started)}"
    server, fresh = await _restarted(processes, {"data_dir": str(empty)})
    server.kill()
    return took < 3 * fresh


async def _check(processes: Processes, store: Store, options: Options, server: Server, promised: Acknowledged) -> None:
    async with rows_of(store) as rows:
        notes = {
            f"n{number}": content
            for number, content in await rows(
                f"SELECT number, content FROM notes WHERE session_id = '{SESSION}' ORDER BY number"
            )
        }
        events = [
            json.loads(payload)["note_id"]
            for (payload,) in await rows(
                f"SELECT payload FROM events WHERE session_id = '{SESSION}'"
                " AND kind = 'scratchpad/note_added' ORDER BY seq"
            )
        ]
        audited = [
            name.removeprefix("note:")
            for (name,) in await rows(
                f"SELECT object FROM audit WHERE session_id = '{SESSION}' AND event_type = 'note_added'"
                " AND outcome = 'SUCCESS' ORDER BY seq"
            )
        ]
    assert list(notes) == [f"n{number}" for number in range(1, len(notes) + 1)]
    assert {note_id: notes.get(note_id) for note_id in promised.notes} == promised.notes
    assert sorted(events) == sorted(notes)
    assert sorted(audited) == sorted(notes)
    async with wire_to(server.address, ("X-Session-ID", SESSION)) as wire:
        assert await _announced(wire) == events
    verified = await asyncio.to_thread(processes.run, "audit", "verify", options=options)
    assert verified.returncode == 0, verified.stdout + verified.stderr


async def _announced(wire: Wire) -> list[str]:
    """The notes that read_events tells of, in its order."""
    found: list[str] = []
    after = 0
    while True:
        page = await wire.calls("read_events", after=after, kinds=["scratchpad/*"], limit=1000, max_chars=0)
        found += [event["note_id"] for event in page["events"]]
        if page["next_after"] == after or not page["events"]:
            return found
        after = page["next_after"]


@asynccontextmanager
async def rows_of(store: Store) -> AsyncIterator[Rows]:
    """Reads the tables themselves, past our own code."""
    if store.kind == "sqlite":
        with sqlite3.connect(f"file:{Path(store.address)}?mode=ro", uri=True) as file:

            async def from_file(statement: str) -> list[tuple[Any, ...]]:
                return file.execute(statement).fetchall()

            yield from_file
        file.close()
        return
    connection = await asyncpg.connect(store.address)
    try:
        await connection.execute("SET longtable.tenant = '*'")

        async def from_server(statement: str) -> list[tuple[Any, ...]]:
            return [tuple(row) for row in await connection.fetch(statement)]

        yield from_server
    finally:
        await connection.close()
