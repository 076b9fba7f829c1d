"""Whether the disk of the embedded store has space, and whether its folder can be written."""

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

from longtable.kernel.errors import StoreUnavailable
from longtable.storage.sqlite_file import connect_reader
from longtable.storage.sqlite_transaction import translate

LEAST_FREE: Final = 16 * 2**20
"""With fewer bytes the write-ahead log could fill the disk with its next transactions."""
_PROBE_BYTES: Final = 4096


def space_facts(path: Path) -> dict[str, int | str]:
    """Sizes in bytes, as far as the folder can be read."""
    facts: dict[str, int | str] = {}
    with contextlib.suppress(OSError):
        facts["free_bytes"] = shutil.disk_usage(path.parent).free
        facts["file_bytes"] = path.stat().st_size
        facts["log_bytes"] = path.with_name(path.name + "-wal").stat().st_size
    return facts


def require_writable(path: Path, require_header: Callable[[], None]) -> None:
    """Raises StoreUnavailable. Reads with a new connection: an open one may answer from its cache."""
    _try_to_write(path.with_name(f"{path.name}.probe-{os.getpid()}"))
    if shutil.disk_usage(path.parent).free < LEAST_FREE:
        raise StoreUnavailable("The disk of the store is nearly full.", hint="Make room on it.")
    if not path.exists():
        raise StoreUnavailable("The file of the store was deleted.", hint="Put it back, or restart the server.")
    require_header()
    try:
        with contextlib.closing(connect_reader(path)) as connection:
            connection.execute("SELECT COUNT(*) FROM facts").fetchone()
    except sqlite3.Error as error:
        raise translate(error) from error


def _try_to_write(probe: Path) -> None:
    """Beside the store, a new block each time: an old one could be written again on a disk that is full."""
    try:
        try:
            probe.write_bytes(os.urandom(_PROBE_BYTES))
        finally:
            probe.unlink(missing_ok=True)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else type(error).__name__
        raise StoreUnavailable(f"The folder of the store cannot be written ({reason}).") from error
