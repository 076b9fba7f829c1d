"""The server's end of the model process: start it, send requests, stop it."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from longtable.embedding import frames
from longtable.kernel.errors import SearchUnavailable

_LOAD_SECONDS = 60.0
_ANSWER_SECONDS = 30.0
_STOP_SECONDS = 2.0
_KEPT_MEMORY = {"MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TRIM_THRESHOLD_": "134217728"}
"""For glibc, which would give the memory of each array back to the system and ask for it again: a third of the time."""
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class ProcessEnded(Exception):
    """It crashed, was killed, or did not respond in time."""


class ModelProcess:
    """Ready once `open` has returned it. One request at a time."""

    def __init__(self, child: asyncio.subprocess.Process) -> None:
        self._child = child
        self.version = ""

    @classmethod
    async def open(cls, folder: Path | None) -> "ModelProcess":
        """Raises SearchUnavailable, with the remedy, if the model cannot be loaded."""
        # -P: the folder that the server was started in holds a user's project, and no modules of ours.
        command = [sys.executable, "-P", "-m", "longtable.embedding", *([str(folder)] if folder else [])]
        child = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=_environment(),
            start_new_session=True,  # Ctrl-C is for the server, which then stops this one.
        )
        process = cls(child)
        try:
            message, _ = await process._receive(_LOAD_SECONDS)
            if "failed" in message:
                raise SearchUnavailable(message["failed"])
            process.version = message["ready"]
        except BaseException:
            await process.stop()
            raise
        return process

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def memory_bytes(self) -> int:
        try:
            pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        except (OSError, IndexError):
            return 0
        return pages * os.sysconf("SC_PAGE_SIZE")

    async def request(self, message: dict[str, Any]) -> frames.Frame:
        """Raises ProcessEnded."""
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(frames.pack(message))
            await self._child.stdin.drain()
        except (OSError, RuntimeError) as error:  # uvloop raises the second for a closed pipe.
            raise ProcessEnded("The process with the model has ended.") from error
        return await self._receive(_ANSWER_SECONDS)

    async def stop(self) -> None:
        """It has no state, so it does not finish its work."""
        assert self._child.stdin is not None
        if self._child.returncode is None:
            self._signal(self._child.terminate)
        try:
            await asyncio.wait_for(self._child.wait(), _STOP_SECONDS)
        except TimeoutError:
            self._signal(self._child.kill)
            await self._child.wait()
        self._child.stdin.close()

    async def _receive(self, seconds: float) -> frames.Frame:
        assert self._child.stdout is not None
        try:
            async with asyncio.timeout(seconds):
                return await frames.receive(self._child.stdout)
        except (EOFError, OSError) as error:
            raise ProcessEnded("The process with the model has ended.") from error
        except TimeoutError as error:
            raise ProcessEnded(f"The process with the model did not answer for {seconds:.0f} seconds.") from error

    def _signal(self, send: Callable[[], None]) -> None:
        try:
            send()
        except ProcessLookupError:
            return


def _environment() -> dict[str, str]:
    """Without our own options: there are secrets among them, and the model needs none."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LONGTABLE_")}
    # onnxruntime, where it is used, would note its use, and leave a file in the folder for temporary files.
    kept["ORT_DISABLE_TELEMETRY"] = "1"
    return {**kept, **_ONE_THREAD, **_KEPT_MEMORY, "TOKENIZERS_PARALLELISM": "false"}
