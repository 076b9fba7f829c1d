"""The file of the embedded store: checked before it is opened; one that is not ours is refused and left unchanged."""

import contextlib
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NoReturn

from longtable.kernel.errors import ConfigError
from longtable.storage.migrate import Migrations

Synchronous = Literal["FULL", "NORMAL"]

APPLICATION_ID: Final = 0x4C54424C
BUSY_SECONDS: Final = 30.0
_MAGIC: Final = b"SQLite format 3\0"
_CHECKED_BYTES: Final = 64 * 2**20
_WAL_HEADER: Final = 32
_WAL_FRAME_HEADER: Final = 24
_STATEMENTS_KEPT: Final = 512


@dataclass(frozen=True, slots=True)
class Header:
    """What the first 100 bytes of a SQLite file say."""

    page_size: int
    page_count: int
    version: int
    application_id: int

    @classmethod
    def parse(cls, raw: bytes) -> "Header | None":
        if len(raw) < 100 or not raw.startswith(_MAGIC):
            return None

        def number(offset: int, length: int = 4) -> int:
            return int.from_bytes(raw[offset : offset + length], "big")

        page_size = 65536 if number(16, 2) == 1 else number(16, 2)
        if page_size < 512 or page_size & (page_size - 1):
            return None
        # A page count of a very old SQLite is not valid; the file format says how to detect it.
        page_count = number(28) if number(24) == number(92) else 0
        return cls(page_size, page_count, number(60), number(68))


def connect(path: Path, synchronous: Synchronous) -> sqlite3.Connection:
    """A connection with our settings. Its thread may change once, from the opener to its owner."""
    return _connect(str(path), synchronous, is_uri=False)


def connect_reader(path: Path) -> sqlite3.Connection:
    """Never creates the file: a deleted one would seem to exist again, and empty."""
    connection = _connect(f"{path.absolute().as_uri()}?mode=rw", "FULL", is_uri=True)
    connection.execute("PRAGMA query_only = 1")
    return connection


def _connect(name: str, synchronous: Synchronous, *, is_uri: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(
        name,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=_STATEMENTS_KEPT,
        uri=is_uri,
    )
    connection.execute("PRAGMA foreign_keys = 1")
    # What is deleted is overwritten: a redacted secret must not lie on in a free page.
    connection.execute("PRAGMA secure_delete = 1")
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    return connection


def ensure_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"The folder {folder} cannot be made ({error.strerror}).", hint="Name another folder for the store."
        ) from error


def refuse_foreign(path: Path) -> bool:
    """Whether the file is new. Raises ConfigError when its first bytes are not a Longtable store's."""
    header = _read_header(path)
    if header is None:
        return True
    if header.application_id != APPLICATION_ID:
        raise ConfigError(f"{path} is a database of another program.", hint="Name another file, or move this one away.")
    return False


def refuse_damaged_or_newer(path: Path, migrations: Migrations) -> None:
    """Call only while no other process writes: a half-done checkpoint looks like a shortened file."""
    header = _read_header(path)
    if header is None:
        return
    if _lacks_pages(path, header):
        _refuse_damaged(path)
    _refuse_newer(path, header.version, migrations)
    # Read-only, so that nothing is folded from the log into a file that we then refuse.
    with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        try:
            _refuse_newer(path, read_version(connection), migrations)
            if path.stat().st_size < _CHECKED_BYTES and _fault(connection):
                _refuse_damaged(path)
        except sqlite3.DatabaseError as error:
            _refuse_damaged(path, error)


def create(path: Path) -> None:
    """Creates an empty store, marked as ours in the file itself, before there is a log."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    os.chmod(path, 0o600)
    with contextlib.closing(connect(path, "FULL")) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def read_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def copy_store(connection: sqlite3.Connection, target: Path) -> None:
    """Writes a whole, consistent copy beside running writers; `target` appears only when it is complete."""
    ensure_folder(target.parent)
    unfinished = target.with_name(f"{target.name}.part-{os.getpid()}")
    os.close(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        with contextlib.closing(sqlite3.connect(unfinished)) as copy:
            connection.backup(copy)
            # The copy inherits the log mode; without it the one file is the whole store.
            copy.execute("PRAGMA journal_mode = DELETE")
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def _read_header(path: Path) -> Header | None:
    try:
        with path.open("rb") as file:
            raw = file.read(100)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}).", hint="Name a file you may read.") from error
    if not raw:
        return None
    header = Header.parse(raw)
    return header or _refuse_damaged(path)


def _lacks_pages(path: Path, header: Header) -> bool:
    present = path.stat().st_size // header.page_size
    if present >= header.page_count:
        return False
    # A process that died in the middle of a checkpoint leaves the missing pages in the log.
    logged = _logged_pages(path.with_name(path.name + "-wal"), header.page_size)
    return any(page not in logged for page in range(present + 1, header.page_count + 1))


def _logged_pages(wal: Path, page_size: int) -> set[int]:
    pages: set[int] = set()
    with contextlib.suppress(FileNotFoundError), wal.open("rb") as file:
        file.seek(_WAL_HEADER)
        while len(frame := file.read(_WAL_FRAME_HEADER)) == _WAL_FRAME_HEADER:
            pages.add(int.from_bytes(frame[:4], "big"))
            file.seek(page_size, os.SEEK_CUR)
    return pages


def _fault(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")


def _refuse_newer(path: Path, version: int, migrations: Migrations) -> None:
    if version > migrations.latest:
        raise ConfigError(
            f"{path} has schema {version}; this Longtable knows up to {migrations.latest}.",
            hint="Install the newer Longtable that wrote it, or restore a backup from its 'backups' folder.",
        )


def _refuse_damaged(path: Path, cause: Exception | None = None) -> NoReturn:
    raise ConfigError(
        f"{path} is damaged or not a Longtable store; it was left as it is.",
        hint="Restore a copy from its 'backups' folder, or name another file.",
    ) from cause
