"""A lock between processes on a side file: writers queue in the kernel instead of polling the store."""

import contextlib
import os
import queue
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from longtable.kernel.errors import StoreUnavailable

if sys.platform == "win32":

    def _lock(fd: int) -> None:
        """SQLite's own lock, with its polling, keeps order there."""

    def _try_lock(fd: int) -> bool:
        return True

    def _unlock(fd: int) -> None:
        return
else:
    import fcntl

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX)

    def _try_lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            # Some network folders have no such lock; SQLite's own, with its polling, still keeps order.
            return True
        return True

    def _unlock(fd: int) -> None:
        try:  # noqa: SIM105 - `suppress` would take as long as the call itself, with every commit
            fcntl.flock(fd, fcntl.LOCK_UN)
        except OSError:
            pass


class FileLock:
    """One writer at a time among all processes that open the same file. Used by one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self._waits: queue.SimpleQueue[bool] | None = None
        self._grants: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._mutex = threading.Lock()
        self._is_waiting = False
        self._is_requested = False

    @contextlib.contextmanager
    def held(self, seconds: float) -> Iterator[None]:
        """Raises StoreUnavailable when another process did not let go in time."""
        if not self._acquire(seconds):
            raise StoreUnavailable("Another process keeps the store busy.", hint="Try again, or stop that process.")
        try:
            yield
        finally:
            _unlock(self._fd)

    def close(self) -> None:
        if self._waits is not None:
            self._waits.put(False)
        with self._mutex:
            # A thread that still waits in the kernel needs the descriptor; the process's end closes it then.
            if not self._is_waiting:
                os.close(self._fd)

    def _acquire(self, seconds: float) -> bool:
        with self._mutex:
            if not self._is_waiting:
                if _try_lock(self._fd):
                    return True
                self._start_waiting()
            self._is_requested = True
        with contextlib.suppress(queue.Empty):
            self._grants.get(timeout=seconds)
            return True
        return not self._give_up()

    def _start_waiting(self) -> None:
        # The kernel's wait has no time limit, so a thread waits there and we wait for the thread.
        if self._waits is None:
            self._waits = queue.SimpleQueue()
            threading.Thread(target=self._wait, args=(self._waits,), name="longtable-file-lock", daemon=True).start()
        self._is_waiting = True
        self._waits.put(True)

    def _wait(self, waits: "queue.SimpleQueue[bool]") -> None:
        while waits.get():
            _lock(self._fd)
            with self._mutex:
                self._is_waiting = False
                if self._is_requested:
                    self._grants.put(None)
                else:
                    # The caller has timed out; kept, the lock would shut out every other process.
                    _unlock(self._fd)

    def _give_up(self) -> bool:
        """False when the lock was granted at the last moment after all."""
        with self._mutex:
            self._is_requested = False
            with contextlib.suppress(queue.Empty):
                self._grants.get_nowait()
                return False
            return True
