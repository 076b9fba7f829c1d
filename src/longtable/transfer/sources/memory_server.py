"""The reference memory server's file: entities with observations, and relations between them. Each becomes a note."""

from collections.abc import Iterator
from pathlib import Path

from longtable.kernel.clock import to_iso
from longtable.transfer.model import refused
from longtable.transfer.sources.foreign import Line, NewSession, fitting, json_lines, tags_of, text_of

ORIGIN = "memory"
AUTHOR = "memory-server"


def recognise(line: Line) -> bool:
    return (line.get("type") == "entity" and "observations" in line) or (
        line.get("type") == "relation" and "relationType" in line
    )


def lines(path: Path, session: NewSession) -> Iterator[Line]:
    yield session.line(f"Imported from the memory server: {path.name}", ORIGIN)
    number = 0
    for content, tags in _notes(path):
        for part in fitting(content, session.note_bytes):
            number += 1
            yield {
                "type": "note",
                "id": f"n{number}",
                "content": part,
                "tags": tags,
                "author": AUTHOR,
                "created_at": to_iso(session.now),
            }


def _notes(path: Path) -> Iterator[tuple[str, list[str]]]:
    for number, line in json_lines(path):
        if line.get("type") == "entity":
            kind = text_of(line.get("entityType"))
            observations = line.get("observations")
            listed = [text_of(each) for each in observations] if isinstance(observations, list) else []
            name = text_of(line.get("name"))
            title = f"{name} ({kind})" if kind else name
            yield "\n".join([title, *(f"- {each}" for each in listed)]), tags_of(["entity", kind, name])
        elif line.get("type") == "relation":
            ends = text_of(line.get("from")), text_of(line.get("relationType")), text_of(line.get("to"))
            yield " ".join(ends), tags_of(["relation", ends[0], ends[2]])
        else:
            raise refused(number, "type: must be entity or relation")
