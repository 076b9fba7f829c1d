"""Results that are kept for repeated calls: what they repeat of a redacted thing goes as well."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from longtable.storage.database import Row, Transaction

JsonObject = dict[str, Any]
Cleaner = Callable[[JsonObject], JsonObject]
"""Takes an object anywhere in a result and returns it without the text. Other objects stay as they are."""


_HOLDING = """SELECT session_id, agent, operation, idempotency_key, result FROM idempotency
    WHERE tenant = :tenant AND result LIKE :held"""


async def scrub(tx: Transaction, session_id: str, name: str, clean: Cleaner) -> None:
    """Cleans the stored results that mention `name`: those of the session, and of calls outside of sessions."""
    own = f"{_HOLDING} AND session_id IN (:session_id, '')"
    await _clean_each(tx, await tx.all(own, session_id=session_id, held=f"%{_as_json(name)}%"), clean)


async def scrub_everywhere(tx: Transaction, name: str, clean: Cleaner) -> None:
    await _clean_each(tx, await holding(tx, _as_json(name)), clean)


async def holding(tx: Transaction, text: str) -> list[Row]:
    """Those of the whole tenant that hold this part of JSON: every session has its own keys."""
    return await tx.all(_HOLDING, held=f"%{text}%")


async def replace(tx: Transaction, row: Row, result: JsonObject) -> None:
    await tx.execute(
        """UPDATE idempotency SET result = :result
           WHERE tenant = :tenant AND session_id = :session_id AND agent = :agent
             AND operation = :operation AND idempotency_key = :idempotency_key""",
        **{**row, "result": json.dumps(result, ensure_ascii=False, separators=(",", ":"))},
    )


def without(name: str, value: str, replaced: JsonObject) -> Cleaner:
    """Cleans the objects in which `name` has this value: fields that they have are replaced."""

    def clean(found: JsonObject) -> JsonObject:
        if found.get(name) != value:
            return found
        return {**found, **{field: new for field, new in replaced.items() if found.get(field) is not None}}

    return clean


def _as_json(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


async def _clean_each(tx: Transaction, rows: Sequence[Row], clean: Cleaner) -> None:
    for row in rows:
        stored = json.loads(row["result"])
        cleaned = _cleaned(stored, clean)
        if cleaned != stored:
            await replace(tx, row, cleaned)


def _cleaned(value: Any, clean: Cleaner) -> Any:
    if isinstance(value, dict):
        return {name: _cleaned(each, clean) for name, each in clean(value).items()}
    if isinstance(value, list):
        return [_cleaned(each, clean) for each in value]
    return value
