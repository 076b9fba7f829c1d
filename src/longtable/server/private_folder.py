"""A folder that only the processes of one supervisor use, for sockets and counters. It goes with the supervisor; one
that a killed supervisor has left behind goes with the next start."""

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":  # where there are no supervisors
    import fcntl

_PREFIX = "longtable-run-"
_UNLOCKED = "longtable-new-"
_LOCK = "lock"
_LONGEST = 80
"""A socket's path may have about a hundred bytes."""


class PrivateFolder:
    """Locked while this process lives. Whoever gets the lock may delete the folder."""

    def __init__(self) -> None:
        place = tempfile.gettempdir()
        place = place if len(place) < _LONGEST else "/tmp"  # noqa: S108 - made by mkdtemp, for nobody else
        _remove_left_behind(Path(place))
        created = Path(tempfile.mkdtemp(prefix=_UNLOCKED, dir=place))
        self._lock = os.open(created / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        # Under this name only now: a process that starts at the same moment would take it for one left behind.
        self.path = created.rename(created.with_name(created.name.replace(_UNLOCKED, _PREFIX)))

    def forget_gauges(self, worker: int) -> None:
        """What a worker held is gone with it; what it counted stays."""
        for file in self.path.glob(f"gauge_live*_{worker}.db"):
            file.unlink(missing_ok=True)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def _remove_left_behind(place: Path) -> None:
    for folder in place.glob(_PREFIX + "*"):
        with suppress(OSError):
            if folder.stat().st_uid == os.getuid() and not folder.is_symlink() and _is_left_behind(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_left_behind(folder: Path) -> bool:
    """Raises OSError when another process holds the lock."""
    lock = os.open(folder / _LOCK, os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    finally:
        os.close(lock)
