"""Numbered migrations: `NNNN_name.sql` for both engines, then `NNNN_name.<engine>.sql`. Once each, all or none."""

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from longtable.storage.database import Dialect

MIGRATIONS: Final = Path(__file__).parent / "migrations"
_FILE: Final = re.compile(r"(?P<number>\d{4})_(?P<name>\w+)(?:\.(?P<dialect>sqlite|postgres))?\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    number: int
    name: str
    script: str


class Migrations:
    """The migrations of one folder for one engine."""

    def __init__(self, folder: Path, dialect: Dialect) -> None:
        self._folder = folder
        self._dialect = dialect

    @property
    def latest(self) -> int:
        return max(self._files, default=0)

    def after(self, number: int) -> list[Migration]:
        return [self._read(pending) for pending in sorted(self._files) if pending > number]

    @cached_property
    def _files(self) -> dict[int, list[Path]]:
        found: dict[int, list[Path]] = {}
        for path in self._folder.iterdir():
            match = _FILE.fullmatch(path.name)
            if match and match["dialect"] in (None, self._dialect):
                found.setdefault(int(match["number"]), []).append(path)
        return found

    def _read(self, number: int) -> Migration:
        shared_first = sorted(self._files[number], key=lambda path: path.name.count("."))
        script = "\n".join(path.read_text(encoding="utf-8") for path in shared_first)
        return Migration(number, shared_first[0].name.partition(".")[0], script)


def split_statements(script: str) -> Iterator[str]:
    """The statements of a SQLite script. `executescript` would commit the transaction that is open."""
    statement = ""
    for piece in re.split(r"(?<=;)", script):
        statement += piece
        if sqlite3.complete_statement(statement):
            yield statement.strip()
            statement = ""
    if _has_statement(statement):
        yield statement.strip()


def _has_statement(rest: str) -> bool:
    return bool(re.sub(r"--[^\n]*|/\*.*?\*/", "", rest, flags=re.DOTALL).strip())


def define_functions(connection: sqlite3.Connection) -> None:
    """Defines the SQL functions that migrations of SQLite use."""
    connection.create_function("unhex", 1, _unhex, deterministic=True)


def _unhex(text: str | None) -> bytes | str | None:
    """The bytes of a digest. What is not the text of one stays as it is."""
    if text is None or re.fullmatch(r"[0-9a-f]{64}", text) is None:
        return text
    return bytes.fromhex(text)
