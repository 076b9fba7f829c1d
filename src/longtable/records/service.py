"""Reads a tenant's audit log, newest first, and checks its chain."""

from dataclasses import dataclass, replace
from typing import Any

from longtable.identity.agent_names import known_spelling
from longtable.kernel.call import Call
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.log.anchors import AnchorFile
from longtable.log.ledger import Ledger
from longtable.log.verify import verify_chain
from longtable.records.model import AuditEntry, AuditPage, ChainState
from longtable.storage.database import Row, Transaction

_LOOKED_AT = 50_000
"""Records that one page looks at when it is to find those of a certain time, for which there is no index."""


@dataclass(frozen=True, slots=True)
class AuditQuery:
    limit: int
    cursor: str | None = None
    event_type: str | None = None
    agent_id: str | None = None
    session_id: str | None = None
    outcome: str | None = None
    since: int | None = None
    until: int | None = None


class Records:
    def __init__(self, ledger: Ledger, anchors: AnchorFile) -> None:
        self._ledger = ledger
        self._anchors = anchors

    async def read(self, call: Call, wanted: AuditQuery) -> AuditPage:
        await self._ledger.flush()
        before = decode_cursor(wanted.cursor, int)[0] if wanted.cursor else None
        agent_id = await known_spelling(self._ledger.database, call.caller.tenant, wanted.agent_id)
        where, parameters = _indexed(replace(wanted, agent_id=agent_id), before)
        when, moments = _timed(wanted)

        async def body(tx: Transaction) -> tuple[list[Row], int]:
            floor = await _floor(tx, where, parameters) if when else 0
            rows = await tx.all(
                f"SELECT * FROM audit WHERE {where} {when} AND seq >= :floor ORDER BY seq DESC LIMIT :limit",
                floor=floor,
                limit=wanted.limit + 1,
                **parameters,
                **moments,
            )
            return rows, floor

        found, floor = await self._ledger.read(call.caller, body)
        page = found[: wanted.limit]
        last = page[-1]["seq"] if len(found) > len(page) else floor
        return AuditPage(
            entries=[AuditEntry.of(row) for row in page],
            count=len(page),
            next_cursor=encode_cursor(last) if last else None,
        )

    async def verify(self, call: Call) -> ChainState:
        tenant = call.caller.tenant
        verdict = await verify_chain(self._ledger.database, tenant, (await self._anchors.read()).get(tenant))
        return ChainState(
            holds=verdict.holds, records=verdict.records, broken_at=verdict.broken_at, problem=verdict.problem
        )


async def _floor(tx: Transaction, where: str, parameters: dict[str, Any]) -> int:
    """The number of the last record that this page looks at, 0 where it can look at all that are left."""
    row = await tx.first(
        f"SELECT seq FROM audit WHERE {where} ORDER BY seq DESC LIMIT 1 OFFSET :skipped",
        skipped=_LOOKED_AT - 1,
        **parameters,
    )
    return int(row["seq"]) if row else 0


def _indexed(wanted: AuditQuery, before: int | None) -> tuple[str, dict[str, Any]]:
    """Each of these has an index that it begins."""
    choices: list[tuple[str, str, Any]] = [
        ("event_type = :event_type", "event_type", wanted.event_type),
        ("agent_id = :agent_id", "agent_id", wanted.agent_id),
        ("session_id = :session_id", "session_id", wanted.session_id),
        ("outcome = :outcome", "outcome", wanted.outcome),
        ("seq < :before", "before", before),
    ]
    where, parameters = _chosen(choices)
    # Only with these words is the index of failures of use.
    failed = " AND outcome <> 'SUCCESS'" if wanted.outcome not in (None, "SUCCESS") else ""
    return f"tenant = :tenant{where}{failed}", parameters


def _timed(wanted: AuditQuery) -> tuple[str, dict[str, Any]]:
    return _chosen(
        [("created_at >= :since", "since", wanted.since), ("created_at <= :until", "until", wanted.until)],
    )


def _chosen(choices: list[tuple[str, str, Any]]) -> tuple[str, dict[str, Any]]:
    chosen = [choice for choice in choices if choice[2] is not None]
    return "".join(f" AND {choice[0]}" for choice in chosen), {name: value for _, name, value in chosen}
