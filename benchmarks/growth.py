"""The same calls with few things stored and with many: what a tool costs should not grow with them."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.measure import Effort, Goal, Measure
from benchmarks.preload import (
    COMMON_TAG,
    COMMON_WORD,
    CONTENT,
    RARE_WORD,
    THREAD,
    add_messages,
    add_notes,
    add_tasks,
    call_tool,
)
from benchmarks.processes import Child, child
from benchmarks.requests import tool_call
from benchmarks.rounds import Listener, Operation, Rounds, longtable_at, take_rounds
from benchmarks.serve_longtable import settings_for
from longtable.app import open_app
from longtable.server.serve import DEFAULT_PROJECT

GOAL = Goal(1.5)
CLAIMS = "claims"
"""A session with nothing but tasks to claim."""

FEW_TASKS, PLAN, MANY_TASKS = 400, 200, 5_000
"""To claim where there is little, in the plan that is read, and to claim where there is much."""

FEW_CELLS, MANY_CELLS = 32, 1_000
"""In the scratchpad that is appended to: as many as an answer shows, and many more."""

FEW_PADS, MANY_PADS = 50, 1_000

FIRST_PAGE: dict[str, object] = {"limit": 50}
PAD = "pad"
CELL = {"language": "md", "content": CONTENT, "tags": [COMMON_TAG]}
APPENDED: dict[str, object] = {"scratch_id": PAD, "cell": CELL}


@dataclass(frozen=True, slots=True)
class Row:
    """A tool and its arguments, in a store that holds so many notes and messages. Finding out what all have takes
    time for each of them: that is shown and not judged."""

    name: str
    tool: str
    arguments: Callable[[int], dict[str, object]]
    session: str | None = None
    judged: bool = True


@dataclass(frozen=True, slots=True)
class Pair:
    few: Listener
    many: Listener
    client: Child


READS = [
    Row("read_notes, 50", "read_notes", lambda count: FIRST_PAGE),
    Row("read_notes, a rare tag", "read_notes", lambda count: {"tag": RARE_WORD}),
    Row("read_notes, a rare word", "read_notes", lambda count: {"query": RARE_WORD}),
    Row("get_messages, the first 50", "get_messages", lambda count: FIRST_PAGE),
    Row("get_messages, 50 after an id", "get_messages", lambda count: {**FIRST_PAGE, "after_id": count // 2}),
    Row("get_messages, a thread of 50", "get_messages", lambda count: {"thread": _a_thread(count)}),
    Row("get_session, the newest 50", "get_session", lambda count: {}),
    Row("search_context, a rare word", "search_context", lambda count: {"query": RARE_WORD}),
    Row(f"read_plan, {PLAN} tasks", "read_plan", lambda count: {}),
    Row("get_audit_log, the newest 100", "get_audit_log", lambda count: {}),
    Row("read_events, 100 in the middle", "read_events", lambda count: {"after": count}),
]
WRITES = [
    Row("add_note", "add_note", lambda count: {"content": CONTENT.format(number=count), "tags": [COMMON_TAG]}),
    Row("add_message", "add_message", lambda count: {"content": CONTENT.format(number=count)}),
    Row(f"claim_task, {FEW_TASKS} to {MANY_TASKS:,} tasks", "claim_task", lambda count: {}, CLAIMS),
    Row(f"scratch_append_cell, {FEW_CELLS} to {MANY_CELLS:,} cells", "scratch_append_cell", lambda count: APPENDED),
    Row(f"scratch_list, the first 50, {FEW_PADS} to {MANY_PADS:,}", "scratch_list", lambda count: FIRST_PAGE),
]
SLOW = [
    Row("read_notes, a tag of all", "read_notes", lambda count: {"tag": COMMON_TAG}, judged=False),
    Row("read_notes, a word of all", "read_notes", lambda count: {"query": COMMON_WORD}, judged=False),
    Row("search_context, a word of all", "search_context", lambda count: {"query": COMMON_WORD}, judged=False),
]


def measure_growth(folder: Path, effort: Effort) -> list[Measure]:
    few, many = folder / "few" / "data", folder / "many" / "data"
    part = effort.part_of
    asyncio.run(grow(few, effort.few, part(FEW_TASKS)))
    asyncio.run(grow_notebooks(few, part(FEW_PADS), part(FEW_CELLS)))
    asyncio.run(grow(many, effort.many, part(MANY_TASKS)))
    asyncio.run(grow_notebooks(many, part(MANY_PADS), part(MANY_CELLS)))
    with ExitStack() as stack:
        pair = Pair(
            stack.enter_context(longtable_at(few)),
            stack.enter_context(longtable_at(many)),
            stack.enter_context(child(["-m", "benchmarks.client"], folder)),
        )
        # The writes after the reads, as they make the few more. Last the slow ones: a search that nobody waits for any
        # more may go on for a while, beside whatever comes next.
        return [_compare(pair, row, effort) for row in (*READS, *WRITES, *SLOW)]


async def grow(data_dir: Path, count: int, claimable: int) -> None:
    """`count` notes and messages and a plan in the session that callers without one share, tasks in another; and
    two audit records or more for each of `count`."""
    async with open_app(settings_for(data_dir), DEFAULT_PROJECT) as app:
        session_id = await add_notes(app, count)
        await add_messages(app, session_id, count)
        await add_tasks(app, session_id, PLAN)
        await call_tool(app, "create_session", session_id=CLAIMS)
        await add_tasks(app, CLAIMS, claimable)


async def grow_notebooks(data_dir: Path, pads: int, cells: int) -> None:
    """So many scratchpads, and so many cells in one of them."""
    async with open_app(settings_for(data_dir), DEFAULT_PROJECT) as app:
        for number in range(1, pads):
            await call_tool(app, "scratch_create", scratch_id=f"{PAD}{number}", cells=[CELL])
        await call_tool(app, "scratch_create", scratch_id=PAD, cells=[CELL] * cells)


def _a_thread(count: int) -> int:
    """The first message of one in the middle."""
    return count // 2 - count // 2 % THREAD + 1


def _compare(pair: Pair, row: Row, effort: Effort) -> Measure:
    operations = [
        Operation(name, listener, [tool_call(listener.port, row.tool, row.arguments(count), row.session)], effort.calls)
        for name, listener, count in (("few", pair.few, effort.few), ("many", pair.many, effort.many))
    ]
    seen = take_rounds(pair.client, operations, 1, effort)
    return _measure(row, seen["few"], seen["many"], effort)


def _measure(row: Row, few: Rounds, many: Rounds, effort: Effort) -> Measure:
    return Measure(
        f"Growth, {effort.few:,} to {effort.many:,}",
        row.name,
        median(many.p50),
        "ms",
        ratio=many.over(few),
        floor=f"at {effort.few:,}",
        goal=GOAL if row.judged else None,
        p95=median(many.p95),
        cpu_ms=median(many.cpu_ms),
    )
