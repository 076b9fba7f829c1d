"""SQL for usage: sums that grow."""

from collections.abc import Mapping
from typing import Any

from longtable.kernel.clock import DAY, to_iso
from longtable.storage.database import Row, Transaction
from longtable.usage.model import MILLION, Grouping, ReportedUsage, UsageFilter, UsagePlace, UsageRow, UsageSums

_SUMS = """CAST(COALESCE(SUM(input_tokens), 0) AS BIGINT) AS input_tokens,
    CAST(COALESCE(SUM(output_tokens), 0) AS BIGINT) AS output_tokens, CAST(SUM(cost) AS BIGINT) AS cost,
    CAST(COALESCE(SUM(reports), 0) AS BIGINT) AS reports"""
_COLUMN: Mapping[Grouping, str] = {"agent": "agent", "session": "session_id", "day": "day"}
_PURPOSE = """(SELECT purpose FROM sessions
    WHERE sessions.tenant = :tenant AND sessions.session_id = sums.session_id) AS purpose"""


async def add(tx: Transaction, place: UsagePlace, usage: ReportedUsage, reports: int = 1) -> None:
    await tx.execute(
        """INSERT INTO usage_totals
               (tenant, day, session_id, agent, model, task, input_tokens, output_tokens, cost, reports)
           VALUES (:tenant, :day, :session_id, :agent, :model, :task, :input_tokens, :output_tokens, :cost, :reports)
           ON CONFLICT (tenant, day, session_id, agent, model, task) DO UPDATE SET
               input_tokens = usage_totals.input_tokens + excluded.input_tokens,
               output_tokens = usage_totals.output_tokens + excluded.output_tokens,
               cost = CASE WHEN excluded.cost IS NULL THEN usage_totals.cost
                   ELSE COALESCE(usage_totals.cost, 0) + excluded.cost END,
               reports = usage_totals.reports + excluded.reports""",
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
    sums = {name: row[name] for name in ("input_tokens", "output_tokens", "reports")}
    return {**sums, "cost": None if cost is None else cost / MILLION}


def _row(row: Row, by: Grouping) -> UsageRow:
    if by == "day":
        return UsageRow(day=to_iso(row["day"] * DAY)[:10], **_sums(row))
    if by == "session":
        return UsageRow(session_id=row["session_id"], purpose=row["purpose"] or "", **_sums(row))
    return UsageRow(agent=row["agent"], **_sums(row))
