"""The anchor beside the store: a store that has lost its end is found out, and a restore can be accepted."""

import os
import shutil
import signal
from pathlib import Path

import pytest

from longtable.log.anchors import SQLITE_ANCHOR
from tests.e2e.program import Program
from tests.e2e.servers import Processes, until

pytestmark = pytest.mark.slow


def creates(program: Program, *names: str) -> None:
    for name in names:
        program.does("sessions", "create", "--tenant", "acme", "--session-id", name)


def keep(program: Program) -> Path:
    """A backup: no process has the store open, so the file is the whole of it."""
    program.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    copy = program.data_dir.with_name("backup.db")
    shutil.copyfile(program.store, copy)
    return copy


def restore(program: Program, copy: Path) -> None:
    for end in ("", "-wal", "-shm"):
        Path(f"{program.store}{end}").unlink(missing_ok=True)
    shutil.copyfile(copy, program.store)


def test_a_store_that_is_shorter_than_its_anchor_is_named(program: Program) -> None:
    creates(program, "plan-1")
    older = keep(program)
    creates(program, "plan-2", "plan-3")
    program.does("audit", "verify")

    restore(program, older)
    ended = program.run("audit", "verify")

    assert ended.status == 1
    assert "acme: broken at record 2: the store is shorter than the anchor beside it" in ended.out


def test_a_chain_that_grew_again_after_a_loss_is_another_one(program: Program) -> None:
    creates(program, "plan-1")
    older = keep(program)
    creates(program, "plan-2")
    program.does("audit", "verify")

    restore(program, older)
    creates(program, "plan-4", "plan-5")
    ended = program.run("audit", "verify")

    assert ended.status == 1
    assert "record 2 is not the one that the anchor beside the store has" in ended.out


def test_after_a_restore_a_person_accepts_what_is_there(program: Program) -> None:
    creates(program, "plan-1")
    older = keep(program)
    creates(program, "plan-2")
    program.does("audit", "verify")
    restore(program, older)

    program.does("audit", "verify", "--accept-shorter")

    assert program.does("audit", "verify")["tenants"][0]["records"] == 2
    assert program.rows("SELECT event_type FROM audit ORDER BY seq")[-1] == ("audit_anchor_accepted",)


async def test_a_log_that_was_removed_before_a_crash_is_found_out(processes: Processes, program: Program) -> None:
    server = processes.serve({"data_dir": str(program.data_dir), "enable_semantic_search": "false"})
    agent = server.agent("ann")
    await agent.adds_note("before")
    anchor = program.data_dir / SQLITE_ANCHOR
    await until(lambda: anchor.exists() and b'"default"' in anchor.read_bytes())
    worker = (await agent.client.get("/status")).json()["pid"]
    await agent.client.aclose()

    os.unlink(f"{program.store}-wal")
    # At once, as a power cut would: a worker that may close folds the log in after all.
    server.signal(signal.SIGSTOP)
    os.kill(worker, signal.SIGKILL)
    server.kill()
    ended = program.run("audit", "verify")

    assert ended.status == 1
    assert "default: broken at record" in ended.out
