"""SQL that replaces what describes a place: the purpose of a session, the title of a scratchpad, the reason of a
reservation; and a value that an agent keeps."""

import json
from dataclasses import replace

from longtable.memory.store import MemoryScope
from longtable.notebooks import indexing, trash_store
from longtable.notebooks import store as pad_store
from longtable.notebooks.model import Scratchpad, Traits
from longtable.redaction import stored_results
from longtable.redaction.model import TOMBSTONE
from longtable.redaction.stored_results import JsonObject, without
from longtable.sessions import store as session_store
from longtable.storage.database import Transaction


async def redact_session(tx: Transaction, session_id: str) -> bool:
    """Its purpose and its metadata."""
    if await session_store.find(tx, session_id) is None:
        return False
    await tx.execute(
        "UPDATE sessions SET purpose = :tombstone, metadata = '{}' WHERE tenant = :tenant AND session_id = :session_id",
        session_id=session_id,
        tombstone=TOMBSTONE,
    )
    texts = {"purpose": TOMBSTONE, "metadata": {}}
    await stored_results.scrub(tx, session_id, session_id, without("session_id", session_id, texts))
    return True


async def redact_reservation(tx: Transaction, session_id: str, path: str) -> bool:
    """The reasons of all who hold this path, or held it until a moment ago."""
    changed = await tx.execute(
        """UPDATE reservations SET reason = :tombstone
           WHERE tenant = :tenant AND session_id = :session_id AND path = :path AND reason IS NOT NULL""",
        session_id=session_id,
        path=path,
        tombstone=TOMBSTONE,
    )
    return changed > 0


async def redact_memory(tx: Transaction, scope: MemoryScope, key: str, now: int) -> bool:
    """The value, also of an entry whose time is over; the key stays."""
    changed = await tx.execute(
        """UPDATE memory SET value = :tombstone, version = version + 1, updated_at = :now
           WHERE tenant = :tenant AND agent = :agent AND session_id = :session_id AND memory_key = :key""",
        key=key,
        now=now,
        tombstone=json.dumps(TOMBSTONE),
        **scope.named(),
    )
    return changed > 0


async def redact_scratchpad(tx: Transaction, scratch_id: str, now: int) -> bool:
    """What describes it, in all of its lives: title, description, summary, tags and metadata. Cells stay."""
    lives = await tx.all(
        "SELECT pad, trashed_at, indexed FROM scratchpads WHERE tenant = :tenant AND scratch_id = :scratch_id",
        scratch_id=scratch_id,
    )
    for life in lives:
        in_trash = life["trashed_at"] is not None
        trashed = await trash_store.find(tx, life["pad"]) if in_trash else None
        old = trashed.scratchpad if trashed else await pad_store.find(tx, scratch_id)
        assert old is not None
        kept = Traits(title=TOMBSTONE, namespace=old.traits.namespace, pinned=old.traits.pinned)
        new = replace(old, traits=kept, version=old.version + 1, updated_at=old.updated_at if in_trash else now)
        await _replace_traits(tx, old, new, indexed=bool(life["indexed"]))
    await stored_results.scrub_everywhere(tx, scratch_id, lambda found: _without_traits(scratch_id, found))
    return bool(lives)


async def _replace_traits(tx: Transaction, old: Scratchpad, new: Scratchpad, *, indexed: bool) -> None:
    await pad_store.update(tx, new)
    await pad_store.set_own_tags(tx, new.pad, ())
    if indexed:
        await indexing.remove_traits(tx, old)
        await indexing.add_traits(tx, new)


def _without_traits(scratch_id: str, found: JsonObject) -> JsonObject:
    if found.get("scratch_id") != scratch_id:
        return found
    kept = {"namespace", "cell_tags", "schemas", "pinned"}
    cleaned: JsonObject = {**found, "title": TOMBSTONE, "description": None, "summary": None, "tags": []}
    if isinstance(found.get("metadata"), dict):
        cleaned["metadata"] = {name: value for name, value in found["metadata"].items() if name in kept}
    return {name: value for name, value in cleaned.items() if name in found}
