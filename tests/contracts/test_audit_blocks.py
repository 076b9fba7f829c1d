"""Which blocks of the audit log have a value is stored once, and never believed of a commit that failed."""

from collections.abc import Sequence
from typing import Any

import pytest

from longtable.kernel.errors import LongtableError
from longtable.log.chain import Chain
from longtable.log.model import AuditRecord, LogEntry
from longtable.storage.database import CommitHooks, Database, Transaction
from tests.stores import Store


class ChainThatFails(CommitHooks):
    """Fails after it has appended, as the store may."""

    def __init__(self) -> None:
        self.fails = False
        self._chain = Chain()

    async def before_commit(self, tx: Transaction, entries: Sequence[Any]) -> None:
        await self._chain.append(tx, entries)
        if self.fails:
            raise RuntimeError("the store is gone")

    def after_commit(self, entries: Sequence[Any]) -> None:
        return


async def note_added(database: Database, agent: str, now: int) -> None:
    record = AuditRecord(
        "acme", "note_added", "add_note", "one", agent, "generic", "agent", "http", None, "SUCCESS", None, {}, now
    )

    async def body(tx: Transaction) -> None:
        tx.defer(LogEntry("acme", agent, "generic", "one", now, audit=[record]))

    await database.write("acme", body)


async def blocks(tx: Transaction) -> list[tuple[Any, ...]]:
    return await tx.tuples("SELECT name, value, block FROM audit_blocks WHERE tenant = :tenant ORDER BY name, value")


async def test_blocks_of_a_commit_that_failed_are_stored_by_the_next(store: Store) -> None:
    hooks = ChainThatFails()
    database = await store.open(hooks)
    await note_added(database, "ada", 1)
    hooks.fails = True
    with pytest.raises(LongtableError):
        await note_added(database, "bob", 2)
    hooks.fails = False

    await note_added(database, "bob", 3)

    assert await database.read("acme", blocks) == [
        ("agent_id", "ada", 0),
        ("agent_id", "bob", 0),
        ("event_type", "note_added", 0),
        ("session_id", "one", 0),
    ]
