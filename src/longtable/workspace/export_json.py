"""A session as one JSON document, told in pieces."""

import json
from collections.abc import AsyncIterator
from typing import Any

from longtable.draft.model import SectionVersion
from longtable.kernel.clock import to_iso
from longtable.workspace.contents import Contents

FORMAT = "longtable-session"
VERSION = 1


async def session_as_json(contents: Contents) -> AsyncIterator[str]:
    session = (await contents.session()).view(contents.now)
    head = {
        "format": FORMAT,
        "version": VERSION,
        "exported_at": to_iso(contents.now),
        "session": session.model_dump(mode="json"),
    }
    yield _dump(head)[:-1]
    lists = {
        "notes": _listed(_notes(contents)),
        "sections": _sections(contents),
        "tasks": _listed(_tasks(contents)),
        "questions": _listed(_questions(contents)),
        "messages": _listed(_messages(contents)),
        "events": _listed(_events(contents)),
    }
    for name, pieces in lists.items():
        yield f',\n"{name}":[\n'
        async for piece in pieces:
            yield piece
        yield "]"
    yield "}\n"


async def _listed(items: AsyncIterator[str]) -> AsyncIterator[str]:
    between = ""
    async for item in items:
        yield between + item
        between = ",\n"


async def _notes(contents: Contents) -> AsyncIterator[str]:
    async for note in contents.notes():
        yield note.view().model_dump_json()


async def _sections(contents: Contents) -> AsyncIterator[str]:
    """In pieces smaller than a section: one that was rewritten a thousand times has a thousand texts."""
    between = ""
    for section in await contents.sections():
        about = _dump({"section_id": section.section_id, "title": section.title, "version": section.version})
        yield f'{between}{about[:-1]},"versions":['
        async for piece in _listed(_versions(contents, section)):
            yield piece
        yield "]}"
        between = ",\n"


async def _versions(contents: Contents, section: SectionVersion) -> AsyncIterator[str]:
    for number in range(1, section.version + 1):
        version = await contents.version(section.section_id, number)
        if version is not None:
            yield _dump(_version(version))


async def _tasks(contents: Contents) -> AsyncIterator[str]:
    async for task, notes in contents.tasks():
        yield task.view(contents.now, notes).model_dump_json()


async def _questions(contents: Contents) -> AsyncIterator[str]:
    async for question in contents.questions():
        yield question.view().model_dump_json()


async def _messages(contents: Contents) -> AsyncIterator[str]:
    async for message in contents.messages():
        yield message.view().model_dump_json()


async def _events(contents: Contents) -> AsyncIterator[str]:
    async for event in contents.events():
        yield _dump(event.flat())


def _version(version: SectionVersion) -> dict[str, Any]:
    return {
        "version": version.version,
        "title": version.title,
        "author": version.author,
        "updated_at": to_iso(version.created_at),
        "content": version.content,
    }


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
