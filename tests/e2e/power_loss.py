"""A server whose power is cut while many write to it: what it had acknowledged must be on the disk.

The disk is a journal of what SQLite wrote and synced (`tests/disks`). One run under load has many moments; at each of
them the disk is made as a power cut there may leave it, and opened."""

import asyncio
import os
import random
import shutil
import sqlite3
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from tests.disks import at_start
from tests.disks.journal import FOLDER, IGNORES_SYNCS, JOURNAL, JournaledDisk
from tests.e2e.preloaded import ForkedProcess
from tests.e2e.servers import Options, Processes, environment, longtable, until
from tests.e2e.wire import Wire, wire_to

WRITERS = 16
SESSION = "power"


@dataclass
class WatchedProcesses(Processes):
    """Their SQLite keeps a journal of the disk."""

    ignores_syncs: bool = False

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def journal(self) -> Path:
        return self.folder / "journal"

    def start(
        self, words: Sequence[str], options: Options, cwd: Path | None = None
    ) -> "subprocess.Popen[bytes] | ForkedProcess":
        env = environment(options)
        env["PYTHONPATH"] = os.pathsep.join([at_start.FOLDER, env["PYTHONPATH"]])
        env |= {JOURNAL: str(self.journal), FOLDER: str(self.data)}
        env |= {IGNORES_SYNCS: "1"} if self.ignores_syncs else {}
        pipe = subprocess.PIPE
        return subprocess.Popen(
            longtable(*words), cwd=self.folder, env=env, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0
        )


@dataclass
class Acknowledgements:
    """Texts by the table that they are in, each with the length that the journal had when its success was received."""

    journal: Path
    texts: list[tuple[str, str, int]] = field(default_factory=list)

    async def write(self, address: str, writer: int) -> None:
        """Writes until the connection breaks."""
        headers = (("X-Session-ID", SESSION), ("X-Caller-Agent", f"writer-{writer}"))
        try:
            async with wire_to(address, *headers) as wire:
                number = 0
                while True:
                    number += 1
                    table = await _write_one(wire, f"{writer}.{number}", number)
                    self.texts.append((table, f"{writer}.{number}", self.journal.stat().st_size))
        except (ConnectionError, asyncio.IncompleteReadError):
            return

    def until(self, length: int) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {table: set() for table in _TEXTS}
        for table, text, size in self.texts:
            if size <= length:
                found[table].add(text)
        return found


_TEXTS: Mapping[str, str] = {
    "notes": "SELECT content FROM notes",
    "messages": "SELECT content FROM messages",
    "memory": "SELECT memory_key FROM memory",
}


async def _write_one(wire: Wire, text: str, number: int) -> str:
    match number % 3:
        case 0:
            await wire.calls("add_note", content=text)
            return "notes"
        case 1:
            await wire.calls("add_message", content=text)
            return "messages"
        case _:
            await wire.calls("set_memory", key=text, value=number)
            return "memory"


async def run_under_load(processes: WatchedProcesses, options: Options, writes: int) -> Acknowledgements:
    server = processes.serve({**options, "data_dir": str(processes.data)})
    async with wire_to(server.address) as wire:
        await wire.calls("create_session", session_id=SESSION)
    acknowledged = Acknowledgements(processes.journal)
    writers = [asyncio.create_task(acknowledged.write(server.address, number)) for number in range(WRITERS)]
    await until(lambda: len(acknowledged.texts) >= writes)
    server.kill_all()
    await asyncio.gather(*writers)
    await server.ends()
    return acknowledged


@dataclass
class PowerCuts:
    """What was found on the disk after each."""

    lost: int = 0
    damaged: int = 0


async def cut_the_power(
    processes: WatchedProcesses, acknowledged: Acknowledgements, cuts: int, *, verified: int = 0
) -> PowerCuts:
    """At `cuts` moments between the first and the last acknowledgement. After the first `verified` ones the audit log
    is verified, too."""
    chance = random.Random(20)
    found = PowerCuts()
    first, last = acknowledged.texts[0][2], acknowledged.texts[-1][2]
    for number in range(cuts):
        moment = chance.randint(first, last)
        disk = JournaledDisk.at(processes.journal, moment)
        disk.lose_power(chance)
        folder = _disk_folder(processes, disk)
        try:
            found.lost += _missing(folder, acknowledged.until(moment))
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            found.damaged += 1
        if number < verified:
            checked = await asyncio.to_thread(processes.run, "audit", "verify", options={"data_dir": str(folder)})
            assert checked.returncode == 0, checked.stdout + checked.stderr
        shutil.rmtree(folder)
    return found


def _disk_folder(processes: WatchedProcesses, disk: JournaledDisk) -> Path:
    """The data folder with the files of the store as they are on this disk."""
    folder = processes.folder / "after-the-cut"
    shutil.copytree(processes.data, folder, ignore=shutil.ignore_patterns("longtable.db*"))
    disk.save(folder)
    return folder


def _missing(folder: Path, acknowledged: dict[str, set[str]]) -> int:
    with closing(sqlite3.connect(folder / "longtable.db")) as store:
        if store.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("the store is damaged")
        tables = {name for (name,) in store.execute("SELECT name FROM sqlite_master")}
        missing = 0
        for table, texts in acknowledged.items():
            kept = {text for (text,) in store.execute(_TEXTS[table])} if table in tables else set()
            missing += len(texts - kept)
        return missing
