"""Servers that share a PostgreSQL store share the periodic jobs: one of them runs them, and another when it is gone."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from longtable.app import App, open_app
from longtable.background import LEASE, RENEWED_EVERY
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.clock import SECOND
from longtable.log.reader import EventFilter
from longtable.settings.load import load
from longtable.storage.database import SYSTEM, Transaction
from longtable.storage.leases import ProcessLease
from tests.stores import Store
from tests.table import Table, open_table

pytestmark = pytest.mark.anyio

WITHIN = 40.0
LISTENER = EventFilter(Caller("default", Role.LOCAL, "listener", "generic", Surface.HTTP, "sess_one"), "sess_one")
JOBS = {"expire_sessions", "purge_sessions", "forget_old_keys"}


async def test_another_server_takes_over_the_jobs_of_one_that_was_killed(
    replicated: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longtable.background.JOB_DELAY", 0.0)
    killed = ProcessLease("jobs", "killed", LEASE)
    async with open_table(replicated, tmp_path) as table:
        await until(lambda: running(table) >= JOBS)
        await table.app.database.write(SYSTEM, lambda tx: hand_over(tx, killed, table.clock() + LEASE))
        await until(lambda: not JOBS & running(table))
        await table.session("sess_one")
        await table.app.database.write("default", end_soon)

        async with table.app.feed.subscribe(LISTENER, 0) as subscription, asyncio.timeout(WITHIN):
            kinds = [event["kind"] async for event in subscription]

    assert kinds[-1] == "session/expired"
    assert LEASE / SECOND + RENEWED_EVERY <= 10


async def test_of_all_servers_on_a_store_one_runs_the_jobs_until_it_stops(
    replicated: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longtable.background.JOB_DELAY", 0.0)
    async with open_table(replicated, tmp_path) as second:
        async with open_table(replicated, tmp_path) as first:
            await until(lambda: running(first) | running(second) >= JOBS)
            busy, idle = (first, second) if running(first) >= JOBS else (second, first)
            assert not JOBS & running(idle)

            await busy.session("sess_one")
            await busy.app.database.write("default", end_soon)
            for table in (busy, idle):
                for task in table.app.background.alive:
                    if task.name in {"job_starter", "expire_sessions"}:
                        task.fail(RuntimeError("injected"))
            async with busy.app.feed.subscribe(LISTENER, 0) as subscription, asyncio.timeout(WITHIN):
                kinds = [event["kind"] async for event in subscription]
            assert kinds.count("session/expired") == 1
            assert await busy.app.database.read("default", expiries) == 1
        await until(lambda: running(second) >= JOBS)


async def test_a_server_takes_the_jobs_from_a_process_for_one_client_beside_it(
    replicated: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longtable.background.JOB_DELAY", 0.0)
    flags = {"store": replicated.address, "data_dir": str(tmp_path / "beside"), "enable_semantic_search": "false"}
    async with open_app(load(flags, {}).settings, "test", server_runs=lambda: False) as beside:
        await until(lambda: tasks_of(beside) >= JOBS)

        async with open_table(replicated, tmp_path) as server:
            await until(lambda: running(server) >= JOBS and not JOBS & tasks_of(beside))


async def hand_over(tx: Transaction, lease: ProcessLease, until: int) -> None:
    await tx.execute(
        "UPDATE embedding_turns SET holder = :holder, until = :until WHERE turn = :turn",
        holder=lease.holder,
        until=until,
        turn=lease.name,
    )


async def end_soon(tx: Transaction) -> None:
    await tx.execute("UPDATE sessions SET expires_at = 1 WHERE tenant = :tenant")


async def expiries(tx: Transaction) -> int:
    return len(await tx.all("SELECT seq FROM audit WHERE tenant = :tenant AND event_type = 'session_expired'"))


def running(table: Table) -> set[str]:
    return tasks_of(table.app)


def tasks_of(app: App) -> set[str]:
    return {task.name for task in app.background.alive}


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(WITHIN):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
