"""The data folder and the embedded store in it. Nothing is opened for writing."""

import contextlib
import os
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from longtable.doctor.findings import HealthFinding, fine
from longtable.kernel.clock import SECOND, to_iso
from longtable.settings.checks import STORE_FILE
from longtable.settings.options import Settings
from longtable.storage.inspection import StoreFile, inspect_file
from longtable.storage.sqlite_space import LEAST_FREE

_LITTLE_FREE: Final = 10 * LEAST_FREE
_LEFTOVER_SECONDS: Final = 3_600
_CLOCK_SECONDS: Final = 300


def check_folder(settings: Settings) -> Iterator[HealthFinding]:
    folder = settings.data_dir
    if not folder.exists():
        yield _check_place(folder)
        return
    if not folder.is_dir():
        yield HealthFinding(
            "data folder", "error", f"{folder} is no folder.", "Move it away, or name another with --data-dir."
        )
        return
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        yield HealthFinding(
            "data folder", "error", f"{folder} cannot be written.", "Give your user the right to write there."
        )
        return
    yield from check_mode("data folder", folder, 0o700)
    yield from _check_space(folder)
    yield from _check_leftovers(folder)


def check_closed_folder(settings: Settings) -> Iterator[HealthFinding]:
    """Finds something where nothing can be found out of what is in the folder: other checks of it would fail."""
    try:
        (settings.data_dir / STORE_FILE).exists()
    except OSError as error:
        yield HealthFinding(
            "data folder",
            "error",
            f"{settings.data_dir} cannot be opened: {error.strerror}.",
            "Give your user the right to read and write there, or name another with --data-dir.",
        )


def _check_place(folder: Path) -> HealthFinding:
    parent = next(each for each in folder.absolute().parents if os.path.exists(each))
    if parent.is_dir() and os.access(parent, os.W_OK | os.X_OK):
        return fine("data folder", f"{folder} is made by the first start.")
    return HealthFinding(
        "data folder",
        "error",
        f"{folder} cannot be made in {parent}.",
        "Name another with --data-dir, or give your user the right to make it there.",
    )


def check_store(settings: Settings) -> Iterator[HealthFinding]:
    path = settings.data_dir / STORE_FILE
    log = path.with_name(path.name + "-wal")
    if not path.exists():
        if log.exists() and log.stat().st_size:
            yield HealthFinding(
                "store",
                "error",
                f"{log} is there without its store: commits are in it.",
                f"Put {STORE_FILE} back beside it, or restore a backup into another folder.",
            )
        else:
            yield fine("store", "There is none yet; the first start makes it.")
        return
    yield from _check_file(path)


def check_backups(settings: Settings) -> Iterator[HealthFinding]:
    if not settings.backup_every:
        return
    folder = settings.data_dir / "backups"
    times = sorted(int(path.stem.partition("-")[2]) for path in folder.glob("scheduled-[0-9]*.db"))
    now = time.time_ns() // 1000
    if times and now - times[-1] > 3 * settings.backup_every:
        yield HealthFinding(
            "backups",
            "warning",
            f"The newest scheduled backup is of {to_iso(times[-1])}.",
            "Start a server: it makes them. Its log says why one has failed.",
        )
    elif damaged := list(_check_newest_backup(folder)):
        yield from damaged
    elif times:
        yield fine("backups", f"{len(times)}, the newest of {to_iso(times[-1])}.")


def _check_newest_backup(folder: Path) -> Iterator[HealthFinding]:
    """A backup that cannot be restored is worse than none: one relies on it."""
    for path in sorted(folder.glob("scheduled-[0-9]*.db"))[-1:]:
        with contextlib.suppress(OSError):
            if inspect_file(path).state != "readable":
                problem = f"The newest backup {path} is damaged."
                yield HealthFinding(
                    "backups", "error", problem, "Delete it, and make one now: 'longtable backup FILE'."
                )


def _check_file(path: Path) -> Iterator[HealthFinding]:
    try:
        found = inspect_file(path)
    except OSError as error:
        problem = f"{path} cannot be read: {error.strerror}."
        yield HealthFinding("store", "error", problem, "Give your user the right to read and write there.")
        return
    if found.state == "foreign":
        problem = f"{path} is a database of another program."
        yield HealthFinding("store", "error", problem, "Name another folder with --data-dir.")
        return
    yield from check_mode("store", path, 0o600)
    yield from _check_clock(path)
    yield _state(path, found)


def _state(path: Path, found: StoreFile) -> HealthFinding:
    if found.state == "damaged":
        remedy = "Restore a copy: 'longtable restore FILE --data-dir NEW'. The folder 'backups' may have one."
        return HealthFinding("store", "error", f"{path} is damaged, or not a store of Longtable.", remedy)
    if not path.stat().st_mode & stat.S_IWUSR:
        return HealthFinding("store", "error", f"{path} is read-only.", f"chmod u+w {path}")
    if found.schema > found.latest:
        problem = f"{path} has schema {found.schema}; this Longtable knows up to {found.latest}."
        return HealthFinding("store", "error", problem, "Install the newer Longtable that wrote it.")
    if found.schema < found.latest:
        return fine("store", f"Schema {found.schema}: the next start moves it to {found.latest}, after a copy.")
    return fine("store", f"{path}: schema {found.schema}, sound.")


def _check_clock(path: Path) -> Iterator[HealthFinding]:
    written = path.stat().st_mtime
    if written > time.time() + _CLOCK_SECONDS:
        problem = f"The store was last written at {to_iso(int(written * SECOND))}, which is in the future."
        yield HealthFinding("clock", "error", problem, "Set the clock of this machine: leases and expiry go by it.")
    else:
        yield fine("clock", "It is after the last write to the store.")


def check_mode(check: str, path: Path, private: int) -> Iterator[HealthFinding]:
    if os.name != "posix":
        return
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        problem = f"Others on this machine can open {path} (mode {mode:o})."
        yield HealthFinding(check, "warning", problem, f"chmod {private:o} {path}", lambda: path.chmod(private))


def _check_space(folder: Path) -> Iterator[HealthFinding]:
    free = shutil.disk_usage(folder).free
    shown = f"{free // 2**20:,} MiB are free on the disk of {folder}."
    if free < LEAST_FREE:
        yield HealthFinding("space", "error", shown, "Make room: the store refuses to write.")
    elif free < _LITTLE_FREE:
        yield HealthFinding("space", "warning", shown, "Make room soon.")
    else:
        yield fine("space", shown)


def _check_leftovers(folder: Path) -> Iterator[HealthFinding]:
    old = time.time() - _LEFTOVER_SECONDS
    found = [
        path for path in (*folder.glob("*.part-*"), *folder.glob("backups/*.part-*")) if path.stat().st_mtime < old
    ]
    if found:
        names = ", ".join(path.name for path in found)[:200]

        def remove() -> None:
            for path in found:
                path.unlink(missing_ok=True)

        yield HealthFinding("leftovers", "warning", f"Unfinished copies: {names}.", "Delete them.", remove)
