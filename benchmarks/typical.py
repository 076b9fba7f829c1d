"""A store as it may look after a day of work, and what is called there: every tool, with sensible arguments."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.measure import Effort
from benchmarks.preload import AGENT, CONTENT, RARE_WORD, SENDERS, add_tasks, call_in, tasks
from benchmarks.serve_longtable import settings_for
from longtable.app import App, open_app
from longtable.server.serve import DEFAULT_PROJECT

READ, WRITTEN, PILED = "table", "scrap", "pile"
"""Three sessions: one that is read and stays as it is, one that is written to, one for what piles up."""

TEXTS, SHORTEST = 300, 50
"""Notes, and as many messages; a small run has no less than a page of them."""

TASKS = 200
SECTIONS = 20
QUESTIONS = 20
KEPT = 50
TOGETHER = 50

Where = str | None
Given = tuple[Where, Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class TypicalCall:
    """A tool and the calls to make of it. Those that work only `once` are as many as are needed. `name` is for one
    of several cases of a tool."""

    tool: str
    calls: list[Given]
    writes: bool = False
    once: bool = False
    name: str = ""


@dataclass(slots=True)
class SeededTable:
    """What was stored beforehand, as far as a call has to name it."""

    texts: int
    lease: str = ""
    claimed: str = ""
    questions: list[Given] = field(default_factory=list)
    """Questions to answer: the session, and the id."""
    withdrawn: list[Given] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)


async def seed(data_dir: Path, effort: Effort, supply: int) -> SeededTable:
    """`supply` is how often a tool will be called that uses something up."""
    table = SeededTable(texts=max(SHORTEST, effort.part_of(TEXTS)))
    async with open_app(settings_for(data_dir, effort.embeds), DEFAULT_PROJECT) as app:
        for session in (READ, WRITTEN, PILED):
            await call_in(app, None, "create_session", {"session_id": session, "purpose": "Make the importer fast"})
        for session in (READ, WRITTEN):
            await _fill(app, session, table.texts)
        table.answered = await _answer(app, READ)
        await add_tasks(app, PILED, supply * 2)
        claimed = await call_in(app, PILED, "claim_task", {"lease_seconds": 86_400})
        table.lease, table.claimed = claimed["lease"], claimed["task"]["id"]
        table.questions = await _add_questions(app, "answers", supply, "another")
        table.withdrawn = await _add_questions(app, "withdrawals", supply)
        await together(supply, lambda number: _use_up(app, number))
        await together(KEPT, lambda number: call_in(app, None, "set_memory", _memory(f"kept{number}")))
    return table


async def _fill(app: App, session: str, texts: int) -> None:
    await together(texts, lambda number: call_in(app, session, "add_note", _note(number), _sender(number)))
    await together(texts, lambda number: call_in(app, session, "add_message", _message(number), _sender(number)))
    await together(SECTIONS, lambda number: call_in(app, session, "write_draft_section", _section(number, "First")))
    await together(SECTIONS, lambda number: call_in(app, session, "write_draft_section", _section(number, "Second")))
    await together(QUESTIONS, lambda number: call_in(app, session, "add_question", _question(number)))
    await add_tasks(app, session, TASKS)


async def _answer(app: App, session: str) -> list[str]:
    """Half of the questions have an answer."""
    pending = await call_in(app, session, "get_pending_questions", {})
    answered = [question["id"] for question in pending["questions"][: QUESTIONS // 2]]
    answers = {"answers": dict.fromkeys(answered, "The nightly build decides.")}
    # A question is not answered by the agent that asked it.
    await call_in(app, session, "submit_answers", answers, "another")
    return answered


async def _add_questions(app: App, name: str, count: int, agent: str = AGENT) -> list[Given]:
    """Questions in as many sessions as it takes, so that none has more than is usual."""
    questions: list[Given] = []
    for first in range(0, count, QUESTIONS):
        session = f"{name}_{first}"
        await call_in(app, None, "create_session", {"session_id": session})
        for number in range(QUESTIONS):
            added = await call_in(app, session, "add_question", _question(number), agent)
            questions.append((session, {"question_id": added["question"]["id"]}))
    return questions


async def _use_up(app: App, number: int) -> None:
    await call_in(app, None, "create_session", {"session_id": f"closed_{number}"})
    await call_in(app, None, "create_session", {"session_id": f"paused_{number}"})
    await call_in(app, f"paused_{number}", "check_pause", {"agent_requested": True})
    await call_in(app, None, "set_memory", _memory(f"gone{number}"))


async def together(count: int, work: Callable[[int], Awaitable[object]]) -> None:
    for first in range(0, count, TOGETHER):
        await asyncio.gather(*(work(number) for number in range(first, min(first + TOGETHER, count))))


def cases(table: SeededTable, supply: int) -> list[TypicalCall]:
    """One for every tool that MCP offers."""
    return [*_reading(table), *_writing(), *_working(table, supply), *_using_up(table, supply)]


def _reading(table: SeededTable) -> Iterable[TypicalCall]:
    calls: dict[str, dict[str, object]] = {
        "read_notes": {"limit": 50},
        "read_draft": {},
        "diff_draft": {"section_id": "s1", "from_version": 1, "to_version": 2},
        "list_sections": {},
        "read_section": {"section_name": "s1"},
        "read_plan": {},
        "list_reservations": {},
        "brief": {},
        "get_pending_questions": {},
        "get_answered_questions": {},
        "wait_for_answers": {"question_ids": table.answered[:3], "timeout_seconds": 0},
        "read_events": {"after": 100, "limit": 100},
        "get_session": {},
        "get_messages": {"limit": 50},
        "wait_for_messages": {"after_id": table.texts - 20, "timeout_seconds": 0},
        "search_context": {"query": RARE_WORD},
    }
    yield from (TypicalCall(tool, [(READ, arguments)]) for tool, arguments in calls.items())
    yield TypicalCall("join_session", [(READ, {"session_id": READ})])
    yield TypicalCall("list_sessions", [(None, {"limit": 50})])
    yield TypicalCall("get_memory", [(None, {"key": "kept1"})])
    yield TypicalCall("list_memory", [(None, {"prefix": "kept"})])
    yield TypicalCall("get_audit_log", [(None, {"limit": 100})])


def _writing() -> Iterable[TypicalCall]:
    """What can be done again and again."""
    some = range(64)
    yield TypicalCall("add_note", [(WRITTEN, _note(number)) for number in some], writes=True)
    yield TypicalCall("add_message", [(WRITTEN, _message(number)) for number in some], writes=True)
    yield TypicalCall("set_memory", [(None, _memory(f"new{number}")) for number in some], writes=True)
    yield TypicalCall("check_pause", [(WRITTEN, {})], writes=True)
    yield TypicalCall(
        "report_usage", [(WRITTEN, {"model": "m", "input_tokens": 900, "output_tokens": 90})], writes=True
    )
    yield TypicalCall("reserve", [(WRITTEN, {"paths": [f"src/part{number}"]}) for number in some], writes=True)
    yield TypicalCall("release", [(WRITTEN, {"paths": [f"src/part{number}"]}) for number in some], writes=True)
    yield TypicalCall("create_session", [(None, {"purpose": "Something new"})], writes=True)


def _working(table: SeededTable, supply: int) -> Iterable[TypicalCall]:
    """What changes with every call: texts, versions, states."""
    numbers = range(supply)
    sections = [_section(number % SECTIONS, f"Version {number}") for number in numbers]
    yield TypicalCall("write_draft_section", in_session(WRITTEN, sections), writes=True, once=True)
    versions = [{"section_id": f"s{number % SECTIONS}", "to_version": 1 + number % 2} for number in numbers]
    yield TypicalCall("revert_draft_section", in_session(WRITTEN, versions), writes=True, once=True)
    yield TypicalCall("add_tasks", in_session(WRITTEN, [{"tasks": tasks([1])}]), writes=True)
    # Of these none waits for another.
    steps = [("in_progress", "pending")[number // 49 % 2] for number in numbers]
    updates = [{"task_id": f"t{number % 49 * 4 + 1}", "status": step} for number, step in enumerate(steps)]
    yield TypicalCall("update_task", in_session(WRITTEN, updates), writes=True, once=True)
    yield TypicalCall("claim_task", in_session(PILED, [{}]), writes=True)
    yield TypicalCall("renew_task", in_session(PILED, [{"task_id": table.claimed, "lease": table.lease}]), writes=True)
    # Not where a pause is checked for: it looks at all that are pending.
    yield TypicalCall(
        "add_question", in_session(PILED, [_question(number) for number in numbers]), writes=True, once=True
    )


def _using_up(table: SeededTable, supply: int) -> Iterable[TypicalCall]:
    answers = [(where, {"answers": {str(questions["question_id"]): "Yes."}}) for where, questions in table.questions]
    yield TypicalCall("submit_answers", list(answers), writes=True, once=True)
    yield TypicalCall("withdraw_question", table.withdrawn, writes=True, once=True)
    closed = [{"session_id": f"closed_{number}"} for number in range(supply)]
    yield TypicalCall("close_session", in_session(None, closed), writes=True, once=True)
    resumed = [(f"paused_{number}", {"checkpoint_id": "c1"}) for number in range(supply)]
    yield TypicalCall("resume_checkpoint", list(resumed), writes=True, once=True)
    forgotten = [{"key": f"gone{number}"} for number in range(supply)]
    yield TypicalCall("delete_memory", in_session(None, forgotten), writes=True, once=True)


def in_session(session: Where, arguments: Iterable[Mapping[str, object]]) -> list[Given]:
    return [(session, one) for one in arguments]


def _sender(number: int) -> str:
    return SENDERS[number % len(SENDERS)]


def _note(number: int) -> dict[str, object]:
    return {"content": _text(number), "tags": ["importer", "speed"]}


def _message(number: int) -> dict[str, object]:
    return {"content": _text(number), "metadata": {"build": number}}


def _text(number: int) -> str:
    text = CONTENT.format(number=number)
    return f"{text} {RARE_WORD}" if number % 60 == 1 else text


def _section(number: int, begin: str) -> dict[str, object]:
    return {"section_id": f"s{number}", "content": f"{begin}. " + CONTENT.format(number=number) * 5}


def _question(number: int) -> dict[str, object]:
    return {"question": f"Which build is the one to compare build {number} with?", "context": "Both were slow."}


def _memory(key: str) -> dict[str, object]:
    return {"key": key, "value": {"build": 17, "verdict": "slower than the one before"}}
