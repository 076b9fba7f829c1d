"""Reads SQLite files of other programs, and changes nothing in them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from longtable.kernel.errors import ValidationFailed

MAGIC: Final = b"SQLite format 3\0"


def is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def foreign_rows(path: Path, sql: str, *values: Any) -> Iterator[dict[str, Any]]:
    """Raises ValidationFailed for a file that has no such tables."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            cursor = connection.execute(sql, values)
            names = [column[0] for column in cursor.description]
            for row in cursor:
                yield dict(zip(names, row, strict=True))
    except sqlite3.Error:
        raise ValidationFailed("The file is no database of the program that --from names, or is damaged.") from None
