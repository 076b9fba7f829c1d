"""Which servers run on a data folder, and where they listen: each leaves a note while it runs."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

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
    with suppress(OSError):
        # One after the other: the mode counts for the last folder only.
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        note.parent.mkdir(mode=0o700, exist_ok=True)
        note.write_text(json.dumps({"pid": os.getpid(), "address": address}), encoding="utf-8")
    try:
        yield
    finally:
        with suppress(OSError):
            note.unlink(missing_ok=True)


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
