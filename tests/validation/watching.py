"""What tests of validation see from outside: the worker processes, and how long the event loop was held up."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Final, TypeVar

import psutil  # type: ignore[import-untyped]  # it has no types

from longtable.validation.model import ValidationResult
from longtable.validation.service import CellToCheck, SharedSchema, Validation

T = TypeVar("T")

PATIENCE = 5.0
_LONGEST_GAP: Final = 0.05 * 5
_TRIES: Final = 3
MIB = 1_048_576
HANGING_SCHEMA = {
    "$defs": {
        f"d{depth}": {"anyOf": [{"$ref": f"#/$defs/d{depth + 1}"}, {"$ref": f"#/$defs/d{depth + 1}"}]}
        for depth in range(40)
    }
    | {"d40": {"type": "string"}},
    "$ref": "#/$defs/d0",
}
"""A few hundred bytes that keep any validator busy for years."""


def cell(language: str, content: str, schema: object = None, index: int = 0) -> CellToCheck:
    return CellToCheck(index, f"cell-{index}", language, content, schema)


HANGING = cell("json", "1", HANGING_SCHEMA)


async def check_text(
    validation: Validation, language: str, content: str, schema: object = None, shared: tuple[SharedSchema, ...] = ()
) -> ValidationResult:
    [result] = await validation.check([cell(language, content, schema)], shared)
    return result


def workers(server: int | None = None) -> list[psutil.Process]:
    """Those of this process, or of the one named."""
    found = []
    for process in psutil.Process(server).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            if process.status() != psutil.STATUS_ZOMBIE and "longtable.checkers.worker" in process.cmdline():
                found.append(process)
    return found


def outlive(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Those that still run after some time."""
    _, alive = psutil.wait_procs(processes, timeout=PATIENCE)
    return list(alive)


def most_resident() -> int:
    """Bytes of memory of the largest worker."""
    sizes = [0]
    for process in workers():
        with contextlib.suppress(psutil.NoSuchProcess):
            sizes.append(process.memory_info().rss)
    return max(sizes)


async def busy_worker() -> psutil.Process:
    """The first that has used two tenths of a second since it was looked at. Others may end meanwhile."""
    await until_workers(2)
    used: dict[psutil.Process, float] = {}
    async with asyncio.timeout(PATIENCE):
        while True:
            for process in workers():
                with contextlib.suppress(psutil.NoSuchProcess):
                    seconds = sum(process.cpu_times()[:2])
                    if seconds - used.setdefault(process, seconds) > 0.2:
                        return process
            await asyncio.sleep(0.05)


async def until_workers(count: int, but: Collection[int] = ()) -> list[psutil.Process]:
    """Waits until so many run, none of them one of `but`."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = [process for process in workers() if process.pid not in but]
            if len(found) == count:
                return found
            await asyncio.sleep(0.01)


@dataclass(slots=True)
class Pulse:
    longest_gap: float = 0.0


@contextlib.asynccontextmanager
async def pulse() -> AsyncIterator[Pulse]:
    """Measures how long the event loop lets others wait."""
    measured = Pulse()

    async def beat() -> None:
        last = time.perf_counter()
        while True:
            await asyncio.sleep(0.002)
            now = time.perf_counter()
            measured.longest_gap = max(measured.longest_gap, now - last - 0.002)
            last = now

    beating = asyncio.create_task(beat())
    try:
        yield measured
    finally:
        beating.cancel()


async def letting_others_work(work: Callable[[], Awaitable[T]]) -> T:
    """What `work` answers. The event loop never waits for it: what it holds up itself, it holds up every time; what a
    busy machine does is over the next time."""
    for _ in range(_TRIES):
        async with pulse() as beat:
            result = await work()
        if beat.longest_gap < _LONGEST_GAP:
            return result
    raise AssertionError(f"The event loop stood still for {beat.longest_gap:.3f} s.")
