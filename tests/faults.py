"""Exceptions in the background tasks of a server in the test's process, and the names of all tasks that there are."""

import ast
import asyncio
import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import longtable
from longtable.kernel.background import BackgroundTask, BackgroundTasks

SOURCE = Path(longtable.__file__).parent
NAMED_LATER = {"background.py"}
"""Where tasks are started by a name that is no literal: the periodic jobs."""


class InjectedError(Exception):
    """What no code is prepared for."""


@dataclass
class Faults:
    """The first task of each name fails twice: when it is started, and where it waits when it is running again. `waits`
    says how often it may wait before that, 0 for the others; None for one that fails at its start alone."""

    waits: Mapping[str, int | None]
    failed_at: dict[str, float] = field(default_factory=dict)
    recovered_at: dict[str, float] = field(default_factory=dict)

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        start = BackgroundTasks.start

        def failing(
            tasks: BackgroundTasks, name: str, run: Callable[[], Awaitable[None]], *, about: str = ""
        ) -> BackgroundTask:
            if name in self.failed_at:
                return start(tasks, name, run, about=about)
            self.failed_at[name] = time.monotonic()
            return start(tasks, name, partial(self._run, name, run, [0]), about=about)

        monkeypatch.setattr(BackgroundTasks, "start", failing)

    async def _run(self, name: str, run: Callable[[], Awaitable[None]], runs: list[int]) -> None:
        runs[0] += 1
        if runs[0] == 1:
            raise InjectedError
        waits = self.waits.get(name, 0)
        if runs[0] == 2 and waits is not None:
            await FailsWhereItWaits(run(), waits)
            self.recovered_at[name] = time.monotonic()
            return
        self.recovered_at.setdefault(name, time.monotonic())
        await run()


@dataclass
class FailsWhereItWaits:
    """Raises in the middle of `work`, when that is about to wait after it has waited `waits` times."""

    work: Awaitable[None]
    waits: int

    def __await__(self) -> Generator[Any, Any, None]:
        steps = self.work.__await__()
        step: Callable[[], Any] = partial(next, steps)
        left = self.waits
        while True:
            try:
                waiting = step()
            except StopIteration:
                return
            left -= 1
            if left == -1:
                _forget(waiting)
                step = partial(steps.throw, InjectedError())
                continue
            try:
                yield waiting
                step = partial(next, steps)
            except BaseException as error:  # noqa: BLE001  it is for the work, whatever it is
                step = partial(steps.throw, error)


def _forget(waiting: Any) -> None:
    """Nobody waits for it now, so nobody hears of its failure."""
    if asyncio.isfuture(waiting):
        waiting.add_done_callback(lambda future: future.cancelled() or future.exception())


def named_tasks() -> set[str]:
    """As they stand in the source."""
    return {name for path in SOURCE.rglob("*.py") for name in _names_in(path)}


def _names_in(path: Path) -> set[str]:
    text = path.read_text("utf-8")
    if ".start(" not in text and "Round(" not in text:
        return set()
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    names = {call.args[0] for call in calls if _starts_task(call)}
    found = {str(name.value) for name in names if isinstance(name, ast.Constant)}
    if len(found) < len({ast.dump(name) for name in names}):
        assert path.name in NAMED_LATER, f"{path.name} starts a task whose name cannot be found"
    return found


def _starts_task(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute):
        is_named = len(call.args) >= 2 and isinstance(call.args[0], ast.Constant)
        return call.func.attr == "start" and (is_named or "background" in ast.unparse(call.func.value))
    return isinstance(call.func, ast.Name) and call.func.id == "Round" and isinstance(call.args[0], ast.Constant)
