"""Gives back to the system what large requests needed: by itself the C library keeps it for the next ones."""

import asyncio
import ctypes
import gc
import sys

LARGE = 1_048_576
PAUSE_SECONDS = 2.0
_MMAP_THRESHOLD = -3
"""The number of an option of glibc's `mallopt`: from which size on memory is taken from the system, and given back."""


def set_program_aside() -> None:
    """What is there when serving begins stays: looking through all of it for garbage would stop everybody for a tenth
    of a second each time."""
    gc.collect()
    gc.freeze()


class MemoryTrimmer:
    """Needs glibc; without it memory stays as the system's library leaves it."""

    def __init__(self) -> None:
        self._library = _glibc()
        self._is_due = False
        if self._library is not None:
            # Fixed: left alone it grows with the largest request, and smaller ones are kept from then on.
            self._library.mallopt(_MMAP_THRESHOLD, LARGE)

    def released(self, size: int) -> None:
        """A request of this size is done. Needs a running event loop."""
        if size >= LARGE // 4 and self._library is not None and not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_later(PAUSE_SECONDS, self._trim)

    def _trim(self) -> None:
        self._is_due = False
        # The traceback of a refusal holds the request in a circle.
        gc.collect()
        if self._library is not None:
            self._library.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "malloc_trim") and hasattr(library, "mallopt") else None
