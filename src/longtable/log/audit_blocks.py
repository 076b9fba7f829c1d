"""Finds audit records by type, agent, session or failure. An index entry for each record would cost every write three
pages, so the store keeps which blocks of 64 records have a value, and a filter reads those blocks."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

BLOCK: Final = 64
NAMES: Final = ("outcome", "session_id", "agent_id", "event_type")
"""What is looked up, that which has the fewest records first."""
SUCCESS: Final = "SUCCESS"
"""The outcome of most records, which is not looked up."""


class RecordSource(NamedTuple):
    """SQL after FROM that yields rows of `audit`, the order that has the newest first, and the parameters."""

    sql: str
    order: str
    parameters: dict[str, Any]


def records_with(values: Mapping[str, Any], before: int | None = None) -> RecordSource:
    """The records that have these values, by column, and are older than `before`."""
    parameters = dict(values)
    conditions = "".join(f" AND audit.{name} = :{name}" for name in values)
    if before is not None:
        parameters["before"] = before
        conditions += " AND audit.seq < :before"
    name = next((name for name in NAMES if name in values and values[name] != SUCCESS), None)
    if name is None:
        return RecordSource(f"audit WHERE audit.tenant = :tenant{conditions}", "audit.seq DESC", parameters)
    if before is not None:
        conditions += f" AND audit_blocks.block * {BLOCK} < :before"
    # CROSS JOIN makes SQLite read the blocks in their order, so that nothing need be sorted.
    sql = f"""audit_blocks CROSS JOIN audit
        WHERE audit_blocks.tenant = :tenant AND audit_blocks.name = '{name}' AND audit_blocks.value = :{name}
          AND audit.tenant = :tenant AND audit.seq >= audit_blocks.block * {BLOCK}
          AND audit.seq < (audit_blocks.block + 1) * {BLOCK}{conditions}"""
    return RecordSource(sql, "audit_blocks.block DESC, audit.seq DESC", parameters)
