"""Reads a tenant's audit log, newest first, and checks its chain."""

from dataclasses import dataclass
from typing import Any

from longtable.kernel.call import Call
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.log.ledger import Ledger
from longtable.log.verify import verify_chain
from longtable.records.model import AuditEntry, AuditPage, ChainState
from longtable.storage.database import Row, Transaction


@dataclass(frozen=True, slots=True)
class AuditQuery:
    event_type: str | None
    agent_id: str | None
    since: int | None
    limit: int
    cursor: str | None


class Records:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def read(self, call: Call, wanted: AuditQuery) -> AuditPage:
        await self._ledger.flush()
        before = decode_cursor(wanted.cursor, int)[0] if wanted.cursor else None
        conditions, parameters = _conditions(wanted, before)

        async def body(tx: Transaction) -> list[Row]:
            return await tx.all(
                f"""SELECT * FROM audit WHERE tenant = :tenant {conditions} ORDER BY seq DESC LIMIT :limit""",
                limit=wanted.limit + 1,
                **parameters,
            )

        found = await self._ledger.read(call.caller, body)
        page = found[: wanted.limit]
        return AuditPage(
            entries=[AuditEntry.of(row) for row in page],
            count=len(page),
            next_cursor=encode_cursor(page[-1]["seq"]) if len(found) > len(page) else None,
        )

    async def verify(self, call: Call) -> ChainState:
        verdict = await verify_chain(self._ledger.database, call.caller.tenant)
        return ChainState(
            holds=verdict.holds, records=verdict.records, broken_at=verdict.broken_at, problem=verdict.problem
        )


def _conditions(wanted: AuditQuery, before: int | None) -> tuple[str, dict[str, Any]]:
    choices: list[tuple[str, str, Any]] = [
        ("event_type = :event_type", "event_type", wanted.event_type),
        ("agent_id = :agent_id", "agent_id", wanted.agent_id),
        ("created_at >= :since", "since", wanted.since),
        ("seq < :before", "before", before),
    ]
    chosen = [choice for choice in choices if choice[2] is not None]
    return "".join(f" AND {choice[0]}" for choice in chosen), {name: value for _, name, value in chosen}
