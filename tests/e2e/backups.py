"""Backups while many write: each restores to a prefix of what was acknowledged."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.e2e.servers import Options, Processes


def runs(processes: Processes, *words: str, options: Options, code: int = 0) -> Any:
    done = processes.run(*words, "--json", options=options)
    assert done.returncode == code, done.stderr + done.stdout
    return json.loads(done.stdout or done.stderr)


async def check_backups_under_load(
    processes: Processes, data: Options, folder: Path, *, backups: int, writers: int
) -> None:
    server = processes.serve(data)
    agents = [server.agent(f"agent-{number}") for number in range(writers)]
    acknowledged: list[str] = []
    has_begun = asyncio.Event()
    is_over = asyncio.Event()

    async def writes(number: int) -> None:
        count = 0
        while not is_over.is_set():
            await agents[number].calls("add_note", content=f"{number}.{count}")
            acknowledged.append(f"{number}.{count}")
            has_begun.set()
            count += 1

    writing = [asyncio.create_task(writes(number)) for number in range(writers)]
    await has_begun.wait()
    before: list[set[str]] = []
    for number in range(backups):
        before.append(set(acknowledged))
        facts = await asyncio.to_thread(runs, processes, "backup", f"{number}.backup", options=data)
        assert facts["events"] > 0
    is_over.set()
    await asyncio.gather(*writing)
    for agent in agents:
        await agent.client.aclose()
    server.stop()

    for number in range(backups):
        place = folder / f"restored-{number}"
        await asyncio.to_thread(runs, processes, "restore", f"{number}.backup", options={"data_dir": str(place)})
        assert before[number] <= _prefix(place / "longtable.db", writers) <= set(acknowledged)


def _prefix(store: Path, writers: int) -> set[str]:
    """The notes in it, of which none may be missing before another of the same writer."""
    with closing(sqlite3.connect(store)) as connection:
        kept = {str(content) for (content,) in connection.execute("SELECT content FROM notes")}
    for writer in range(writers):
        of_one = sorted(int(each.partition(".")[2]) for each in kept if each.startswith(f"{writer}."))
        assert of_one == list(range(len(of_one)))
    return kept
