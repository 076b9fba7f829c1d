"""Background tasks: named, started again after a failure with a growing pause, logged and counted."""

import asyncio
import contextvars
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

from longtable.kernel.clock import Clock, system_clock
from longtable.kernel.errors import LongtableError
from longtable.kernel.logs import logger

T = TypeVar("T")

FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 5.0
_STABLE_SECONDS: Final = 60.0
"""A task that ran for this long starts again with the first pause."""
_MAX_TRACES: Final = 3
"""Consecutive failures that are logged with a stack trace; later ones get one line each."""


@dataclass(frozen=True, slots=True)
class TaskFailure:
    """`error` is the code or class name of the exception: its message may hold content of a caller."""

    at: int
    error: str


@dataclass(frozen=True, slots=True)
class TaskState:
    """What is known of all tasks of one name: `failures` counts since the process began."""

    name: str
    running: int
    restarting: int
    failures: int
    last_failure: TaskFailure | None


class BackgroundTask:
    """Runs until its function returns or it is stopped. Created by `BackgroundTasks.start`."""

    def __init__(self, tasks: "BackgroundTasks", name: str, run: Callable[[], Awaitable[None]], about: str) -> None:
        self.name = name
        self.about = about
        self.state: Literal["running", "restarting"] = "running"
        self._tasks = tasks
        self._run = run
        self._injected: Exception | None = None
        self._has_begun = False
        # In an empty context: variables of the request that happened to start it must not leak into later work.
        self._task = asyncio.create_task(self._supervise(), context=contextvars.Context())

    def done(self) -> bool:
        return self._task.done()

    def cancel(self) -> None:
        self._injected = None
        self._task.cancel()

    def when_done(self, callback: Callable[[], None]) -> None:
        self._task.add_done_callback(lambda _: callback())

    async def wait(self, seconds: float | None = None) -> None:
        """Returns when it has ended, in whatever way."""
        await asyncio.wait({self._task}, timeout=seconds)

    async def stop(self) -> None:
        self.cancel()
        await self.wait()

    def fail(self, error: Exception) -> None:
        """Ends the current run as if it had raised `error`. For tests of what a failure does to the rest."""
        if self.state == "running" and not self.done():
            self._injected = error
            if self._has_begun:
                self._task.cancel()

    async def _supervise(self) -> None:
        pause = FIRST_PAUSE
        consecutive = 0
        self._has_begun = True
        while True:
            began = time.monotonic()
            error = await self._failure()
            if error is None:
                return
            if time.monotonic() - began > _STABLE_SECONDS:
                pause, consecutive = FIRST_PAUSE, 0
            consecutive += 1
            self.state = "restarting"
            self._tasks.failed(self.name, error, about=self.about, pause=pause, trace=consecutive <= _MAX_TRACES)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
            self.state = "running"

    async def _failure(self) -> Exception | None:
        """What the function raised; None when it returned. A cancellation goes on, unless it is an injected error."""
        try:
            if self._injected is not None:
                raise asyncio.CancelledError
            await self._run()
        except asyncio.CancelledError:
            error, self._injected = self._injected, None
            if error is None:
                raise
            self._task.uncancel()
            return error
        except Exception as error:  # noqa: BLE001  the reason for this module: no failure ends a task for good
            return error
        return None


class BackgroundTasks:
    """All background tasks of one application. `on_failure` is called with the name of each that fails."""

    def __init__(self, clock: Clock = system_clock) -> None:
        self._clock = clock
        self._alive: set[BackgroundTask] = set()
        self._failures: dict[str, tuple[int, TaskFailure]] = {}
        self._names: dict[str, None] = {}
        self.on_failure: Callable[[str], None] | None = None

    def start(self, name: str, run: Callable[[], Awaitable[None]], *, about: str = "") -> BackgroundTask:
        """Calls `run`, and again after each exception; a `run` that returns is done. `name` is one of few: it labels a
        metric. `about` distinguishes tasks of one name in the log."""
        task = BackgroundTask(self, name, run, about)
        self._names[name] = None
        self._alive.add(task)
        task.when_done(lambda: self._alive.discard(task))
        return task

    def failed(self, name: str, error: Exception, *, about: str, pause: float, trace: bool) -> None:
        """Logs and counts a failure."""
        expected = isinstance(error, LongtableError)
        reason = error.code if isinstance(error, LongtableError) else type(error).__name__
        count = self._failures[name][0] if name in self._failures else 0
        self._failures[name] = (count + 1, TaskFailure(self._clock(), reason))
        facts = {"task": name, "about": about, "again_in": pause}
        if trace and not expected:
            logger.failed("background_task_failed", error, **facts)
        else:
            logger.warning("background_task_failed", error=reason, **facts)
        if self.on_failure is not None:
            self.on_failure(name)

    @property
    def alive(self) -> Iterator[BackgroundTask]:
        return iter(list(self._alive))

    @property
    def all_running(self) -> bool:
        """Whether no task waits for a restart."""
        return all(task.state == "running" for task in self._alive)

    def states(self) -> list[TaskState]:
        """By name, of every task that was ever started here."""
        return [self._state(name) for name in sorted(self._names)]

    def _state(self, name: str) -> TaskState:
        alive = [task.state for task in self._alive if task.name == name]
        count, last = self._failures.get(name, (0, None))
        return TaskState(name, alive.count("running"), alive.count("restarting"), count, last)


def owned_task(work: Awaitable[T], *, context: contextvars.Context | None = None) -> "asyncio.Task[T]":
    """A task that its creator awaits or cancels, so that its failure is noticed: a part of a request, a connection.
    Everything that lives longer is a background task."""
    return asyncio.create_task(work if asyncio.iscoroutine(work) else _awaited(work), context=context)


async def _awaited(work: Awaitable[T]) -> T:
    return await work
