"""Many processes that write to one table at the same time, and what all of them must see afterwards."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.e2e.servers import Options, Processes
from tests.e2e.wire import Wire, wire_to

Calls = Callable[..., Awaitable[dict[str, Any]]]
AT_ONCE = 8
STDIO = 8


@dataclass(frozen=True)
class Member:
    """One process as its client sees it."""

    name: str
    calls: Calls

    async def adds(self, contents: list[str]) -> list[str]:
        """All of them, a few under way at a time; answers their ids."""
        waiting = iter(contents)
        ids: list[str] = []

        async def work() -> None:
            for content in waiting:
                ids.append((await self.calls("add_note", content=content))["note"]["id"])

        await asyncio.gather(*(work() for _ in range(AT_ONCE)))
        return ids

    async def reads_all(self) -> dict[str, str]:
        """Content by id, of every note, page by page."""
        notes: dict[str, str] = {}
        page = await self.calls("read_notes", limit=500)
        while True:
            notes |= {note["id"]: note["content"] for note in page["notes"]}
            if page["next_cursor"] is None:
                return notes
            page = await self.calls("read_notes", limit=500, cursor=page["next_cursor"])


async def check_that_nothing_is_lost(processes: Processes, options: Options, each: int) -> None:
    shared = {"project": "team", "log_level": "warning", **options}
    server = processes.serve({**shared, "log_level": "info"})
    stdios = [processes.stdio({**shared, "agent": f"stdio-{n}"}) for n in range(STDIO)]
    await asyncio.gather(*(stdio.opens() for stdio in stdios))
    async with wire_pool(server.address) as http:
        members = [Member("http", http), *(Member(f"stdio-{n}", stdio.calls) for n, stdio in enumerate(stdios))]
        contents = {member.name: [f"{member.name} found {n}" for n in range(each)] for member in members}

        ids = await asyncio.gather(*(member.adds(contents[member.name]) for member in members))
        seen = [await member.reads_all() for member in members]

        expected = [f"n{number}" for number in range(1, each * len(members) + 1)]
        assert sorted((id for own in ids for id in own), key=_number) == expected
        assert sorted(seen[0], key=_number) == expected
        assert sorted(seen[0].values()) == sorted(content for own in contents.values() for content in own)
        assert all(view == seen[0] for view in seen)
        assert len((await members[0].calls("list_sessions"))["sessions"]) == 1


@asynccontextmanager
async def wire_pool(address: str) -> AsyncIterator[Calls]:
    """As many connections as calls may be under way."""
    free: asyncio.Queue[Wire] = asyncio.Queue()

    async def calls(tool: str, **arguments: Any) -> dict[str, Any]:
        wire = await free.get()
        try:
            return await wire.calls(tool, **arguments)
        finally:
            free.put_nowait(wire)

    async with AsyncExitStack() as connections:
        for _ in range(AT_ONCE):
            free.put_nowait(await connections.enter_async_context(wire_to(address, ("X-Caller-Agent", "http"))))
        yield calls


def _number(note_id: str) -> int:
    return int(note_id.removeprefix("n"))
