"""Eight clients that read and write the same few things, while servers are killed and started again. All that they saw
is recorded, to be checked."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

from tests.e2e.servers import Options, Processes, Server, until
from tests.e2e.wire import Wire, wire_to
from tests.histories.versions import VersionOperation
from tests.table import Refused

CLIENTS: Final = 8
SESSION: Final = "shared"
Write = Callable[[Wire, str, dict[str, int]], Awaitable[int]]
Read = Callable[[Wire], Awaitable[tuple[str, int]]]


@dataclass(frozen=True)
class Versioned:
    """How a thing is written, with the version expected of it or none, and read."""

    write: Write
    read: Read


async def _write_section(wire: Wire, value: str, expected: dict[str, int]) -> int:
    return int(
        (await wire.calls("write_draft_section", section_id="one", content=value, **expected))["section"]["version"]
    )


async def _read_section(wire: Wire) -> tuple[str, int]:
    section = (await wire.calls("read_section", section_name="one"))["section"]
    return section["content"], section["version"]


async def _write_memory(wire: Wire, value: str, expected: dict[str, int]) -> int:
    return int((await wire.calls("set_memory", key="one", value=value, **expected))["version"])


async def _read_memory(wire: Wire) -> tuple[str, int]:
    entry = await wire.calls("get_memory", key="one")
    return entry["value"], entry["version"]


async def _write_task(wire: Wire, value: str, expected: dict[str, int]) -> int:
    return int((await wire.calls("update_task", task_id="t1", description=value, **expected))["task"]["version"])


async def _read_task(wire: Wire) -> tuple[str, int]:
    (task,) = (await wire.calls("read_plan"))["tasks"]
    return task["description"], task["version"]


async def _write_pad(wire: Wire, value: str, expected: dict[str, int]) -> int:
    written = await wire.calls("scratch_update", scratch_id="one", metadata={"title": value}, **expected)
    return int(written["scratchpad"]["version"])


async def _read_pad(wire: Wire) -> tuple[str, int]:
    pad = (await wire.calls("scratch_read", scratch_id="one"))["scratchpad"]
    return pad["title"], pad["version"]


THINGS: Final = {
    "section": Versioned(_write_section, _read_section),
    "memory": Versioned(_write_memory, _read_memory),
    "task": Versioned(_write_task, _read_task),
    "scratchpad": Versioned(_write_pad, _read_pad),
}


@dataclass
class HistoryRecorder:
    history: list[VersionOperation] = field(default_factory=list)
    values: "count[int]" = field(default_factory=lambda: count(1))

    async def client(self, address: str, chance: random.Random) -> None:
        """Until the connection breaks."""
        known = dict.fromkeys(THINGS, 1)
        try:
            async with wire_to(address, ("X-Session-ID", SESSION), ("X-Caller-Agent", "ada")) as wire:
                while True:
                    thing = chance.choice(list(THINGS))
                    if chance.random() < 0.5:
                        known[thing] = await self._read(wire, thing)
                    else:
                        expected = known[thing] if chance.random() < 0.7 else None
                        known[thing] = await self._write(wire, thing, expected)
        except (ConnectionError, asyncio.IncompleteReadError):
            return

    async def _read(self, wire: Wire, thing: str) -> int:
        began = time.monotonic()
        value, version = await THINGS[thing].read(wire)
        self.history.append(VersionOperation("read", thing, value, version, began, time.monotonic()))
        return version

    async def _write(self, wire: Wire, thing: str, expected: int | None) -> int:
        value = f"value {next(self.values)}"
        given = {} if expected is None else {"expected_version": expected}
        began = time.monotonic()
        try:
            version = await THINGS[thing].write(wire, value, given)
        except Refused as error:
            current = int(error.details["current_version"])
            self.history.append(VersionOperation("refused", thing, value, current, began, time.monotonic(), expected))
            return current
        except (ConnectionError, asyncio.IncompleteReadError):
            self.history.append(VersionOperation("write", thing, value, None, began, float("inf"), expected))
            raise
        self.history.append(VersionOperation("write", thing, value, version, began, time.monotonic(), expected))
        return version


async def recorded(processes: Processes, options: Options, operations: int, kills: int) -> list[VersionOperation]:
    """At least as many operations, with the server killed between equal shares of them."""
    recorder, chance = HistoryRecorder(), random.Random(1)
    server = processes.serve(options)
    recorder.history += await _first_versions(server)
    for share in range(1, kills + 2):
        clients = [
            asyncio.create_task(recorder.client(server.address, random.Random(f"{share} {number}")))
            for number in range(CLIENTS)
        ]
        enough = share * operations // (kills + 1) + chance.randint(0, 20)
        await until(lambda: len(recorder.history) >= enough or any(each.done() for each in clients), within=600)  # noqa: B023
        server.kill_all()
        await asyncio.gather(*clients)
        await server.ends()
        if share <= kills:
            server = await asyncio.to_thread(processes.serve, options)
    return recorder.history


async def _first_versions(server: Server) -> list[VersionOperation]:
    async with wire_to(server.address) as wire:
        await wire.calls("create_session", session_id=SESSION)
    async with wire_to(server.address, ("X-Session-ID", SESSION), ("X-Caller-Agent", "ada")) as wire:
        await wire.calls("add_tasks", tasks=[{"description": "first"}])
        await wire.calls("scratch_create", scratch_id="one", metadata={"title": "first"})
        await wire.calls("write_draft_section", section_id="one", content="first")
        await wire.calls("set_memory", key="one", value="first")
    now = time.monotonic()
    return [VersionOperation("write", thing, "first", 1, now, now) for thing in THINGS]


def summary(history: list[VersionOperation]) -> dict[str, Any]:
    kinds = {kind: sum(each.kind == kind for each in history) for kind in ("write", "read", "refused")}
    return {**kinds, "lost": sum(each.version is None for each in history)}
