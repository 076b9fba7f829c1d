"""Of all workers of one supervisor, one embeds what was written, as each that does so keeps a model in memory; and it
runs the periodic jobs for all of them."""

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path

from longtable.app import App

if sys.platform != "win32":  # where there are no workers
    import fcntl

LOCK = "index.lock"
_TRY_SECONDS = 1.0
_LOOK_SECONDS = 0.5
"""How often it looks for what others have written; its own commits wake it at once."""


class IndexTurn:
    """Held to the end of the process: the next one to have it is a worker that waits, or the one started instead."""

    def __init__(self, folder: Path, app: App) -> None:
        self._path = folder / LOCK
        self._app = app
        self._descriptor: int | None = None
        self._is_ours = False

    async def wait(self) -> None:
        if self._descriptor is None:
            self._descriptor = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600)
        while not self._is_ours:
            with suppress(BlockingIOError):
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._is_ours = True
                return
            await asyncio.sleep(_TRY_SECONDS)

    async def look_for_others(self) -> None:
        """A background task, for as long as there are other workers."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            if self._is_ours:
                self._app.slices.indexer.wake()
