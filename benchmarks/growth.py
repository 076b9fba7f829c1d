"""The same calls with few things stored and with many: what a tool costs should not grow with them."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.growth_store import CLAIMS, LARGE, PAD, SMALL, StoreSize, build, few, many
from benchmarks.measure import Effort, Goal, Measure
from benchmarks.preload import AGENT, CELL, COMMON_TAG, COMMON_WORD, CONTENT, PLAN, RARE_WORD, THREAD
from benchmarks.processes import Child, child
from benchmarks.requests import tool_call
from benchmarks.rounds import MeasuredOperation, RoundListener, longtable_at, take_rounds

GOAL = Goal(1.5)
DISK_GOAL = Goal(1_200)
ABSENT_WORD = "wombat"
PAGE: dict[str, object] = {"limit": 50}
WORDS = {"a rare word": RARE_WORD, "a word of all": COMMON_WORD, "an absent word": ABSENT_WORD}
TAGS = {"a rare tag": RARE_WORD, "a tag of all": COMMON_TAG}
TWO_WORDS = f"{COMMON_WORD} {RARE_WORD}"


@dataclass(frozen=True, slots=True)
class Row:
    """A tool and its arguments, which may depend on how much there is."""

    name: str
    tool: str
    arguments: Callable[[StoreSize], dict[str, object]]
    session: str | None = LARGE


@dataclass(frozen=True, slots=True)
class Pair:
    few: RoundListener
    many: RoundListener
    client: Child


def measure_growth(folder: Path, effort: Effort) -> list[Measure]:
    sizes, folders = (few(effort), many(effort)), (folder / "few" / "data", folder / "many" / "data")
    disk = [asyncio.run(build(data_dir, size)) for data_dir, size in zip(folders, sizes, strict=True)]
    with ExitStack() as stack:
        # A page that is kept in memory costs the same however much lies behind it.
        few_notes, many_notes = (
            stack.enter_context(longtable_at(data_dir, enable_semantic_search=False, keeps_pages=False))
            for data_dir in folders
        )
        pair = Pair(few_notes, many_notes, stack.enter_context(child(["-m", "benchmarks.client"], folder)))
        # The writes after the reads, as they make the few more.
        rows = [_compare(pair, row, sizes, effort) for row in (*_pages(), *_lists(), *_searches(), *_writes())]
    return [*rows, Measure(_group(effort), "a note of 184 bytes, on disk", disk[1], "bytes", goal=DISK_GOAL)]


def _pages() -> Iterator[Row]:
    """Parts of something that is long."""
    for session in (LARGE, SMALL):
        yield Row("read_notes, the first 50", "read_notes", _fixed({**PAGE, "order": "oldest"}), session)
        yield Row("read_notes, the newest 50", "read_notes", _fixed(PAGE), session)
        yield Row("read_notes, an author", "read_notes", _fixed({**PAGE, "author": AGENT}), session)
        for what, tag in TAGS.items():
            yield Row(f"read_notes, {what}", "read_notes", _fixed({**PAGE, "tag": tag}), session)
        yield Row("get_messages, the first 50", "get_messages", _fixed({**PAGE, "order": "oldest"}), session)
        yield Row("get_messages, the newest 50", "get_messages", _fixed(PAGE), session)
        yield Row("get_session, the newest 50", "get_session", _fixed({}), session)
        yield Row("read_events, 100 from the first", "read_events", _fixed({"after": 0, "limit": 100}), session)
    yield Row("get_messages, 50 after an id", "get_messages", lambda size: {**PAGE, "after_id": size.messages // 2})
    yield Row("get_messages, a thread of 50", "get_messages", lambda size: {"thread": _a_thread(size.messages)})
    yield Row("get_messages, a sender", "get_messages", _fixed({**PAGE, "sender": "alice"}))
    yield Row("wait_for_messages, the last", "wait_for_messages", lambda size: _after(size.messages - 20))
    yield Row("read_events, 100 in the middle", "read_events", lambda size: {"after": size.in_large // 2})
    yield Row("get_audit_log, the newest 100", "get_audit_log", _fixed({}))
    yield Row("get_audit_log, a session", "get_audit_log", _fixed({"session_id": SMALL}))


def _lists() -> Iterator[Row]:
    """What is as short in the one store as in the other, or is read by the page."""
    for session in (LARGE, SMALL):
        yield Row("read_draft", "read_draft", _fixed({}), session)
        yield Row("list_sections", "list_sections", _fixed({}), session)
        yield Row("get_pending_questions", "get_pending_questions", _fixed({}), session)
    yield Row("read_section", "read_section", _fixed({"section_name": "s1"}))
    yield Row("get_answered_questions", "get_answered_questions", _fixed({}))
    yield Row(f"read_plan, {PLAN} tasks", "read_plan", _fixed({}))
    yield Row("join_session", "join_session", _fixed({"session_id": LARGE}))
    yield Row("list_sessions, 50", "list_sessions", _fixed(PAGE), None)
    yield Row("get_memory", "get_memory", _fixed({"key": "key1"}), None)
    yield Row("list_memory, 50", "list_memory", _fixed(PAGE), None)
    yield Row("scratch_list, 50", "scratch_list", _fixed(PAGE), None)
    yield Row("scratch_read, a cell", "scratch_read", _fixed({"scratch_id": f"{PAD}1"}), None)
    yield Row("scratch_list_cells, 20", "scratch_list_cells", _fixed({"scratch_id": PAD, "limit": 20}), None)
    yield Row("scratch_list_tags", "scratch_list_tags", _fixed({}), None)
    yield Row("scratch_namespace_list", "scratch_namespace_list", _fixed({}), None)


def _searches() -> Iterator[Row]:
    words = {**WORDS, "both words": TWO_WORDS}
    for what, word in words.items():
        for session in (LARGE, SMALL):
            yield Row(f"read_notes, {what}", "read_notes", _fixed({**PAGE, "query": word}), session)
            yield Row(f"search_context, {what}", "search_context", _fixed({"query": word}), session)
        yield Row(f"scratch_search, {what}", "scratch_search", _fixed({"query": word}), None)


def _writes() -> Iterator[Row]:
    text = CONTENT.format(number=7)
    for session in (LARGE, SMALL):
        yield Row("add_note", "add_note", _fixed({"content": text, "tags": [COMMON_TAG]}), session)
        yield Row("add_message", "add_message", _fixed({"content": text}), session)
    yield Row("claim_task", "claim_task", _fixed({}), CLAIMS)
    yield Row("scratch_append_cell", "scratch_append_cell", _fixed({"scratch_id": PAD, "cell": CELL}), None)
    yield Row("set_memory", "set_memory", _fixed({"key": "key1", "value": 1}), None)


def _fixed(arguments: dict[str, object]) -> Callable[[StoreSize], dict[str, object]]:
    return lambda size: arguments


def _after(number: int) -> dict[str, object]:
    return {"after_id": number, "timeout_seconds": 0}


def _a_thread(count: int) -> int:
    """The first message of one in the middle."""
    return count // 2 - count // 2 % THREAD + 1


def _compare(pair: Pair, row: Row, sizes: tuple[StoreSize, StoreSize], effort: Effort) -> Measure:
    operations = [
        MeasuredOperation(
            name, listener, [tool_call(listener.port, row.tool, row.arguments(size), row.session)], effort.calls
        )
        for name, listener, size in zip(("few", "many"), (pair.few, pair.many), sizes, strict=True)
    ]
    seen = take_rounds(pair.client, operations, 1, effort)
    compared = seen["many"].over(seen["few"])
    return Measure(
        _group(effort),
        f"{row.name} ({row.session} session)" if row.session in (LARGE, SMALL) else row.name,
        median(seen["many"].p50),
        "ms",
        ratio=compared.ratio,
        floor=f"at {effort.few:,}",
        goal=GOAL,
        p95=median(seen["many"].p95),
        cpu_ms=median(seen["many"].cpu_ms),
        cpu_ratio=compared.cpu_ratio,
        moved=compared.moved,
        cpu_moved=compared.cpu_moved,
    )


def _group(effort: Effort) -> str:
    return f"Growth, {effort.few:,} to {effort.many:,} notes"
