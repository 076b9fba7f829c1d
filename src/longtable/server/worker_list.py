"""Which workers there are beside this one: each leaves a note in the supervisor's folder."""

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class WorkerList:
    """`number` is this worker's alone while it lives, and another's afterwards."""

    folder: Path
    number: int

    def enter(self, started_at: str) -> None:
        note = {"number": self.number, "pid": os.getpid(), "started_at": started_at}
        unfinished = self.folder / f"worker-{self.number}.part"
        # Without it the status shows one worker less, and nothing else depends on it.
        with contextlib.suppress(OSError):
            unfinished.write_text(json.dumps(note), "utf-8")
            os.replace(unfinished, self.folder / f"worker-{self.number}.json")

    def alive(self) -> list[dict[str, Any]]:
        """In the order of their numbers."""
        notes = [_read(path) for path in self.folder.glob("worker-*.json")]
        found = [note for note in notes if note is not None and _is_alive(int(note["pid"]))]
        return sorted(found, key=lambda note: int(note["number"]))


def _read(path: Path) -> dict[str, Any] | None:
    try:
        note: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return note


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True
