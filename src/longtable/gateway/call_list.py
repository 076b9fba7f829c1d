"""Calls of upstream tools, made or refused, from the audit log: without their arguments and results."""

import json
from typing import NamedTuple

from longtable.gateway.arguments import ListCalls
from longtable.gateway.results import CallList, CallView
from longtable.kernel.call import Call
from longtable.kernel.clock import SECOND, to_iso
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.log.audit_blocks import records_with
from longtable.log.ledger import Ledger
from longtable.storage.database import Row, Transaction

_LOOKED_AT = 2_000
"""Records that one page reads at most: calls of one upstream may be far apart."""


async def list_calls(ledger: Ledger, call: Call, query: ListCalls) -> CallList:
    """The newest first."""
    await ledger.flush()
    max_rows = query.limit + 1 if query.upstream is None else _LOOKED_AT
    rows = await ledger.read(call.caller, lambda tx: _rows(tx, query, max_rows))
    views = [(row["seq"], _view(row)) for row in rows]
    found = [(seq, view) for seq, view in views if query.upstream in (None, view.upstream)]
    page = found[: query.limit]
    last = page[-1][0] if len(found) > query.limit else rows[-1]["seq"] if len(rows) == max_rows else None
    return CallList(
        calls=[view for _, view in page],
        count=len(page),
        next_cursor=encode_cursor(last) if last is not None else None,
    )


class PastCall(NamedTuple):
    """A call with the moments of its beginning and its end."""

    agent: str
    session_id: str
    tool: str
    began_at: int
    ended_at: int


async def newest_calls(tx: Transaction, limit: int) -> list[PastCall]:
    """The newest first; those of no session are left out."""
    source = records_with({"event_type": "gateway_called"})
    rows = await tx.tuples(
        f"""SELECT audit.agent_id, audit.session_id, audit.operation, audit.metadata, audit.created_at
            FROM {source.sql} ORDER BY {source.order} LIMIT :limit""",
        limit=limit,
        **source.parameters,
    )
    return [
        PastCall(agent, session_id, tool, at - int(json.loads(metadata).get("duration_ms", 0) * SECOND / 1_000), at)
        for agent, session_id, tool, metadata, at in rows
        if session_id is not None
    ]


async def _rows(tx: Transaction, query: ListCalls, max_rows: int) -> list[Row]:
    values = {"event_type": "gateway_called"}
    if query.session_id is not None:
        values["session_id"] = query.session_id
    source = records_with(values, decode_cursor(query.cursor, int)[0] if query.cursor else None)
    return await tx.all(
        f"""SELECT seq, operation, agent_id, session_id, outcome, metadata, created_at,
                (SELECT purpose FROM sessions
                 WHERE sessions.tenant = :tenant AND sessions.session_id = audit.session_id) AS purpose
            FROM {source.sql} ORDER BY {source.order} LIMIT :max_rows""",
        max_rows=max_rows,
        **source.parameters,
    )


def _view(row: Row) -> CallView:
    known = json.loads(row["metadata"])
    return CallView(
        call_id=known.get("call_id"),
        tool=row["operation"],
        upstream=known.get("upstream"),
        agent=row["agent_id"],
        session_id=row["session_id"],
        purpose=row["purpose"],
        layer=known.get("layer"),
        outcome=row["outcome"],
        duration_ms=known.get("duration_ms"),
        timestamp=to_iso(row["created_at"]),
        decision_id=known.get("decision_id"),
    )
