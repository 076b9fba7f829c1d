"""The database of shared-context-server: its sessions, messages and memory. Tokens and audit records stay behind."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from longtable.kernel.ids import SESSION_ID
from longtable.messages.model import MAX_CHARACTERS, MAX_METADATA_BYTES
from longtable.storage.foreign_sqlite import foreign_rows
from longtable.transfer.sources.foreign import Line, NewSession, moment_of, name_of, object_of, text_of

ORIGIN = "shared-context"
AUTHOR = "shared-context"

_VISIBILITY: Final = {"public": "public", "private": "private", "agent_only": "agent_only", "admin_only": "private"}
"""What only administrators saw is for its sender and people here."""


def lines(path: Path, session: NewSession) -> Iterator[Line]:
    """Memory across sessions, then each session with its messages and memory."""
    yield from _memory(path, None)
    for row in foreign_rows(path, "SELECT * FROM sessions ORDER BY created_at, id"):
        yield {
            **session.line(text_of(row["purpose"])[:10_000], ORIGIN),
            "id": _session_id(row["id"]),
            "metadata": dict(object_of(row["metadata"], MAX_METADATA_BYTES)),
            "created_by": name_of(row["created_by"], AUTHOR),
            "created_at": moment_of(row["created_at"]),
        }
        yield from _messages(path, row["id"])
        yield from _memory(path, row["id"])


def _messages(path: Path, session_id: Any) -> Iterator[Line]:
    numbers: dict[Any, int] = {}
    threads: dict[int, int] = {}
    for row in foreign_rows(path, "SELECT * FROM messages WHERE session_id = ? ORDER BY id", session_id):
        number = numbers[row["id"]] = len(numbers) + 1
        parent = numbers.get(row["parent_message_id"])
        parent = None if parent == number else parent
        threads[number] = number if parent is None else threads[parent]
        yield {
            "type": "message",
            "id": number,
            "sender": name_of(row["sender"], AUTHOR),
            "sender_type": name_of(row["sender_type"], "generic"),
            "content": text_of(row["content"])[:MAX_CHARACTERS],
            "visibility": _VISIBILITY.get(row["visibility"], "private"),
            "metadata": dict(object_of(row["metadata"], MAX_METADATA_BYTES)),
            **({} if parent is None else {"parent": parent}),
            "thread": threads[number],
            "created_at": moment_of(row["timestamp"]),
        }


def _memory(path: Path, session_id: Any) -> Iterator[Line]:
    found: dict[tuple[str, str], Line] = {}
    for row in foreign_rows(path, "SELECT * FROM agent_memory WHERE session_id IS ? ORDER BY id", session_id):
        agent, key = name_of(row["agent_id"], AUTHOR), "_".join(text_of(row["key"]).split())[:255] or "_"
        created = moment_of(row["created_at"])
        expires = row["expires_at"]
        found[agent, key] = {
            "type": "memory",
            "agent": agent,
            "key": key,
            "value": _value(row["value"]),
            "version": 1,
            "created_at": created,
            "updated_at": moment_of(row["updated_at"], created),
            **({} if expires is None else {"expires_at": moment_of(expires, created)}),
        }
    yield from (found[key] for key in sorted(found))


def _value(text: Any) -> Any:
    """A value is JSON there, too."""
    try:
        return json.loads(text_of(text))
    except (ValueError, RecursionError):
        return text_of(text)


def _session_id(id: Any) -> str:
    text = text_of(id)
    if SESSION_ID.fullmatch(text):
        return text
    return f"session_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
