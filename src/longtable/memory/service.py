"""Decides about memory: whose it is, which version it holds, how long it is kept."""

import json
from functools import partial

from longtable.identity.model import EVERYONE, POSTERS
from longtable.kernel.call import Call
from longtable.kernel.clock import SECOND, to_iso
from longtable.kernel.content import check_json
from longtable.kernel.errors import CapacityLimitReached, NotFound, VersionConflict
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.kernel.suggestions import did_you_mean
from longtable.log.ledger import Ledger, Work
from longtable.memory import store
from longtable.memory.arguments import DeleteMemory, GetMemory, ListMemory, SetMemory
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
from longtable.toolkit.answer_size import count_within, part_of
from longtable.toolkit.tool import Envelope, Scope, tool

_SUGGESTED = 50
"""Keys among which one is looked for that is like an unknown one: each is read with its value."""
_memory_tool = partial(tool, group="messages", scope=Scope.SESSION_IF_NAMED, envelope=Envelope.SUCCESS)


class Memory:
    """Without a session, entries are the agent's own across all sessions."""

    def __init__(self, ledger: Ledger, sessions: Sessions, per_tenant: int) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._per_tenant = per_tenant

    @_memory_tool(
        "set_memory",
        title="Remember",
        description="Keep a value for yourself; no other agent can read it.",
        roles=POSTERS,
        audited_as="memory_set",
        writes=True,
    )
    async def set(self, call: Call, arguments: SetMemory) -> MemorySet:
        check_json("value", arguments.value, MAX_VALUE_BYTES)
        memory_scope = _memory_scope(call)

        async def body(work: Work) -> MemorySet:
            await self._check_session(work, memory_scope)
            known = await store.find(work.tx, memory_scope, arguments.key, work.now)
            _check_version(arguments, known)
            entry = _entry(work, arguments, memory_scope, known)
            if await store.put(work.tx, memory_scope, entry) and await store.count(work.tx, 1) > self._per_tenant:
                raise CapacityLimitReached(
                    f"This tenant has {self._per_tenant} memory entries, which is the limit.", limit=self._per_tenant
                )
            work.touched("memory", scope=entry.scope)
            expires_at = to_iso(entry.expires_at) if entry.expires_at else None
            return MemorySet(key=entry.key, scope=entry.scope, version=entry.version, expires_at=expires_at)

        return await self._ledger.write(call, MemorySet, body)

    @_memory_tool(
        "get_memory",
        title="Recall",
        description="Read a value that you kept.",
        roles=EVERYONE,
        audited_as="memory_read",
    )
    async def get(self, call: Call, arguments: GetMemory) -> MemoryRead:
        now, scope, key = self._ledger.clock(), _memory_scope(call), arguments.key

        async def body(tx: Transaction) -> MemoryEntry:
            entry = await store.find(tx, scope, key, now)
            if entry is None:
                known = [each.key for each in await store.page(tx, scope, "", "", _SUGGESTED, now)]
                hint = did_you_mean(key, known, "list_memory shows your keys.")
                raise NotFound(f"key: there is no {key!r} in your memory here.", hint=hint)
            return entry

        entry = await self._ledger.read(call.caller, body)
        return _shown(entry, arguments.offset, call.max_chars)

    @_memory_tool(
        "list_memory",
        title="List what you remember",
        description="List the keys that you keep, without their values.",
        roles=EVERYONE,
        audited_as="memory_listed",
    )
    async def list_keys(self, call: Call, arguments: ListMemory) -> MemoryList:
        after = decode_cursor(arguments.cursor, str)[0] if arguments.cursor else ""
        now, scope, prefix, limit = self._ledger.clock(), _memory_scope(call), arguments.prefix, arguments.limit + 1
        found = await self._ledger.read(call.caller, lambda tx: store.page(tx, scope, prefix, after, limit, now))
        page = [entry.stamp() for entry in found[: arguments.limit]]
        count = count_within(page, call.max_chars)
        return MemoryList(
            entries=page[:count],
            count=count,
            next_cursor=encode_cursor(page[count - 1].key) if len(found) > count else None,
            truncated=True if count < len(page) else None,
        )

    @_memory_tool(
        "delete_memory",
        title="Forget",
        description="Remove a value that you kept.",
        roles=POSTERS,
        audited_as="memory_deleted",
        writes=True,
        destructive=True,
        frees=True,
        repeatable=True,
    )
    async def delete(self, call: Call, arguments: DeleteMemory) -> MemoryDeleted:
        async def body(work: Work) -> MemoryDeleted:
            await self._check_session(work, _memory_scope(call))
            known = await store.find(work.tx, _memory_scope(call), arguments.key, work.now)
            _check_version(arguments, known)
            # Also what has expired, which counts against the limit until then.
            if await store.delete(work.tx, _memory_scope(call), arguments.key):
                await store.count(work.tx, -1)
            work.touched("memory")
            return MemoryDeleted(key=arguments.key, deleted=known is not None)

        return await self._ledger.write(call, MemoryDeleted, body)

    async def _check_session(self, work: Work, memory_scope: MemoryScope) -> None:
        if memory_scope.session_id != ACROSS_SESSIONS:
            await self._sessions.open_for_writing(work)


def _check_version(arguments: SetMemory | DeleteMemory, known: MemoryEntry | None) -> None:
    key, expected, current = arguments.key, arguments.expected_version, known.version if known else 0
    if expected is not None and expected != current:
        raise VersionConflict(f"expected_version: {key!r} is at version {current}.", current_version=current, key=key)


def _memory_scope(call: Call) -> MemoryScope:
    return MemoryScope(call.caller.agent, call.caller.session_id or ACROSS_SESSIONS)


def _shown(entry: MemoryEntry, offset: int, most: int | None) -> MemoryRead:
    """The value, or the part of it that fits."""
    stamp = entry.stamp().model_dump(exclude={"value_size"})
    value = json.loads(entry.value)
    text = value if isinstance(value, str) else entry.value
    part, end = part_of(text, offset, most)
    if part == text:
        return MemoryRead(value=value, **stamp)
    return MemoryRead(value=part, next_offset=end, truncated=True if end is not None else None, **stamp)


def _entry(work: Work, new: SetMemory, memory_scope: MemoryScope, known: MemoryEntry | None) -> MemoryEntry:
    return MemoryEntry(
        key=new.key,
        session_id=memory_scope.session_id,
        value=json.dumps(new.value, ensure_ascii=False, separators=(",", ":")),
        version=known.version + 1 if known else 1,
        created_at=known.created_at if known else work.now,
        updated_at=work.now,
        expires_at=work.now + new.expires_in * SECOND if new.expires_in else None,
    )


async def forget_expired(ledger: Ledger) -> None:
    """Every minute. Reads skip expired entries already; after this they no longer count against the limit."""
    now, database = ledger.clock(), ledger.database
    for tenant in await database.read(SYSTEM, lambda tx: store.tenants_with_expired(tx, now)):
        await database.write(tenant, lambda tx: store.delete_expired(tx, now))
