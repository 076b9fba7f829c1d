"""Imports what other programs keep: their things become an export, and that is imported."""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Final, Literal, get_args

from longtable.kernel.errors import ConfigError, InvalidArgument, ValidationFailed
from longtable.storage.foreign_sqlite import is_sqlite
from longtable.transfer.model import FORMAT, VERSION, encoded_line
from longtable.transfer.sources import beads, markdown_files, memory_server, shared_context
from longtable.transfer.sources.foreign import Line, NewSession, json_lines

Source = Literal["longtable", "memory", "markdown", "shared-context", "beads"]
SOURCES: Final[tuple[Source, ...]] = get_args(Source)


@dataclass(frozen=True, slots=True)
class ForeignChoice:
    """`source` None: recognised by content. `scratch_id` is set where Markdown goes to a scratchpad."""

    session: NewSession
    source: Source | None = None
    has_named_session: bool = False
    scratch_id: str | None = None


@contextmanager
def as_export(path: Path, choice: ForeignChoice) -> Iterator[Path]:
    """An export with what the file or folder has: the file itself where it is one."""
    source = choice.source or recognised(path)
    if source == "longtable":
        if choice.has_named_session:
            raise InvalidArgument.at("session", "is for files of other programs; an export has its own ids")
        yield path
        return
    handle, name = tempfile.mkstemp(prefix="longtable-import-")
    try:
        with os.fdopen(handle, "wb") as file:
            digest, count = hashlib.sha256(), -1  # the header is not counted
            header: Line = {"format": FORMAT, "version": VERSION, "scope": "tenant"}
            for line in chain([header], _lines(path, source, choice)):
                encoded = encoded_line(line)
                digest.update(encoded)
                file.write(encoded)
                count += 1
            file.write(encoded_line({"type": "end", "records": count, "sha256": digest.hexdigest()}))
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def recognised(path: Path) -> Source:
    """Raises ConfigError for what cannot be read. What is of none of the programs is read as an export, which says best
    what is wrong with it."""
    try:
        if path.is_dir() or path.suffix.lower() in (".md", ".markdown"):
            return "markdown"
        return "shared-context" if is_sqlite(path) else _by_first_line(path)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}).") from None


def _by_first_line(path: Path) -> Source:
    try:
        first = next((line for _, line in islice(json_lines(path), 1)), {})
    except ValidationFailed:
        return "longtable"
    if memory_server.recognise(first):
        return "memory"
    return "beads" if beads.recognise(first) else "longtable"


def _lines(path: Path, source: Source, choice: ForeignChoice) -> Iterator[Line]:
    if source == "markdown" and choice.scratch_id is not None:
        return markdown_files.as_scratchpad(path, choice.scratch_id, choice.session.now)
    if choice.scratch_id is not None:
        raise InvalidArgument.at("notebook", "is for Markdown")
    if source == "shared-context" and choice.has_named_session:
        raise InvalidArgument.at("session", "does not go with a database, which has sessions of its own")
    readers = {
        "memory": memory_server.lines,
        "markdown": markdown_files.as_notes,
        "shared-context": shared_context.lines,
        "beads": beads.lines,
    }
    return readers[source](path, choice.session)
