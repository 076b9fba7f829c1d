"""A folder of Markdown: each file becomes a note, or a cell of one scratchpad, with the tags of its front matter."""

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from longtable.kernel.clock import to_iso
from longtable.kernel.errors import ValidationFailed
from longtable.transfer.sources.foreign import Line, NewSession, tags_of, text_of

ORIGIN = "markdown"
AUTHOR = "markdown"
MAX_FILES: Final = 10_000
MAX_FILE_BYTES: Final = 8_388_608
_FRONT_MATTER: Final = re.compile(r"\A---\r?\n(.*?)^---\r?$\n?", re.DOTALL | re.MULTILINE)
_TAGS: Final = re.compile(
    r"^tags:[ \t]*(?:\[(?P<list>[^\]\n]*)\]|(?P<line>[^\n]+)|(?P<items>(?:\n[ \t]*- [^\n]*)+))", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class MarkdownFile:
    name: str
    content: str
    tags: list[str]
    changed_at: int


def files_in(folder: Path) -> list[MarkdownFile]:
    """In the order of their names; hidden ones and links are left out. Raises ValidationFailed."""
    paths = [folder] if folder.is_file() else sorted(folder.rglob("*.md"))
    chosen = [path for path in paths if path.is_file() and not path.is_symlink() and not _is_hidden(path, folder)]
    if not chosen:
        raise ValidationFailed("There is no Markdown file in the folder.", hint="Their names end in .md.")
    if len(chosen) > MAX_FILES:
        raise ValidationFailed(f"The folder has {len(chosen):,} Markdown files; at most {MAX_FILES:,} are imported.")
    return [_read(path, folder) for path in chosen]


def as_notes(path: Path, session: NewSession) -> Iterator[Line]:
    yield session.line(f"Imported from Markdown: {text_of(path.name)}", ORIGIN)
    for number, file in enumerate(files_in(path), start=1):
        if len(file.content.encode()) > session.note_bytes:
            raise ValidationFailed(
                f"{file.name} is larger than a note may be ({session.note_bytes:,} bytes).",
                hint="Make the files cells of a scratchpad: '--notebook ID'.",
            )
        yield {
            "type": "note",
            "id": f"n{number}",
            "content": file.content,
            "tags": file.tags,
            "author": AUTHOR,
            "source": file.name[:1_000],
            "created_at": to_iso(file.changed_at),
        }


def as_scratchpad(path: Path, scratch_id: str, now: int) -> Iterator[Line]:
    files = files_in(path)
    yield {
        "type": "scratchpad",
        "id": scratch_id,
        "title": f"Imported from Markdown: {text_of(path.name)}"[:1_000],
        "tags": [],
        "metadata": {},
        "pinned": False,
        "version": 1,
        "cells": len(files),
        "schemas": 0,
        "created_at": to_iso(now),
        "updated_at": to_iso(now),
        "origin": ORIGIN,
    }
    for position, file in enumerate(files):
        yield {
            "type": "cell",
            "id": str(uuid.uuid4()),
            "position": position,
            "language": "md",
            "content": file.content,
            "tags": file.tags,
            "metadata": {"filename": file.name[:255]},
            "validate": False,
            "version": 1,
            "created_at": to_iso(file.changed_at),
            "updated_at": to_iso(file.changed_at),
        }


def _is_hidden(path: Path, folder: Path) -> bool:
    return folder.is_dir() and any(part.startswith(".") for part in path.relative_to(folder).parts)


def _read(path: Path, folder: Path) -> MarkdownFile:
    name = _name_of(path, folder)
    facts = path.stat()
    if facts.st_size > MAX_FILE_BYTES:
        raise ValidationFailed(f"{name}: a file may have at most {MAX_FILE_BYTES:,} bytes.")
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        raise ValidationFailed(f"{name}: is not UTF-8.") from None
    front = _FRONT_MATTER.match(text)
    content = text[front.end() :].lstrip("\n") if front else text
    return MarkdownFile(name, text_of(content), _tags(front[1]) if front else [], facts.st_mtime_ns // 1_000)


def _name_of(path: Path, folder: Path) -> str:
    name = path.relative_to(folder).as_posix() if folder.is_dir() else path.name
    readable = text_of(name)
    if readable != name:
        raise ValidationFailed(f"{readable}: its name is not UTF-8.", hint="Rename the file.")
    return name


def _tags(front_matter: str) -> list[str]:
    """A list in brackets, words with commas, or items below."""
    found = _TAGS.search(front_matter)
    if found is None:
        return []
    if found["items"] is not None:
        words = [item.strip()[2:] for item in found["items"].strip().splitlines()]
    else:
        words = (found["list"] if found["list"] is not None else found["line"]).split(",")
    return tags_of([word.strip().strip("\"'").lstrip("#") for word in words])
