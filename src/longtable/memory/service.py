"""Decides about memory: whose it is, which version it holds, how long it is kept."""

import json
from dataclasses import dataclass
from typing import Any

from longtable.kernel.call import Call
from longtable.kernel.clock import to_iso
from longtable.kernel.content import check_json
from longtable.kernel.errors import CapacityLimitReached, NotFound, VersionConflict
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.log.ledger import Ledger, Work
from longtable.memory import store
from longtable.memory.model import (
    ACROSS_SESSIONS,
    MAX_VALUE_BYTES,
    MemoryDeleted,
    MemoryEntry,
    MemoryList,
    MemoryRead,
    MemorySet,
)
from longtable.memory.store import MemoryScope
from longtable.sessions.service import Sessions
from longtable.storage.database import SYSTEM, Transaction


@dataclass(frozen=True, slots=True)
class NewValue:
    key: str
    value: Any
    expires_in: int | None
    expected_version: int | None


class Memory:
    """Without a session the memory is the agent's own across all of them, so a call outside any will do."""

    def __init__(self, ledger: Ledger, sessions: Sessions, per_tenant: int) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._per_tenant = per_tenant

    async def set(self, call: Call, new: NewValue) -> MemorySet:
        check_json("value", new.value, MAX_VALUE_BYTES)
        memory_scope = _memory_scope(call)

        async def body(work: Work) -> MemorySet:
            await self._check_session(work, memory_scope)
            known = await store.find(work.tx, memory_scope, new.key, work.now)
            version = known.version if known else 0
            if new.expected_version is not None and new.expected_version != version:
                raise VersionConflict(
                    f"key: {new.key!r} is at version {version}.", current_version=version, key=new.key
                )
            entry = _entry(work, new, memory_scope, known)
            if await store.put(work.tx, memory_scope, entry) and await store.count(work.tx, 1) > self._per_tenant:
                raise CapacityLimitReached(
                    f"This tenant has {self._per_tenant} memory entries, which is the limit.", limit=self._per_tenant
                )
            work.touched("memory", scope=entry.scope)
            expires_at = to_iso(entry.expires_at) if entry.expires_at else None
            return MemorySet(key=entry.key, scope=entry.scope, version=entry.version, expires_at=expires_at)

        return await self._ledger.write(call, MemorySet, body)

    async def get(self, call: Call, key: str) -> MemoryRead:
        now = self._ledger.clock()
        entry = await self._ledger.read(call.caller, lambda tx: store.find(tx, _memory_scope(call), key, now))
        if entry is None:
            raise NotFound(f"key: there is no {key!r} in your memory here.")
        return MemoryRead.of(entry)

    async def list(self, call: Call, prefix: str, limit: int, cursor: str | None) -> MemoryList:
        after = decode_cursor(cursor, str)[0] if cursor else ""
        now = self._ledger.clock()

        async def body(tx: Transaction) -> list[MemoryEntry]:
            return await store.page(tx, _memory_scope(call), prefix, after, limit + 1, now)

        found = await self._ledger.read(call.caller, body)
        page = found[:limit]
        return MemoryList(
            entries=[entry.stamp() for entry in page],
            count=len(page),
            next_cursor=encode_cursor(page[-1].key) if len(found) > len(page) else None,
        )

    async def delete(self, call: Call, key: str) -> MemoryDeleted:
        async def body(work: Work) -> MemoryDeleted:
            await self._check_session(work, _memory_scope(call))
            deleted = await store.delete(work.tx, _memory_scope(call), key)
            if deleted:
                await store.count(work.tx, -1)
            work.touched("memory")
            return MemoryDeleted(key=key, deleted=deleted)

        return await self._ledger.write(call, MemoryDeleted, body)

    async def _check_session(self, work: Work, memory_scope: MemoryScope) -> None:
        if memory_scope.session_id != ACROSS_SESSIONS:
            await self._sessions.open_for_writing(work)


def _memory_scope(call: Call) -> MemoryScope:
    return MemoryScope(call.caller.agent, call.caller.session_id or ACROSS_SESSIONS)


def _entry(work: Work, new: NewValue, memory_scope: MemoryScope, known: MemoryEntry | None) -> MemoryEntry:
    return MemoryEntry(
        key=new.key,
        session_id=memory_scope.session_id,
        value=json.dumps(new.value, ensure_ascii=False, separators=(",", ":")),
        version=known.version + 1 if known else 1,
        created_at=known.created_at if known else work.now,
        updated_at=work.now,
        expires_at=work.now + new.expires_in if new.expires_in else None,
    )


async def forget_expired(ledger: Ledger) -> None:
    """Every minute: what has expired is out of sight already, and no longer counts after this."""
    now, database = ledger.clock(), ledger.database
    for tenant in await database.read(SYSTEM, lambda tx: store.tenants_with_expired(tx, now)):
        await database.write(tenant, lambda tx: store.delete_expired(tx, now))
