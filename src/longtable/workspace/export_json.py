"""A session as one JSON document, streamed in pieces."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

from longtable.draft.model import SectionVersion
from longtable.kernel.clock import to_iso
from longtable.workspace.contents import Contents

T = TypeVar("T")

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
        "notes": _listed(contents.notes(), lambda note: _dump(note.as_json())),
        "sections": _sections(contents),
        "tasks": _listed(contents.tasks(), lambda task: _dump(task[0].as_json(contents.now, task[1]))),
        "questions": _listed(contents.questions(), lambda question: question.view().model_dump_json()),
        "messages": _listed(contents.messages(), lambda message: _dump(message.as_json())),
        "events": _listed(contents.events(), lambda event: _dump(event.flat())),
    }
    for name, pieces in lists.items():
        yield f',\n"{name}":[\n'
        async for piece in pieces:
            yield piece
        yield "]"
    yield "}\n"


async def _listed(items: AsyncIterator[T], dump: Callable[[T], str]) -> AsyncIterator[str]:
    between = ""
    async for item in items:
        yield between + dump(item)
        between = ",\n"


async def _sections(contents: Contents) -> AsyncIterator[str]:
    """Version by version: a section that was rewritten a thousand times has a thousand texts."""
    between = ""
    for section in await contents.sections():
        about = _dump({"section_id": section.section_id, "title": section.title, "version": section.version})
        yield f'{between}{about[:-1]},"versions":['
        async for piece in _listed(_versions(contents, section), _version):
            yield piece
        yield "]}"
        between = ",\n"


async def _versions(contents: Contents, section: SectionVersion) -> AsyncIterator[SectionVersion]:
    for number in range(1, section.version + 1):
        version = await contents.version(section.section_id, number)
        if version is not None:
            yield version


def _version(version: SectionVersion) -> str:
    facts = {
        "version": version.version,
        "title": version.title,
        "author": version.author,
        "updated_at": to_iso(version.created_at),
        "content": version.content,
    }
    return _dump(facts)


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
