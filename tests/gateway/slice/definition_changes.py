"""Changes of a tool behind the gateway's back, and whether a call after one of them ran what nobody had seen."""

import asyncio
import os
import random
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from tests.gateway.slice.gateway import approve
from tests.gateway.slice.shifting_upstream import DELETE, READ, REPORT, ShiftingServer

Change = dict[str, Any]
Attempt = Callable[[ShiftingServer, Change], Awaitable[None]]
_HELD_BACK = {"TOOL_QUARANTINED", "NOT_FOUND"}
_READ, _DELETE = "Reads one note.", "Deletes one note."


def changes(count: int, seed: int = 7) -> Iterator[Change]:
    """Of description, whitespace, unicode, schema, annotations, title and order, in turn."""
    dice = random.Random(seed)
    for number in range(count):
        word = f"w{dice.randrange(10**6)}"
        kinds: list[Change] = [
            {"description": f"{_READ} {word}"},
            {"description": _READ + dice.choice([" ", "\t", "\n", "\u00a0", "\u200b"]) * dice.randrange(1, 4)},
            {"description": _READ.replace("e", dice.choice(["\u0435", "e\u0301", "\u212f"]))},
            {"inputSchema": {"type": "object", "properties": {word: {"type": "string"}}}},
            {"inputSchema": {"type": "object", "required": [], "description": word}},
            {"inputSchema": {"type": "object", "additionalProperties": dice.choice([True, False, {"title": word}])}},
            {"annotations": {dice.choice(["readOnlyHint", "destructiveHint", "openWorldHint"]): dice.random() < 0.5}},
            {"outputSchema": {"type": "object", "title": word}},
            {"title": word},
            {"order": "reversed", "description": f"{word} {_DELETE}"},
        ]
        yield kinds[number % len(kinds)]


async def approved_before(upstream: ShiftingServer, change: Change) -> None:
    """A governed call that a person approves, then the tool changes."""
    required = await upstream.use(DELETE)
    await approve(await upstream.gateway.person(), required)
    upstream.change(**change)
    after = await upstream.use(DELETE, confirm_token=required.details["confirm_token"])
    assert after.code in _HELD_BACK


async def called_before(upstream: ShiftingServer, change: Change) -> None:
    """A reading tool of an upstream that promises no reports."""
    upstream.change(**change)
    assert (await upstream.use(READ)).code in _HELD_BACK


async def reported(upstream: ShiftingServer, change: Change) -> None:
    """A reading tool of an upstream that reports the change."""
    upstream.change(**change)
    await upstream.use(REPORT)
    assert (await upstream.use(READ)).code in _HELD_BACK


async def while_listing(upstream: ShiftingServer, change: Change) -> None:
    """The tool changes after the list of an earlier call was read, and before that call has it."""
    for name in ("listing", "go"):
        os.mkfifo(upstream.folder / name)
    async with asyncio.TaskGroup() as group:
        group.create_task(upstream.use(REPORT))
        await asyncio.to_thread((upstream.folder / "listing").read_text)
        upstream.change(**change)
        (upstream.folder / "listing").unlink()
        later = group.create_task(upstream.use(READ))
        await asyncio.to_thread((upstream.folder / "go").write_text, "go on")
    (upstream.folder / "go").unlink()
    assert later.result().code in _HELD_BACK


async def hidden(upstream: ShiftingServer, change: Change) -> None:
    """The control: a reading tool of an upstream that promises reports and sends none. This one runs."""
    upstream.change(**change)
    await upstream.use(READ)


async def run_unseen(upstream: ShiftingServer, attempt: Attempt, made: Iterator[Change]) -> list[Change]:
    """The changes after which a changed tool was run. Each is taken back before the next."""
    unseen = []
    for change in made:
        await _until_as_agreed(upstream)
        before = _ran(upstream)
        await attempt(upstream, change)
        if _ran(upstream) != before:
            unseen.append(change)
        upstream.change()
    return unseen


async def _until_as_agreed(upstream: ShiftingServer) -> None:
    async with asyncio.timeout(30):
        while (await upstream.use(READ)).code != "SUCCESS":
            await upstream.use(REPORT)


def _ran(upstream: ShiftingServer) -> int:
    return sum(name in ("read_note", "delete_note") for name in upstream.ran())
