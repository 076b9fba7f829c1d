"""Reads the lines of an export that somebody brings: one at a time, checked, each with its number for the errors."""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from longtable.kernel.errors import ConfigError, ValidationFailed
from longtable.transfer.model import FORMAT, MAX_LINE_BYTES, VERSION, refused

_SCOPES = ("session", "notebook", "tenant", "all")


@dataclass(frozen=True, slots=True)
class FileLine:
    """`offset` is where it begins in the file, `size` how many bytes it has."""

    number: int
    offset: int
    size: int
    value: dict[str, Any]

    @property
    def type(self) -> str:
        name = self.value.get("type")
        return name if isinstance(name, str) else ""


class TransferFile:
    """An open export. It is read twice: whole, to check it, and part by part, to import it; in between it must not
    change."""

    def __init__(self, path: Path) -> None:
        try:
            self._file: BinaryIO = path.open("rb")
        except OSError as error:
            raise ConfigError(f"{path} cannot be read ({error.strerror}).") from None
        self._state = self._look()

    def close(self) -> None:
        self._file.close()

    def checked_lines(self) -> Iterator[FileLine]:
        """Every line between the header and the end. Raises ValidationFailed for a file that is no export, of a newer
        version, cut off, changed, or not JSON."""
        digest = hashlib.sha256()
        lines = self._raw_lines(0, 1)
        _check_header(*self._next_line(lines))
        digest.update(self._line)
        count = 0
        for number, offset, raw in lines:
            self._line = raw
            value = _parsed(number, raw)
            if value.get("type") == "end":
                _check_end(number, value, count, digest.hexdigest())
                self._require_nothing_more(lines)
                return
            digest.update(raw)
            count += 1
            yield FileLine(number, offset, len(raw), value)
        raise refused(count + 2, "the file ends before its last line, which counts the others: it was cut off")

    def lines_from(self, offset: int, number: int) -> Iterator[FileLine]:
        """The lines from one that was checked before. Raises ValidationFailed if the file has changed since."""
        if self._look() != self._state:
            raise ValidationFailed("The file was changed while it was imported.", hint="Import it again.")
        for each, place, raw in self._raw_lines(offset, number):
            yield FileLine(each, place, len(raw), _parsed(each, raw))

    _line = b""

    def _next_line(self, lines: Iterator[tuple[int, int, bytes]]) -> tuple[int, dict[str, Any]]:
        found = next(lines, None)
        if found is None:
            raise refused(1, "the file is empty; an export begins with its header")
        self._line = found[2]
        return found[0], _parsed(found[0], found[2])

    def _require_nothing_more(self, lines: Iterator[tuple[int, int, bytes]]) -> None:
        if (rest := next(lines, None)) is not None:
            raise refused(rest[0], "nothing may follow the line of type end")

    def _raw_lines(self, offset: int, number: int) -> Iterator[tuple[int, int, bytes]]:
        while True:
            self._file.seek(offset)
            raw = self._file.readline(MAX_LINE_BYTES + 1)
            if not raw:
                return
            if len(raw) > MAX_LINE_BYTES:
                raise refused(number, f"a line may have at most {MAX_LINE_BYTES:,} bytes")
            if not raw.endswith(b"\n"):
                raise refused(number, "the file ends in the middle of this line: it was cut off")
            yield number, offset, raw
            offset += len(raw)
            number += 1

    def _look(self) -> tuple[int, int]:
        facts = os.fstat(self._file.fileno())
        return facts.st_size, facts.st_mtime_ns


def _parsed(number: int, raw: bytes) -> dict[str, Any]:
    try:
        value = json.loads(raw.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise refused(number, "it is not one JSON object in UTF-8") from None
    if not isinstance(value, dict):
        raise refused(number, "it is not a JSON object")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _check_header(number: int, header: dict[str, Any]) -> None:
    if header.get("format") != FORMAT:
        raise refused(number, f'it is not the header of an export, which has "format":"{FORMAT}"')
    version = header.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise refused(number, "version: must be a whole number")
    if version > VERSION:
        raise refused(number, f"version: {version} is newer than this program, which reads up to {VERSION}")
    if header.get("scope") not in _SCOPES:
        raise refused(number, f"scope: must be one of {', '.join(_SCOPES)}")


def _check_end(number: int, end: dict[str, Any], count: int, sha256: str) -> None:
    if end.get("records") != count:
        raise refused(number, f"records: the file has {count:,} of them, which is another number: lines are missing")
    if end.get("sha256", sha256) != sha256:
        raise refused(number, "sha256: the lines before were changed after the export")
