"""Background work: whatever fails is running again soon, says so, and takes nothing else with it."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from longtable.identity.model import Credential
from longtable.kernel.background import BackgroundTask
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.clock import DAY
from longtable.kernel.logs import logger
from longtable.log.reader import EventFilter
from longtable.storage.database import SYSTEM, Transaction
from tests.stores import Store
from tests.table import Table, open_table

WITHIN = 40.0
LISTENER = EventFilter(Caller("default", Role.LOCAL, "listener", "generic", Surface.HTTP, "sess_one"), "sess_one")
JOBS = {
    "expire_sessions",
    "purge_sessions",
    "forget_reads",
    "forget_expired",
    "forget_old_keys",
    "forget_old_events",
    "forget_old_notices",
    "collect_notices",
    "send_notices",
    "empty_trash",
    "forget_old_calls",
    "embed_missing",
    "embed_outdated",
}


@pytest.fixture
async def busy(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Table]:
    """A table whose jobs have begun."""
    monkeypatch.setattr("longtable.background.JOB_DELAY", 0.0)
    async with open_table(store, tmp_path, enable_metrics="true") as opened:
        await until(lambda: {task.name for task in opened.app.background.alive} >= JOBS)
        yield opened


@pytest.mark.in_process("changes the program where it runs")
async def test_every_task_that_fails_is_running_again_soon_and_is_counted_and_logged(busy: Table, store: Store) -> None:
    await busy.session("sess_one")
    names = JOBS | {
        "event_feed",
        "search_index",
        "word_index",
        "foreign_commits" if store.kind == "sqlite" else "store_listener",
    }
    # The library behind the log is loaded with its first line, which would undo what captures the lines.
    assert logger._structlog is not None
    with capture_logs() as lines:
        async with busy.app.feed.subscribe(LISTENER, None):
            tasks = [task for task in busy.app.background.alive if task.name in names]
            for task in tasks:
                task.fail(RuntimeError("injected"))
            await until(lambda: all(task.state == "restarting" for task in tasks))
            down = await busy.agent().client.get("/ready")
            await until(lambda: all(task.state == "running" for task in tasks))
            up = await busy.agent().client.get("/ready")

    assert {task.name for task in tasks} == names
    assert (down.status_code, down.json()) == (503, {"status": "unavailable"})
    assert (up.status_code, up.json()) == (200, {"status": "ok"})
    counted = await failures(busy)
    assert {name: counted[name] for name in names} == dict.fromkeys(names, 1.0)
    assert {line["task"] for line in lines if line["event"] == "background_task_failed"} >= names


async def test_no_event_is_missed_while_the_feed_of_a_tenant_is_down(busy: Table) -> None:
    alice = busy.agent("alice", await busy.session("sess_one"))
    async with busy.app.feed.subscribe(LISTENER, None) as subscription:
        feed = named(busy, "event_feed")
        await alice.adds_note("before")

        feed.fail(RuntimeError("injected"))
        await until(lambda: feed.state == "restarting")
        await alice.adds_note("meanwhile")
        await until(lambda: feed.state == "running")
        await alice.adds_note("after")

        async with asyncio.timeout(WITHIN):
            events = aiter(subscription)
            heard = [(await anext(events))["content_preview"] for _ in range(3)]

    assert heard == ["before", "meanwhile", "after"]


async def test_who_begins_to_listen_while_the_feed_is_down_hears_what_follows(busy: Table) -> None:
    alice = busy.agent("alice", await busy.session("sess_one"))
    async with busy.app.feed.subscribe(LISTENER, None):
        feed = named(busy, "event_feed")
        feed.fail(RuntimeError("injected"))
        await until(lambda: feed.state == "restarting")

        async with busy.app.feed.subscribe(LISTENER, None) as subscription:
            await alice.adds_note("for the second")
            async with asyncio.timeout(WITHIN):
                event = await anext(aiter(subscription))

    assert event["content_preview"] == "for the second"


@pytest.mark.in_process("changes the program where it runs")
async def test_a_job_that_cannot_be_done_does_not_keep_sessions_from_expiring(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longtable.background.JOB_DELAY", 1.0)
    async with open_table(store, tmp_path, enable_metrics="true") as table:
        await table.session("sess_one")
        await table.app.database.write(SYSTEM, lambda tx: drop(tx, "idempotency"))
        table.clock.ahead = 400 * DAY

        async with table.app.feed.subscribe(LISTENER, 0) as subscription, asyncio.timeout(WITHIN):
            kinds = [event["kind"] async for event in subscription]
        await until(lambda: "forget_old_keys" in failed(table))

        assert kinds[-1] == "session/expired"
        assert (await failures(table))["forget_old_keys"] >= 1


@pytest.mark.in_process("changes the program where it runs")
async def test_the_record_of_a_read_is_written_although_its_writer_failed(busy: Table) -> None:
    alice = busy.agent("alice", await busy.session("sess_one"))
    await alice.reads_notes()
    flush = named(busy, "audit_flush")
    flush.fail(RuntimeError("injected"))
    await until(lambda: flush.state == "restarting")
    await until(flush.done)

    async def reads(tx: Transaction) -> int:
        return len(await tx.all("SELECT seq FROM audit WHERE tenant = :tenant AND operation = 'read_notes'"))

    assert await busy.app.database.read("default", reads) == 1


@pytest.mark.in_process("changes the program where it runs")
async def test_cells_are_checked_again_after_those_who_check_them_failed(busy: Table) -> None:
    alice = busy.agent("alice")
    cell = {"language": "json", "content": "{", "validate": True}
    await alice.calls("scratch_create", scratch_id="plans", cells=[cell])
    workers = [task for task in busy.app.background.alive if task.name == "validation_worker"]

    for task in workers:
        task.fail(RuntimeError("injected"))
    await until(lambda: all(task.state == "restarting" for task in workers))
    await until(lambda: all(task.state == "running" for task in workers))
    checked = await alice.calls("scratch_validate", scratch_id="plans")

    assert workers
    assert checked["results"][0]["valid"] is False


async def drop(tx: Transaction, name: str) -> None:
    await tx.execute(f"DROP TABLE {name}")


def named(table: Table, name: str) -> BackgroundTask:
    return next(task for task in table.app.background.alive if task.name == name)


def failed(table: Table) -> set[str]:
    return {state.name for state in table.app.background.states() if state.failures}


async def failures(table: Table) -> dict[str, float]:
    text = (await table.agent().client.get("/metrics")).text
    found = re.findall(r'^longtable_background_failures_total\{task="(\w+)"\} (\S+)$', text, re.MULTILINE)
    return {name: float(value) for name, value in found}


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(WITHIN):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.mark.in_process("changes the program where it runs")
async def test_the_status_is_for_the_owner_and_shows_the_last_failure_of_each_task(
    store: Store, tmp_path: Path
) -> None:
    async with open_table(store, tmp_path, auth_tokens="acme:acme-secret") as table:
        owner = await table.app.tokens.create(Credential("acme", Role.OWNER, "olga"), None)
        index = named(table, "search_index")
        index.fail(RuntimeError("injected"))
        await until(lambda: index.state == "restarting")

        shown = (await table.agent(token=owner.secret).client.get("/status")).json()
        refused = await table.agent(token="acme-secret").client.get("/status")
        stranger = await table.agent().client.get("/status")

    (task,) = [task for task in shown["background"] if task["task"] == "search_index"]
    assert (shown["status"], task["status"], task["failures"]) == ("unavailable", "restarting", 1)
    assert task["last_failure"]["error"] == "RuntimeError"
    assert (refused.status_code, stranger.status_code) == (403, 401)
