"""Which servers run on a data folder, and where they listen: each leaves a note, and keeps it locked while it runs."""

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

if sys.platform == "win32":

    def _lock(note: int) -> None:
        """A note cannot be locked there; it counts while its server answers."""

    def _is_locked(note: Path) -> bool:
        return False
else:
    import fcntl

    def _lock(note: int) -> None:
        fcntl.flock(note, fcntl.LOCK_EX)

    def _is_locked(note: Path) -> bool:
        try:
            with note.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False


_FOLDER = "servers"
_PROBE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class RunningServer:
    pid: int
    address: str


@contextmanager
def noted(data_dir: Path, address: str) -> Iterator[None]:
    """A server that may not write to its folder is not found; it serves all the same."""
    note = data_dir / _FOLDER / f"{os.getpid()}.json"
    with ExitStack() as opened:
        with suppress(OSError):
            # One after the other: the mode counts for the last folder only.
            data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            note.parent.mkdir(mode=0o700, exist_ok=True)
            file = opened.enter_context(note.open("w", encoding="utf-8"))
            file.write(json.dumps({"pid": os.getpid(), "address": address}))
            file.flush()
            _lock(file.fileno())
        try:
            yield
        finally:
            with suppress(OSError):
                note.unlink(missing_ok=True)


def server_runs(data_dir: Path) -> bool:
    """Whether there is one, even if it does not answer at the moment. A lock ends with its process, so the note of a
    server that was killed counts only if that still lives and answers, as one of an earlier version does."""
    with suppress(OSError):
        return any(_is_locked(note) or _runs_unlocked(note) for note in (data_dir / _FOLDER).glob("*.json"))
    return False


def running_servers(data_dir: Path) -> list[RunningServer]:
    """Those that answer, the one that was started last first. Notes of servers that were killed are removed."""
    with suppress(OSError):
        notes = sorted((data_dir / _FOLDER).glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
        return [server for note in notes if (server := _read(note)) is not None]
    return []


def answers(address: str) -> bool:
    parts = urlsplit(address)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 80), _PROBE_SECONDS).close()
    except OSError:
        return False
    return True


def _runs_unlocked(note: Path) -> bool:
    server = _read(note)
    return server is not None and _lives(server.pid)


def _read(note: Path) -> RunningServer | None:
    try:
        found = json.loads(note.read_text(encoding="utf-8"))
        server = RunningServer(int(found["pid"]), str(found["address"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if answers(_reachable(server.address)):
        return RunningServer(server.pid, _reachable(server.address))
    if not _lives(server.pid):
        with suppress(OSError):
            note.unlink()
    return None


def _reachable(address: str) -> str:
    """Every address of this machine is also that of itself."""
    return address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")


def _lives(pid: int) -> bool:
    if os.name == "nt":
        # A signal would end it there.
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
