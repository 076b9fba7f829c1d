"""A session as a Markdown document, streamed in pieces. What agents wrote is quoted: it cannot pass for ours."""

import re
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from longtable.draft.model import SectionVersion
from longtable.kernel.clock import to_iso
from longtable.messages.model import Message
from longtable.notes.model import Note, note_id
from longtable.plan.model import Task, TaskNote
from longtable.questions.model import Question, question_id
from longtable.questions.rendering import quoted
from longtable.sessions.model import Session
from longtable.workspace.contents import Contents

T = TypeVar("T")

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|])")
_BOXES = {"completed": "x", "cancelled": "-"}


async def session_as_markdown(contents: Contents) -> AsyncIterator[str]:
    yield _head(await contents.session(), contents.now)
    chapters = {
        "Plan": _rendered(contents.tasks(), lambda task: _task(*task, contents.now)),
        "Draft": _sections(contents),
        "Notes": _rendered(contents.notes(), _note),
        "Questions": _rendered(contents.questions(), _question),
        "Messages": _rendered(contents.messages(), _message),
    }
    for title, pieces in chapters.items():
        yield f"\n## {title}\n"
        empty = True
        async for piece in pieces:
            yield f"\n{piece}\n"
            empty = False
        if empty:
            yield "\nNone.\n"


async def _rendered(items: AsyncIterator[T], render: Callable[[T], str]) -> AsyncIterator[str]:
    async for item in items:
        yield render(item)


def _head(session: Session, now: int) -> str:
    facts = [
        f"Session `{session.session_id}`, {session.status_at(now)}",
        f"created by {_plain(session.created_by)} at {_moment(session.created_at)}",
        f"exported at {_moment(now)}",
    ]
    purpose = quoted(session.purpose) if session.purpose else "None was given."
    return f"# Session {session.session_id}\n\n{', '.join(facts)}.\n\n## Purpose\n\n{purpose}\n"


def _task(task: Task, notes: list[TaskNote], now: int) -> str:
    view = task.view(now, [])
    facts = [view.status.replace("_", " "), f"{view.priority} priority"]
    if view.assigned_to is not None:
        facts.append(f"assigned to {_plain(view.assigned_to)}")
    if view.depends_on:
        facts.append(f"after {', '.join(view.depends_on)}")
    lines = [f"- [{_BOXES.get(view.status, ' ')}] **{view.id}** {_plain(view.description)} ({'; '.join(facts)})"]
    lines += [f"  - {_plain(note.author)}: {_plain(note.text)}" for note in notes]
    return "\n".join(lines)


async def _sections(contents: Contents) -> AsyncIterator[str]:
    for outlined in await contents.sections():
        section = await contents.version(outlined.section_id, outlined.version)
        if section is not None:
            yield _section(section)


def _section(section: SectionVersion) -> str:
    """The only text that is not quoted."""
    about = f"version {section.version} by {_plain(section.author)}, {_moment(section.created_at)}"
    return f"### {_plain(section.title)}\n\n*`{section.section_id}`, {about}*\n\n{section.content or ''}"


def _note(note: Note) -> str:
    facts = {
        "tags": ", ".join(map(_plain, note.tags)),
        "source": _plain(note.source or ""),
        "supersedes": note_id(note.supersedes) if note.supersedes else "",
        "superseded by": note_id(note.superseded_by) if note.superseded_by else "",
    }
    details = "".join(f"; {name} {value}" for name, value in facts.items() if value)
    about = f"**{note_id(note.number)}** {_plain(note.author)}, {_moment(note.created_at)}{details}"
    return f"{about}\n\n{quoted(note.content)}"


def _question(question: Question) -> str:
    heading = f"**{question_id(question.number)}** {_plain(question.asked_by)}, {_moment(question.asked_at)}"
    parts = [f"{heading}; {question.status}, {question.priority} priority", quoted(question.question)]
    if question.context:
        parts += ["Context:", quoted(question.context)]
    if question.options:
        parts.append("\n".join(f"- {_plain(option)}" for option in question.options))
    if question.answer is not None:
        parts += [f"Answered by {_answerer(question)}:", quoted(question.answer)]
    return "\n\n".join(parts)


def _answerer(question: Question) -> str:
    when = f", {_moment(question.answered_at)}" if question.answered_at is not None else ""
    relayed = "" if question.by_human else ", who is no person"
    if question.answer_origin:
        relayed = ", as an import says"
    return f"{_plain(question.answered_by or 'somebody')}{relayed}{when}"


def _message(message: Message) -> str:
    reply = f", in reply to {message.parent}" if message.parent else ""
    about = f"**{message.number}** {_plain(message.sender)}, {_moment(message.created_at)}"
    return f"{about}; {message.visibility.value.replace('_', ' ')}{reply}\n\n{quoted(message.content)}"


def _plain(text: str) -> str:
    """On one line, and without a meaning in Markdown."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _moment(moment: int) -> str:
    return f"{to_iso(moment)[:16].replace('T', ' ')} UTC"
