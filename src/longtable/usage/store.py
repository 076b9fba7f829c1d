"""SQL for usage: sums that grow."""

from collections.abc import Mapping
from typing import Any

from longtable.kernel.clock import DAY, to_iso
from longtable.storage.database import Row, Transaction
from longtable.usage.model import MILLION, MOST, Grouping, ReportedUsage, UsageFilter, UsagePlace, UsageRow, UsageSums

# In floating point, which is exact up to 2**53 and never overflows: one agent's reports must not break what all see.
_SUMS = """COALESCE(SUM(CAST(input_tokens AS DOUBLE PRECISION)), 0) AS input_tokens,
    COALESCE(SUM(CAST(output_tokens AS DOUBLE PRECISION)), 0) AS output_tokens,
    SUM(CAST(cost AS DOUBLE PRECISION)) AS cost,
    CAST(COALESCE(SUM(reports), 0) AS BIGINT) AS reports"""
_COLUMN: Mapping[Grouping, str] = {"agent": "agent", "session": "session_id", "day": "day"}
_PURPOSE = """(SELECT purpose FROM sessions
    WHERE sessions.tenant = :tenant AND sessions.session_id = sums.session_id) AS purpose"""


def _plus(known: str, column: str) -> str:
    """The sum of a number in a row and one that is added to it, up to what the store can hold."""
    return f"CASE WHEN {known} > {MOST} - excluded.{column} THEN {MOST} ELSE {known} + excluded.{column} END"


_ADDED = f"""input_tokens = {_plus("usage_totals.input_tokens", "input_tokens")},
               output_tokens = {_plus("usage_totals.output_tokens", "output_tokens")},
               cost = CASE WHEN excluded.cost IS NULL THEN usage_totals.cost
                   ELSE {_plus("COALESCE(usage_totals.cost, 0)", "cost")} END,
               reports = usage_totals.reports + excluded.reports"""


async def add(tx: Transaction, place: UsagePlace, usage: ReportedUsage, reports: int = 1) -> None:
    await tx.execute(
        f"""INSERT INTO usage_totals
               (tenant, day, session_id, agent, model, task, input_tokens, output_tokens, cost, reports)
           VALUES (:tenant, :day, :session_id, :agent, :model, :task, :input_tokens, :output_tokens, :cost, :reports)
           ON CONFLICT (tenant, day, session_id, agent, model, task) DO UPDATE SET {_ADDED}""",
        reports=reports,
        **place._asdict(),
        **usage._asdict(),
    )


async def of_agent(tx: Transaction, session_id: str, agent: str) -> UsageSums:
    row = await tx.first(
        f"""SELECT {_SUMS} FROM usage_totals
            WHERE tenant = :tenant AND session_id = :session_id AND agent = :agent""",
        session_id=session_id,
        agent=agent,
    )
    assert row is not None
    return UsageSums(**_sums(row))


async def grouped(
    tx: Transaction, by: Grouping, usage_filter: UsageFilter, limit: int
) -> tuple[list[UsageRow], UsageSums]:
    """The rows, and the sum of all that there are."""
    column = _COLUMN[by]
    named = {name: value for name, value in usage_filter._asdict().items() if name != "since" and value is not None}
    chosen = "tenant = :tenant AND day >= :since" + "".join(f" AND {name} = :{name}" for name in named)
    parameters: dict[str, Any] = {"since": usage_filter.since, **named}
    order = "day DESC" if by == "day" else f"COALESCE(cost, 0) DESC, input_tokens + output_tokens DESC, {column}"
    purpose = f", {_PURPOSE}" if by == "session" else ""
    rows = await tx.all(
        f"""SELECT sums.*{purpose} FROM (SELECT {column}, {_SUMS} FROM usage_totals WHERE {chosen} GROUP BY {column})
                AS sums ORDER BY {order} LIMIT :limit""",
        limit=limit,
        **parameters,
    )
    total = await tx.first(f"SELECT {_SUMS} FROM usage_totals WHERE {chosen}", **parameters)
    assert total is not None
    return [_row(row, by) for row in rows], UsageSums(**_sums(total))


def _sums(row: Row) -> dict[str, Any]:
    cost = row["cost"]
    sums = {name: int(row[name]) for name in ("input_tokens", "output_tokens", "reports")}
    return {**sums, "cost": None if cost is None else cost / MILLION}


def _row(row: Row, by: Grouping) -> UsageRow:
    if by == "day":
        return UsageRow(day=to_iso(row["day"] * DAY)[:10], **_sums(row))
    if by == "session":
        return UsageRow(session_id=row["session_id"], purpose=row["purpose"] or "", **_sums(row))
    return UsageRow(agent=row["agent"], **_sums(row))
