"""A process for one client leaves to a server on its store what is done once for all: the server may have been told to
keep for a year what this process, with options of its own, would delete after a month."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from longtable.app import App, open_app
from longtable.background import AFTER_SERVER
from longtable.kernel.clock import MINUTE
from longtable.server.running_servers import noted, server_runs
from longtable.settings.load import load
from tests.table import Timepiece

pytestmark = pytest.mark.in_process("looks at the tasks of a process")
WITHIN = 40.0
ADDRESS = "http://127.0.0.1:9"
JOBS = {"purge_sessions", "empty_trash", "send_notices"}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longtable.background.JOB_DELAY", 0.0)
    monkeypatch.setattr("longtable.background.RENEWED_EVERY", 0.05)


async def test_it_does_them_while_there_is_no_server_and_leaves_them_to_one_that_starts(tmp_path: Path) -> None:
    async with beside(tmp_path, Timepiece()) as app:
        await until(lambda: running(app) >= JOBS)

        with noted(tmp_path, ADDRESS):
            await until(lambda: not JOBS & running(app))


async def test_it_does_them_again_only_long_after_the_server_has_stopped(tmp_path: Path) -> None:
    clock = Timepiece()
    looks: list[bool] = []

    def look() -> bool:
        looks.append(server_runs(tmp_path))
        return looks[-1]

    async with beside(tmp_path, clock, look) as app:
        with noted(tmp_path, ADDRESS):
            await until(lambda: True in looks and not JOBS & running(app))
        clock.ahead = AFTER_SERVER - MINUTE
        await until(lambda: looks[-3:] == [False] * 3)
        early = running(app)
        clock.ahead = AFTER_SERVER + MINUTE
        await until(lambda: running(app) >= JOBS)

    assert not JOBS & early


async def test_the_note_of_a_server_that_was_killed_keeps_it_from_nothing(tmp_path: Path) -> None:
    with ExitStack() as killed:
        killed.enter_context(noted(tmp_path, ADDRESS))
        (note,) = (tmp_path / "servers").iterdir()
        left_behind = note.read_bytes()
    note.write_bytes(left_behind)

    assert not server_runs(tmp_path)


@asynccontextmanager
async def beside(folder: Path, clock: Timepiece, look: Callable[[], bool] | None = None) -> AsyncIterator[App]:
    """The application of a process for one client."""
    quiet = {"log_level": "error", "enable_semantic_search": "false", "durability": "fast"}
    settings = load({"data_dir": str(folder), **quiet}, {}).settings
    look = look or partial(server_runs, folder)
    async with open_app(settings, "test", clock, server_runs=look) as app:
        yield app


def running(app: App) -> set[str]:
    return {task.name for task in app.background.alive}


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(WITHIN):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
